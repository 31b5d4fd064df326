"""Images of every mode that our files hold, and how Pillow opens and saves them, once that is registered."""

from io import BytesIO

import numpy as np
from PIL import Image
from tests.images import noise, orientation_exif, ramp

METADATA = {"exif": orientation_exif(6), "xmp": b"<x:xmpmeta/>", "icc": b"profile"}
MODES = {"L": ramp(20, 30, 1)[:, :, 0], "LA": ramp(20, 30, 2), "RGB": ramp(20, 30, 3), "RGBA": ramp(20, 30, 4)}
MODES["I;16"] = noise(20, 30, 1, seed=3, dtype=np.uint16)[:, :, 0]


def opened(data):
    """Return the image of a file, opened and not loaded."""
    return Image.open(BytesIO(data))


def saved(image, **options):
    """Return the file that Pillow saves of an image."""
    buffer = BytesIO()
    image.save(buffer, "FDC", **options)
    return buffer.getvalue()
