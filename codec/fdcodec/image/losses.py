"""What is lost when Pillow reads an image file, by its tags, its headers, and what Pillow tells its decoders."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from PIL import ExifTags, Image
from PIL.TiffImagePlugin import TiffImageFile

from fdcodec.errors import LimitError, UnsupportedError
from fdcodec.image import jpeg_2000, png, pnm
from fdcodec.image.frame_counts import count_frames
from fdcodec.image.pillow_modes import drops_profile
from fdcodec.words import first_of

ONLY_FIRST = "only the first of"
"""Start of the note on frames, by which a command recognizes it."""

_ASSOCIATED_ALPHA = 1  # of ExtraSamples
_SIGNED = 2  # of SampleFormat
_SRGB = bytes([1, 13, 0, 1])  # of cICP
_PALETTE = 3  # of IHDR
_MEANINGS = {b"cICP": "colour space", b"mDCV": "mastering display", b"cLLI": "light level", b"sBIT": "significant bits"}
"""Chunks of PNG that say what samples stand for, and that Pillow does not read."""

_READ_OF_PNG = frozenset(
    b"IHDR PLTE tRNS IDAT IEND iCCP eXIf sRGB gAMA cHRM pHYs tEXt zTXt iTXt acTL fcTL fdAT iDOT".split()
)
"""Chunks that are kept, or have notes of their own; iDOT only says where in the file rows are."""

_GIF_EXTENSIONS = {b"\x21\xff\x0bXMP DataXMP": "XMP", b"\x21\xff\x0bICCRGBG1012": "ICC"}
_AVIF_COLOURS = b"colrnclx"  # before two bytes each for primaries and transfer (ITU-T H.273)
_SRGB_PRIMARIES, _SRGB_TRANSFERS = (1, 2), (1, 2, 6, 13)  # 2 is not specified; 1 and 6, of video, are nearly sRGB
_BMP_VERSION_5 = b"\x7c\0\0\0"  # length of its header
_BMP_PROFILES = (b"DEBM", b"KNIL")  # which is embedded, or in another file


class Loss(NamedTuple):
    """A loss: a note, empty if there is one already, and why `lossless` refuses it, empty if it does not."""

    note: str
    refusal: str


def notes_on(losses: Iterable[Loss], lossless: bool) -> list[str]:
    """Return the notes on what is lost; UnsupportedError, with `lossless`, if a loss is refused."""
    notes = []
    for loss in losses:
        if lossless and loss.refusal:
            raise UnsupportedError(f"lossless: {loss.refusal}, or leave lossless=True out")
        notes += [loss.note] if loss.note else []
    return notes


def frames_left_out(image: Image.Image) -> Iterator[Loss]:
    """Yield what is lost if only the first frame is read, and there are, or may be, more."""
    if (frames := _frame_count(image)) is None:
        yield Loss(
            "only the first frame was read: what follows it cannot be read",
            f"what follows the first frame of this {image.format} file cannot be read; save the first as its own file",
        )
    elif frames > 1:
        refusal = f"only one of the {frames} frames of this {image.format} file would be kept; take all with --frames"
        is_preview = image.format == "MPO"  # all but the first
        yield Loss(f"{ONLY_FIRST} {frames} frames was read", "" if is_preview else refusal)


def losses_of(image: Image.Image, data: bytes) -> Iterator[Loss]:
    """Yield what is lost when Pillow reads an image, or the frame that was sought.

    Less is known of an image that is loaded, or whose file's `data` are not at hand.
    """
    if (greatest := _scaled_from(image, data)) is not None:
        yield Loss(
            f"values 0..{greatest} were scaled to the full range of 8 or 16 bits, as Pillow reads them",
            f"Pillow scales the values 0..{greatest} of this {image.format} file; give the samples as .npy",
        )
    if isinstance(image, TiffImageFile) and image.tile:  # once it is loaded, its samples may be others
        yield from _losses_of_tiff(image)
    if image.format == "JPEG2000" and any(is_signed for _, is_signed in jpeg_2000.components(image, data)):
        yield Loss(
            "signed samples were read as unsigned, the least as 0",
            "the samples of this JPEG2000 file are signed, and would be read as unsigned; give them as .npy",
        )
    if image.format == "PPM" and data and pnm.is_followed(image, data):
        yield Loss(
            "images behind the first of this PPM file were left out",
            "other images follow the first of this PPM file, and would be left out; save each as its own file",
        )
    yield from _losses_of_mode(image)
    if image.format == "PNG" and data and (left_out := _left_out_of_png(data)):
        yield Loss(f"PNG chunks were left out: {', '.join(first_of(left_out))}", "")
    if left_out := _left_out_beside(image, data):
        yield Loss(f"parts of this {image.format} file were left out: {', '.join(left_out)}", "")
    if _loses_bits(image, data):
        yield Loss(
            "colour of more than 8 bits was reduced to 8 bits: Pillow reads no more",
            f"Pillow reads only 8 bits of this {image.format} file, which has more; give the samples as .npy of uint16",
        )


def _frame_count(image: Image.Image) -> int | None:
    """Return how many frames there are; None for a TIFF if only the first is certain to be readable."""
    try:
        return count_frames(image)
    except LimitError:
        raise
    except Exception:  # Pillow lets nearly every built-in exception out
        if not isinstance(image, TiffImageFile):
            raise
        return None


def _losses_of_mode(image: Image.Image) -> Iterator[Loss]:
    """Yield what the conversion of a mode loses, which has notes of its own."""
    if image.mode.startswith("I") and "transparency" in image.info:
        yield Loss("", "16-bit gray has no alpha, and the transparent value would be dropped; give both as .npy")
    if drops_profile(image.mode):
        yield Loss("", f"the {image.mode} colours would be converted; convert them to RGB")
    if image.mode in ("La", "RGBa"):
        yield Loss("", "colours that are multiplied by alpha would be divided by it; give the samples as an array")


def _losses_of_tiff(image: TiffImageFile) -> Iterator[Loss]:
    """Yield what channels and values are lost, by the tags that say what the samples are."""
    read, tags = len(image.getbands()), image.tag_v2
    stored = tags.get(ExifTags.Base.SamplesPerPixel, read)
    if stored > read:
        yield Loss(
            f"only the first {read} of {stored} channels were read: the others are neither colour nor alpha",
            f"only {read} of the {stored} channels of this TIFF file would be kept; save the others as their own files",
        )
    if _ASSOCIATED_ALPHA in tags.get(ExifTags.Base.ExtraSamples, ()):
        yield Loss(
            "" if image.mode == "La" else "colours multiplied by alpha were divided by it, and rounded",
            "the colours of this TIFF file are multiplied by alpha, and would be divided; give the samples as .npy",
        )
    if image.mode == "L" and _SIGNED in tags.get(ExifTags.Base.SampleFormat, ()):
        yield Loss(
            "signed samples were read as unsigned: -128..-1 became 128..255",
            "the samples of this TIFF file are signed, and would be read as unsigned; give them as .npy of uint8",
        )


def _left_out_of_png(data: bytes) -> list[str]:
    """Return which chunks of a PNG are lost; colour information is left out if it only says sRGB or the stored bits."""
    chunks = {chunk.kind: chunk.content for chunk in png.chunks(data)}
    depth, colour_type = chunks[b"IHDR"][8:10]
    stored = 8 if colour_type == _PALETTE else depth
    usual = {b"cICP": _SRGB, b"sBIT": bytes([stored]) * len(chunks.get(b"sBIT", b""))}
    told = [name for name in _MEANINGS if name in chunks and chunks[name] != usual.get(name)]
    others = [repr(name)[2:-1] for name in chunks if name not in _READ_OF_PNG and name not in _MEANINGS]
    return [f"{_MEANINGS[name]} ({name.decode()})" for name in told] + others


def _left_out_beside(image: Image.Image, data: bytes) -> list[str]:
    """Return what a file of some formats holds beside its samples and Pillow does not read."""
    match image.format:
        case "AVIF" if "icc_profile" not in image.info and _has_other_colours(data):
            return ["colour space (nclx)"]
        case "JPEG2000":
            return jpeg_2000.left_out(data)
        case "GIF":
            return [name for mark, name in _GIF_EXTENSIONS.items() if mark in data]
        case "BMP" if data[14:18] == _BMP_VERSION_5 and data[70:74] in _BMP_PROFILES:
            return ["ICC"]
    return []


def _has_other_colours(avif: bytes) -> bool:
    """Tell whether an AVIF names primaries or a transfer that are not those of sRGB."""
    _, found, named = avif.partition(_AVIF_COLOURS)
    primaries, transfer = (int.from_bytes(named[place : place + 2], "big") for place in (0, 2))
    return bool(found) and (primaries not in _SRGB_PRIMARIES or transfer not in _SRGB_TRANSFERS)


def _loses_bits(image: Image.Image, data: bytes) -> bool:
    """Tell whether Pillow reads 8 of more than 8 stored bits, by tags, headers, or what it tells its decoders."""
    if image.mode.startswith(("I", "F")):
        return False  # read as they are, or refused
    if isinstance(image, TiffImageFile):
        return any(bits > 8 for bits in image.tag_v2.get(ExifTags.Base.BitsPerSample, ()))
    if image.format == "JPEG2000":
        return any(depth > 8 for depth, _ in jpeg_2000.components(image, data))
    if image.format == "AVIF":
        flags = data[data.find(b"av1C") + 6 :][:1]
        return bool(flags and flags[0] & 0x40)
    greatest = pnm.greatest_of_pnm(image) or 0
    return greatest > 0xFF or any(";16B" in str(tile.args) for tile in getattr(image, "tile", ()))


def _scaled_from(image: Image.Image, data: bytes) -> int | None:
    """Return the greatest value that a file's samples can have, if Pillow scales it to 255 or 65535."""
    if image.format == "JPEG2000":
        odd = [depth for depth, _ in jpeg_2000.components(image, data) if depth not in (8, 16)]
        return 2 ** max(odd) - 1 if odd else None
    greatest = pnm.greatest_of_pnm(image)
    return None if greatest in (255, 65535) else greatest
