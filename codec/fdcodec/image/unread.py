"""Image files that Pillow cannot open: what they are, as far as it can be told, and what to do."""

from io import BytesIO

from PIL import TiffTags
from PIL.JpegImagePlugin import JpegImageFile
from PIL.TiffImagePlugin import TiffImageFile

from fdcodec.errors import FormatError, UnsupportedError
from fdcodec.image.pillow_modes import CONVERT

_TIFF, _JPEG = (b"II*\0", b"MM\0*", b"II+\0"), b"\xff\xd8\xff"
_BIG_ENDIAN_BIGTIFF = b"MM\0+"
_JPEG_XL = (b"\xff\x0a", b"\0\0\0\x0cJXL ")
_HEIC_BRANDS = (b"heic", b"heix", b"hevc", b"hevx")
_TO_WHAT = "convert it to PNG, JPEG or TIFF"


def refusal_of(data: bytes) -> FormatError | UnsupportedError:
    """Return the error of a file that Pillow does not identify: what it is if that is known, and what to do."""
    if data.startswith(_TIFF):
        reason = _reason_of_tiff(data)
    elif data.startswith(_JPEG):
        reason = _reason_of_jpeg(data)
    else:
        reason = _kind_of(data)
    return UnsupportedError(reason) if reason else FormatError(f"not an image in a format that can be read; {_TO_WHAT}")


def _kind_of(data: bytes) -> str:
    """Return what is wrong with a file of another format; empty if that is not known."""
    if data[4:8] == b"ftyp" and any(brand in data[8:64] for brand in _HEIC_BRANDS):
        return f"HEIC is not read; {_TO_WHAT}"
    if data[128:132] == b"DICM":
        return "DICOM is not read; save its samples as .npy or as TIFF of 16 bits"
    if data.startswith(_JPEG_XL):
        return f"JPEG XL is not read; {_TO_WHAT}"
    if data.startswith(_BIG_ENDIAN_BIGTIFF):
        return "BigTIFF whose bytes are in big-endian order is not read; save it in little-endian order"
    return ""


def _reason_of_tiff(data: bytes) -> str:
    """Return why a TIFF cannot be opened: its samples, such as floating-point colour, or its compression."""
    try:
        TiffImageFile(BytesIO(data)).close()
    except SyntaxError as error:
        if "unknown pixel mode" in str(error):
            return f"TIFF of samples that are not supported; {CONVERT}"
        match error.__cause__:
            case KeyError(args=(int(number),)) if number not in TiffTags.TAGS_V2:  # it is a tag that is missing
                return f"TIFF with compression {number} is not read; save it with LZW or deflate, or with none"
    return ""


def _reason_of_jpeg(data: bytes) -> str:
    """Return why a JPEG cannot be opened: its bits, or its number of channels."""
    try:
        JpegImageFile(BytesIO(data)).close()
    except SyntaxError as error:
        if (reason := str(error)).startswith("cannot handle"):
            return f"JPEG that Pillow does not read ({reason}); give the samples as .npy"
    return ""
