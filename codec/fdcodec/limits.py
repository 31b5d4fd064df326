"""The limits of the format, to which readers hold files (SPEC 2.6); limits of other inputs stand with their readers."""

MAX_SIDE = 65535
"""Largest width and height, in pixels."""

DEFAULT_MAX_PIXELS = 2**28
"""Pixels above which nothing is read or decoded unless the caller raises the limit."""

MIN_TILE_SIZE = 16
"""Smallest tile side, in pixels; 0 means one tile for the whole picture."""

MAX_PARAMETER_BYTES = 64
"""Largest block of coding parameters in the header."""

MAX_MODEL_BYTES = 2**24
"""Largest class model, embedded or in a file of its own."""

MAX_METADATA_BYTES = 2**24
"""Largest EXIF, XMP or ICC block."""

MAX_OTHER_CHUNKS = 1024
"""Most chunks of a file besides one for each tile."""
