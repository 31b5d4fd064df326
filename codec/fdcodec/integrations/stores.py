"""Chunks of array stores as images: what the codecs for numcodecs and for zarr have in common."""

import warnings
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from fdcodec import api
from fdcodec.arguments import checked_encoding, resolved
from fdcodec.errors import EmbeddingWarning, LimitError, ParameterError
from fdcodec.limits import DEFAULT_MAX_PIXELS
from fdcodec.model.registry import embedding, is_preset

MAX_CHANNELS = 4


@dataclass(frozen=True, kw_only=True)
class StoreCodec:
    """How the chunks of a store are coded, each as a file of its own.

    Parameters
    ----------
    quality, psnr_db, bpp, size_bytes, lossless, transform, embed, effort, tune
        As for `fdcodec.encode`, for each chunk; `transform` is a string, since stores keep it as JSON. A class model of
        one's own is in each chunk, 4 to 50 kB, unless `embed` is False.

    Raises
    ------
    ParameterError
        An argument is outside what is allowed.
    TransformNotFoundError, FormatError, OSError
        There is no such class model, or its file cannot be read.

    Warns
    -----
    EmbeddingWarning
        A class model of one's own would be in each chunk, and `embed` does not say so.
    """

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
        if not isinstance(self.transform, str):
            raise ParameterError(f"transform: {type(self.transform).__name__} is not a string; give a name or a path")
        checked_encoding(**asdict(self), verify=False, threads=1, tile=None, sparsity=None)
        model = None if self.transform == "auto" else resolved(self.transform)
        if model is not None and self.embed == "auto" and not is_preset(model):
            warning = EmbeddingWarning(
                f"embed: {len(embedding(model, self.embed))} bytes of each chunk are its class model; give embed=False "
                "for readers that have it in a directory that FDCODEC_MODEL_PATH names, or embed=True for all of it"
            )
            warnings.warn(warning, stacklevel=3)

    @classmethod
    def of_store(cls, configuration: dict[str, Any]) -> Self:
        """Return the codec that a store was made with; its class model may be missing here: readers may not need it."""
        codec = cls(**configuration | {"transform": "auto"})
        object.__setattr__(codec, "transform", configuration.get("transform", "auto"))
        return codec

    def encode_chunk(self, chunk: NDArray[Any]) -> bytes:
        """Return the file of a chunk of any shape that `image_shape` takes; raises as `fdcodec.encode` does."""
        return api.encode(chunk.reshape(image_shape(chunk.shape)), **asdict(self))


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
        It has more pixels than `decode` reads by default.
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
    if image[0] * image[1] > DEFAULT_MAX_PIXELS:  # or nothing could read it again
        raise LimitError(f"chunk: shape {shape} is above {DEFAULT_MAX_PIXELS} pixels; choose smaller chunks")
    return image
