"""Pillow opens and saves `.fdc` files, once `register_pillow` is called.

* `Image.open` reads header and metadata only: Pillow's guard against decompression bombs looks at the size afterwards,
  and pixels are decoded once something asks for them.
* Only errors that Pillow expects of a format come out: SyntaxError while a file is identified, OSError, and ValueError
  for an argument of `save`.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from inspect import signature
from typing import IO, Any

from PIL import Image, ImageFile

from fdcodec import api, container
from fdcodec.arguments import MAX_REDUCE, is_true
from fdcodec.container.constants import COMPACT_SIGNATURE, SIGNATURE
from fdcodec.errors import (
    ConversionWarning,
    FdcError,
    FormatError,
    ParameterError,
    UnsupportedError,
    memory_as_limit,
    warn_caller,
)
from fdcodec.image.arrays import as_picture
from fdcodec.image.picture import EXIF_PREFIX, Picture
from fdcodec.image.resolution import Resolution, as_resolution, exif_of, is_only_resolution, resolution_of
from fdcodec.limits import MAX_SIDE

_FORMAT = "FDC"
_MODES = {(1, 8): "L", (2, 8): "LA", (3, 8): "RGB", (4, 8): "RGBA", (1, 16): "I;16"}
_OTHER_NAMES = {"psnr": "psnr_db", "size": "size_bytes", "icc": "icc_profile"}
"""Names of the command line and of `encode` that are refused, as Pillow would ignore them, and those to give."""

_METADATA = {"exif": "exif", "xmp": "xmp", "icc": "icc_profile"}
"""Arguments of `encode`, and what Pillow calls them."""

_NEARLY = 0.8
"""Likeness by difflib from which a name counts as misspelt; among Pillow's own arguments only PDF's `title` has it."""

_OPTIONS = signature(api.encode).parameters.keys() - {"image", *_METADATA}


def register_pillow() -> None:
    r"""Let Pillow open and save `.fdc` files; to call it again changes nothing.

    `Image.open` gives images of mode L, LA, RGB, RGBA or I;16, with ``info["exif"]``, which starts with ``Exif\0\0`` as
    that of JPEG does, ``info["xmp"]``, ``info["icc_profile"]``, and ``info["dpi"]`` where EXIF states a resolution.
    Pillow's limit of pixels takes the place of `max_pixels`. `Image.draft`, and so `Image.thumbnail`, decodes with
    `reduce` what has no alpha. Where ``ImageFile.LOAD_TRUNCATED_IMAGES`` is set, damaged files are decoded with
    `partial`.

    `Image.save` takes the arguments of `fdcodec.encode`, with `icc_profile` for `icc`, and `exif` as bytes or as an
    `Image.Exif`. It converts the image as `fdcodec.encode` does. `dpi` becomes EXIF; where there is other EXIF, that
    stays as it is, with a ConversionWarning if it states another resolution. Further arguments are ignored, as Pillow's
    formats do; a UserWarning names those that are nearly right. Metadata that the image brings is kept where no
    argument names it, and left out where that is None or empty. Pillow empties an existing file before it asks for a
    new one: a `save` over it that is refused loses it.

    Raises
    ------
    UnidentifiedImageError
        By `Image.open`: not an ``.fdc`` file, or its header or its metadata are damaged.
    OSError
        By `Image.open` and by loading: damage, a newer version, a class model that is not installed, colour of 16 bits,
        which Pillow has no mode for. By `Image.save`: a mode that the format does not hold.
    ValueError
        By `Image.save`: an argument is outside what is allowed.
    """
    Image.register_open(_FORMAT, FdcImageFile, _accept)
    Image.register_decoder(_FORMAT, FdcDecoder)
    Image.register_save(_FORMAT, _save)
    Image.register_extension(_FORMAT, ".fdc")
    Image.register_mime(_FORMAT, "image/x-fdc")


class FdcImageFile(ImageFile.ImageFile):
    """An `.fdc` file that Pillow has opened."""

    format = _FORMAT
    format_description = "FDC image, learned transforms"
    n_frames = 1
    is_animated = False

    def _open(self) -> None:
        assert self.fp is not None
        with _pillow_errors(damage=SyntaxError):
            header, metadata = container.read_front(self.fp)
            self._mode = _mode_of(header)
        self._size = header.width, header.height
        self.info.update(_info_of(metadata))
        self.tile = [ImageFile._Tile(_FORMAT, (0, 0, *self._size), args=(1,))]

    def draft(self, mode: str | None, size: tuple[int, int] | None) -> tuple[str, tuple[int, int, float, float]] | None:
        """Decode to a size that divides the picture's and is not below `size`; the mode stays as it is.

        Images with alpha stay whole: Pillow weights colours by alpha when it resizes them, and `reduce` does not.

        Returns
        -------
        mode, box
            If the size changes: the mode, and where the picture lies in the smaller image.
        """
        if size is None or self.mode in ("LA", "RGBA") or not self.tile or self.tile[0].args != (1,):
            return None
        width, height = self.size
        reduce = int(min(width // max(size[0], 1), height // max(size[1], 1), MAX_REDUCE))
        if reduce < 2:
            return None
        self._size = -(-width // reduce), -(-height // reduce)
        self.tile = [ImageFile._Tile(_FORMAT, (0, 0, *self._size), args=(reduce,))]
        return self.mode, (0, 0, width / reduce, height / reduce)

    def verify(self) -> None:
        """Check what can be checked without decoding, such as the checksums; then the file must be opened again.

        Raises
        ------
        OSError
            The file is damaged, or no longer open, since the image is loaded or verified.
        """
        if self.fp is None:
            raise OSError("verify: the image is loaded or verified already; open it again")
        self.fp.seek(0)
        with _pillow_errors():
            container.read(self.fp.read(), max_pixels=MAX_SIDE**2)
        super().verify()

    def load_seek(self, pos: int) -> None:
        """Go to a position of the file. Because this is here, `ImageFile.Parser` waits for the whole file."""
        assert self.fp is not None
        self.fp.seek(pos)


class FdcDecoder(ImageFile.PyDecoder):
    """Decodes the file of an image into it."""

    _pulls_fd = True

    def decode(self, buffer: Any) -> tuple[int, int]:
        """Decode the whole file; `buffer` is empty, and the result says that nothing more is needed."""
        assert self.fd is not None
        assert self.im is not None
        (reduce,), (width, height), partial = self.args, self.im.size, ImageFile.LOAD_TRUNCATED_IMAGES
        max_pixels = width * height * reduce**2  # as many or a few more than Pillow's guard let through
        with _pillow_errors():
            samples = api.decode(self.fd.read(), max_pixels=max_pixels, partial=partial, reduce=reduce)
        channels = samples.shape[2] if samples.ndim == 3 else 1
        if (samples.shape[1::-1], _MODES.get((channels, 8 * samples.itemsize))) != (self.im.size, self.im.mode):
            raise OSError("the file changed after it was opened; open it again")
        self.set_as_raw(samples.astype(samples.dtype.newbyteorder("<")).tobytes())
        return -1, 0


def _accept(prefix: bytes) -> bool:
    return prefix.startswith((SIGNATURE, COMPACT_SIGNATURE))


def _mode_of(header: container.Header) -> str:
    mode = _MODES.get((header.channels, header.depth))
    if mode is None:
        raise UnsupportedError(
            f"{header.channels} channels of {header.depth} bits: Pillow has no mode for them; use fdcodec.decode"
        )
    return mode


def _info_of(metadata: container.Metadata) -> dict[str, bytes | Resolution]:
    exif = None if metadata.exif is None else EXIF_PREFIX + metadata.exif
    dpi = None if metadata.exif is None else resolution_of(metadata.exif)
    named = {"exif": exif, "xmp": metadata.xmp, "icc_profile": metadata.icc, "dpi": dpi}
    return {name: value for name, value in named.items() if value is not None}


def _save(image: Image.Image, file: IO[bytes], filename: str | bytes) -> None:
    given = image.encoderinfo
    for name, own in _OTHER_NAMES.items():
        if name in given:
            raise ParameterError(f"{name}: this is called {own} here; give that")
    _warn_of_misspelt(given)
    options = {name: given[name] for name in _OPTIONS & given.keys()}
    metadata = {name: _block(given[own]) for name, own in _METADATA.items() if own in given}
    with _pillow_errors(), memory_as_limit():
        picture = as_picture(image, **metadata, lossless=is_true(options.get("lossless")))
        file.write(api.encode(_with_resolution(picture, given.get("dpi")), **options))


def _with_resolution(picture: Picture, dpi: Any) -> Picture:
    """Return a picture whose EXIF states what `save` was given; other EXIF stays, with a warning if it differs."""
    resolution = as_resolution(dpi)
    if resolution is None:
        return picture
    exif = exif_of(resolution)
    if picture.exif is None or is_only_resolution(picture.exif):
        return replace(picture, exif=exif)
    if resolution_of(picture.exif) != resolution_of(exif):
        told = "dpi: left out, as the image has EXIF with another resolution, or none; change that and give it as exif"
        warn_caller(ConversionWarning(told))
    return picture


def _warn_of_misspelt(given: Iterable[str]) -> None:
    """Warn of names that are nearly those of arguments; others may be meant for other formats."""
    names = sorted({*_OPTIONS, *_METADATA.values()})
    for name in given:
        if name not in names and (meant := get_close_matches(name.lower(), names, 1, _NEARLY)):
            warn_caller(f"{name}: ignored; did you mean {meant[0]}? There are {', '.join(names)}")


def _block(given: Any) -> Any:
    """Return what `encode` takes for a metadata argument of `save`; None and empty text leave a block out."""
    if isinstance(given, Image.Exif):
        return given.tobytes()
    return b"" if given is None or given == "" else given


@contextmanager
def _pillow_errors(damage: type[Exception] = OSError) -> Iterator[None]:
    """Raise what Pillow expects instead of our errors; a ParameterError is already a ValueError."""
    try:
        yield
    except ParameterError:
        raise
    except FormatError as error:
        raise damage(str(error)) from error
    except FdcError as error:
        raise OSError(str(error)) from error
