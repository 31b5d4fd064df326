"""Pictures: what users give and get, image files in and out, metadata as opaque bytes."""
