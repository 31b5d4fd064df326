"""What a caller may choose: of an encode, and of a decode."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from fdcodec.limits import DEFAULT_MAX_PIXELS

if TYPE_CHECKING:
    from fdcodec.format.parameters import Angles
    from fdcodec.model import ClassModel


def _silent(done: int, total: int) -> None:
    """Show no progress."""


@dataclass(frozen=True)
class EncoderSettings:
    """Settings of one encode, already validated.

    Parameters
    ----------
    quality
        0 (smallest file) to 100 (finest).
    lossless
        Give back every sample exactly; `quality` then means nothing. "auto" leaves it to the search for a target.
    model
        "auto", a preset's name, the path of an ``.fdt`` file, or a class model: the argument `transform` of `encode`.
    embed
        Whether the file carries the model; "auto" embeds what others than presets differ in from their parent.
    effort
        1 (fastest) to 9 (smallest file).
    threads
        Threads over tiles and class models; the bytes do not depend on it.
    tile
        Side of the tiles in pixels; None chooses by the image's size.
    sparsity
        Largest number of coefficients kept in a block (T_s of the paper); None sets no limit.
    verify
        Whether the file is decoded and carries the hash of its samples.
    tune
        "psnr" for the least squared error, "visual" for what the eye sees: coarser steps where a picture is busy.
    colour
        The colour transform, as in the coding parameters; "auto" chooses it.
    thrifty_share
        Share of the trees, the last ones, that are coded with thrift: it fills what lies between two steps.
    progress
        Called with the tiles done and those of the picture, each time that it is encoded.
    """

    quality: float = 75.0
    lossless: bool | Literal["auto"] = False
    model: str | os.PathLike[str] | ClassModel = "auto"
    embed: bool | Literal["auto"] = "auto"
    effort: int = 5
    threads: int = 1
    tile: int | None = None
    sparsity: int | None = None
    verify: bool = False
    tune: Literal["psnr", "visual"] = "psnr"
    thrifty_share: float = 0.0
    colour: Angles | Literal["auto"] | None = "auto"
    progress: Callable[[int, int], None] = _silent


class DecoderSettings(NamedTuple):
    """Settings of all decodes of a file, already validated.

    Parameters
    ----------
    max_pixels
        Larger pictures are refused.
    threads
        Threads over tiles.
    own
        Class model of the caller, for files that name it.
    partial
        Whether of a damaged file what is intact is given.
    """

    max_pixels: int = DEFAULT_MAX_PIXELS
    threads: int = 1
    own: ClassModel | None = None
    partial: bool = False
