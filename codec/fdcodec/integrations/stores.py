"""Chunks of array stores as images: what the codecs for numcodecs and for zarr have in common."""

from dataclasses import asdict, dataclass, fields, replace
from reprlib import repr as shown
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from fdcodec import api
from fdcodec.aliases import Samples
from fdcodec.arguments import Target, checked_encoding, resolved
from fdcodec.coding.settings import EncoderSettings
from fdcodec.errors import (
    EmbeddingWarning,
    LimitError,
    ParameterError,
    TransformNotFoundError,
    memory_as_limit,
    warn_caller,
)
from fdcodec.image.picture import MAX_CHANNELS
from fdcodec.limits import DEFAULT_MAX_PIXELS, MAX_SIDE
from fdcodec.model import ClassModel
from fdcodec.model.embedding import absence, embedding
from fdcodec.model.registry import is_preset


@dataclass(frozen=True, kw_only=True)
class StoreCodec:
    """How the chunks of a store are coded, each as its own file.

    Parameters
    ----------
    quality, psnr_db, bpp, size_bytes, lossless, transform, embed, effort, tune
        As for `fdcodec.encode`, for each chunk, but that no chunk is exact without `lossless`, which labels and masks
        need. `transform` is a string, since stores keep it as JSON. A class model of your own is in each chunk, 4 to
        50 kB, unless `embed` is False. This codec then reads chunks with the model that it was made with or writes
        with. A codec that was read from a store opens no path that the store names; to read, it uses the models of
        FDCODEC_MODEL_PATH.

    Raises
    ------
    ParameterError
        An argument is outside what is allowed.
    TransformNotFoundError, FormatError, OSError
        There is no such class model, or its file cannot be read.

    Warns
    -----
    EmbeddingWarning
        A class model of your own would be in each chunk although `embed` does not say so; or `embed` is False, and the
        model is not where readers would find it.
    """

    _model: ClassVar[ClassModel | None] = None  # of a codec, the one that it was made with

    quality: float | None = None
    psnr_db: float | None = None
    bpp: float | None = None
    size_bytes: int | None = None
    lossless: bool = False
    transform: str = "auto"
    embed: bool | Literal["auto"] = "auto"
    effort: int = 5
    tune: Literal["psnr", "visual"] = "psnr"

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if isinstance(value, np.generic):
                object.__setattr__(self, name, value.item())  # or JSON does not take it
        self._checked_arguments()
        self._take_model()

    def _checked_arguments(self) -> tuple[EncoderSettings, Target]:
        """Return the settings and the target of chunks."""
        if not isinstance(self.transform, str):
            raise ParameterError(f"transform: {type(self.transform).__name__} is not a string; give a name or a path")
        return checked_encoding(**asdict(self), verify=False, threads=1, tile=None, sparsity=None)

    def _take_model(self) -> None:
        """Keep the model for writing, and warn of what readers need."""
        if self.transform != "auto" and self._model is None:
            model = resolved(self.transform)
            object.__setattr__(self, "_model", model)
            if told := _warning(model, self.transform, self.embed):
                warn_caller(EmbeddingWarning(told))

    @classmethod
    def of_store(cls, configuration: Any) -> Self:
        """Return the codec of a store; its class model may be missing here, as readers may not need it."""
        if not isinstance(configuration, dict):
            raise ParameterError(f"configuration: {shown(configuration)} is no object; the store's metadata are wrong")
        known = [field.name for field in fields(cls)]
        if unknown := [name for name in configuration if name not in known]:
            raise ParameterError(
                f"configuration: {shown(unknown[0])} is not one of {', '.join(known)}; the store's metadata are wrong, "
                "or for a later version of fdcodec"
            )
        codec = cls(**configuration | {"transform": "auto"})
        object.__setattr__(codec, "transform", configuration.get("transform", "auto"))
        codec._checked_arguments()
        return codec

    def encode_chunk(self, chunk: NDArray[Any]) -> bytes:
        """Return the file of a chunk, of any shape that `image_shape` takes; raises as `fdcodec.encode` does."""
        from fdcodec.image.arrays import as_picture
        from fdcodec.targets import encode_to_target

        try:
            self._take_model()  # of a codec that a store was made with
        except TransformNotFoundError as error:
            raise TransformNotFoundError(
                f"{error}; the store is written with transform={self.transform!r}, where a relative path counts from "
                "the current directory"
            ) from None
        settings, target = self._checked_arguments()
        settings = replace(settings, model=self._model or self.transform)
        with memory_as_limit():
            encoded = encode_to_target(as_picture(chunk.reshape(image_shape(chunk.shape))), settings, target)
        if encoded.miss is not None:
            warn_caller(encoded.miss)
        return encoded.data

    def decode_chunk(self, data: bytes, max_pixels: int = DEFAULT_MAX_PIXELS) -> Samples:
        """Return the image of a file; raises as `fdcodec.decode` does."""
        try:
            return api.decode(data, max_pixels=max_pixels, transform=self._model)
        except TransformNotFoundError as error:
            raise TransformNotFoundError(
                f"{error}; a store looks only in FDCODEC_MODEL_PATH, and its chunks were written with "
                f"transform={self.transform!r}"
            ) from None


def _warning(model: ClassModel, transform: str, embed: bool | Literal["auto"]) -> str:
    """Return what to know about the class model of chunks; empty if there is nothing."""
    if embed == "auto" and not is_preset(model):
        return (
            f"embed: {len(embedding(model, embed))} bytes of each chunk are its class model; give embed=False "
            "for readers that have it in a directory that FDCODEC_MODEL_PATH names, or embed=True for all of it"
        )
    return absence(transform, "these chunks") if embed is False else ""


def image_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of the image that a chunk is: its own, without leading axes of length 1.

    Parameters
    ----------
    shape
        ``(height, width)`` or ``(height, width, 1..4)``, or one of these after any number of axes of length 1.

    Raises
    ------
    ParameterError
        The shape is none of these.
    LimitError
        It has more pixels than `decode` reads by default, or a side that no file has.
    """
    image = shape
    while len(image) > 3 and image[0] == 1:
        image = image[1:]
    if len(image) == 3 and image[0] == 1 and image[2] > MAX_CHANNELS:
        image = image[1:]
    if not (len(image) == 2 or (len(image) == 3 and image[2] <= MAX_CHANNELS)):
        raise ParameterError(
            f"chunk: shape {shape} is not (height, width) or (height, width, 1..4) after axes of length 1; "
            "choose other chunks"
        )
    if image[0] * image[1] > DEFAULT_MAX_PIXELS or max(image[:2]) > MAX_SIDE:  # or nothing could read it again
        raise LimitError(
            f"chunk: shape {shape} is above {DEFAULT_MAX_PIXELS} pixels, or {MAX_SIDE} a side; choose smaller chunks"
        )
    return image
