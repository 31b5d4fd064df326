"""fdcodec: image compression whose transform is learned."""

__version__ = "0.1.0"
