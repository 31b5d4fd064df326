"""Pillow images in whatever state a user has them: what can be told of their files is told, and nothing else fails."""

from io import BytesIO

import imagecodecs
import numpy as np
import pytest
from PIL import Image
from tests.images import noise, saved
from tests.pillow_files import opened
from tests.stacks import with_tag

import fdcodec
from fdcodec import container
from fdcodec.errors import ConversionWarning, UnsupportedError
from fdcodec.image.arrays import as_picture

SAMPLES = noise(9, 12, 3, seed=1)
DEEP = noise(9, 12, 3, seed=2, dtype=np.uint16)


@pytest.fixture(autouse=True)
def registered():
    """Let Pillow know the format."""
    fdcodec.register_pillow()


class Bare:
    """A file with what Pillow asks for, and no more."""

    def __init__(self, data):
        file = BytesIO(data)
        self.read, self.seek, self.tell = file.read, file.seek, file.tell


def jpeg_2000(samples, bits):
    """Return a JPEG 2000 file without loss."""
    return imagecodecs.jpeg2k_encode(samples, codecformat="jp2", bitspersample=bits, reversible=True, level=0)


@pytest.mark.parametrize("end", [None, -12], ids=["whole", "without its last chunk"])
@pytest.mark.parametrize("opened", [BytesIO, Bare], ids=["stream", "bare"])
def test_png_is_taken_as_pillow_takes_it(end, opened):
    """What Pillow reads without a fault is encoded, with and without loss."""
    data = saved(SAMPLES, "PNG")[:end]
    assert np.array_equal(as_picture(Image.open(opened(data)), lossless=True).samples, SAMPLES)


def test_bare_files_are_told_of():
    """Depths beyond 8 bits are found in files that Pillow itself opens, and the image can be loaded afterwards."""
    image = Image.open(Bare(jpeg_2000(DEEP >> 4, 12)))
    with pytest.raises(UnsupportedError, match=r"^lossless: "):
        fdcodec.encode(image, lossless=True)
    scaled, reduced = (
        pytest.warns(ConversionWarning, match=match) for match in ("0..4095 were scaled", "reduced to 8")
    )
    with scaled, reduced:
        as_picture(image)
    assert np.array_equal(np.asarray(image), np.asarray(Image.open(BytesIO(jpeg_2000(DEEP >> 4, 12)))))


def test_large_files_are_not_read_whole():
    """Of a file only its begin is looked at."""
    data = jpeg_2000(SAMPLES, 8)
    file = Bare(data + bytes(1 << 20))
    read, sizes = file.read, []
    file.read = lambda size=-1: sizes.append(size) or read(size)
    image = Image.open(file)
    sizes.clear()
    assert np.array_equal(as_picture(image, lossless=True).samples, SAMPLES)
    assert sizes[0] == 1 << 16


def test_samples_of_a_loaded_tiff_may_be_new():
    """What the tags of a TIFF say is of the file, and no longer of an image that was changed."""
    data = with_tag(saved(noise(8, 8, 4, seed=3), "TIFF"), 0, 338, 1)
    with pytest.raises(UnsupportedError, match="multiplied by alpha"):
        as_picture(Image.open(BytesIO(data)), lossless=True)
    image = Image.open(BytesIO(data))
    image.putalpha(255)
    assert as_picture(image, lossless=True).channels == 4


@pytest.mark.parametrize("before", ["load", "verify"])
def test_verify_needs_the_open_file(before):
    """Once an image is loaded or verified, its file is gone, and `verify` says what to do."""
    image = opened(fdcodec.encode(SAMPLES, lossless=True))
    getattr(image, before)()
    with pytest.raises(OSError, match="open it again"):
        image.verify()


def test_verify_passes_pictures_of_any_size(monkeypatch):
    """`verify` decodes nothing, and passes a sound file that is above the limit of `decode`, if Pillow may open it."""
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", None)
    data = container.write(container.File(container.Header(65535, 65535, lossless=True), [b""]))
    opened(data).verify()
    with pytest.raises(OSError, match="checksum is wrong"):
        opened(data[:-1] + bytes([data[-1] ^ 1])).verify()


@pytest.mark.parametrize("shape", [(9, 12), (12, 9, 3), (4, 4, 3), (9, 12, 4)])
def test_a_file_that_changes_after_it_is_opened(shape):
    """A file that holds another size or mode by the time it is loaded is refused, never taken for what was opened."""
    file = BytesIO(fdcodec.encode(SAMPLES, lossless=True))
    image = Image.open(file)
    file.seek(0)
    file.truncate()
    file.write(fdcodec.encode(np.zeros(shape, np.uint8), lossless=True))
    with pytest.raises(OSError, match=r"changed after it was opened|above the limit"):
        image.load()
