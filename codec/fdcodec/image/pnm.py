"""What Pillow does not tell about a PNM: its greatest value, and whether another image follows."""

from PIL import Image

_NEXT = tuple(b"P%d" % number for number in range(1, 7))
_PLAIN = "ppm_plain"  # Pillow's decoder of numbers as text; such a file has only one image


def greatest_of_pnm(image: Image.Image) -> int | None:
    """Return the greatest value that samples can have, None if Pillow reads them as they are.

    Once an image is loaded, Pillow no longer tells its decoder.
    """
    for tile in getattr(image, "tile", ()):
        if tile.codec_name.startswith("ppm") and isinstance(tile.args, tuple):  # of one bit it is a name
            return int(tile.args[-1])
    return None


def is_followed(image: Image.Image, data: bytes) -> bool:
    """Tell whether another image follows the first, as the format allows if samples are bytes."""
    tile = next(iter(getattr(image, "tile", ())), None)
    if tile is None or tile.codec_name == _PLAIN:
        return False
    row_bits = image.width * len(image.getbands()) * _bits_of_sample(image)
    end = tile.offset + image.height * -(-row_bits // 8)
    return data[end : end + 64].lstrip().startswith(_NEXT)


def _bits_of_sample(image: Image.Image) -> int:
    if image.mode == "1":
        return 1
    return 16 if image.mode == "I" or (greatest_of_pnm(image) or 0) > 0xFF else 8
