"""Images that tests make for themselves, each from its seed or its formula."""

import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import PIL
import pytest
from numpy.typing import NDArray
from PIL import Image

NEWER_PILLOW = pytest.mark.skipif(int(PIL.__version__.split(".")[0]) < 13, reason="needs Pillow 13, which reads this")

DRAWN = np.kron(np.eye(6, dtype=np.uint8) * 200, np.ones((5, 3), np.uint8))
"""A drawn picture that is smaller without loss than at any quality, shape (30, 18)."""


def noise(height: int, width: int, channels: int, seed: int, dtype: Any = np.uint8) -> NDArray[Any]:
    """Return uniform noise of shape ``(height, width, channels)``."""
    return np.random.default_rng(seed).integers(0, np.iinfo(dtype).max, (height, width, channels), dtype, endpoint=True)


def ramp(height: int, width: int, channels: int) -> NDArray[np.uint8]:
    """Return a smooth picture: plane waves that differ by channel."""
    y, x, c = np.mgrid[:height, :width, :channels]
    return np.uint8(127.5 + 60 * np.sin((x + 3 * c) / 9) + 60 * np.cos((y - c) / 7))


def photo(height: int, width: int) -> NDArray[np.uint8]:
    """Return the middle of the corpus' photograph, shape ``(height, width, 3)``."""
    with Image.open(Path(__file__).parents[1] / "corpus" / "samples" / "photo.png") as image:
        samples = np.asarray(image)
    top, left = (samples.shape[0] - height) // 2, (samples.shape[1] - width) // 2
    return samples[top : top + height, left : left + width].copy()


def uneven(height: int, width: int) -> NDArray[np.uint8]:
    """Return a photograph whose right half is noise, shape ``(height, width, 3)``."""
    samples = photo(height, width)
    samples[:, width // 2 :] = noise(height, width - width // 2, 3, seed=5) // 4
    return samples


def orientation_exif(orientation: int) -> bytes:
    """Return an EXIF block, without a prefix, that holds an orientation and the name of a camera."""
    exif = Image.Exif()
    exif[274], exif[272] = orientation, "Test camera"
    return exif.tobytes().removeprefix(b"Exif\0\0")


def saved(array: NDArray[Any], name: str, **options: Any) -> bytes:
    """Return an image file in Pillow's format `name`."""
    buffer = BytesIO()
    Image.fromarray(array.squeeze()).save(buffer, name, **options)
    return buffer.getvalue()


def with_chunk(png: bytes, name: bytes, content: bytes, place: int = 33) -> bytes:
    """Return a PNG with a chunk more, right behind its header or at another place."""
    body = name + content
    return png[:place] + len(content).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big") + png[place:]


PNG = saved(ramp(24, 40, 3), "PNG", exif=b"Exif\0\0" + orientation_exif(6))
"""A small image file with metadata."""
