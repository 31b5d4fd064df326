"""Checks of what users pass to the public functions; messages name the argument, its value and what is allowed."""

from __future__ import annotations

import os
from numbers import Integral, Real
from reprlib import repr as shown
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fdcodec.errors import ParameterError
from fdcodec.limits import MAX_SIDE, MIN_TILE_SIZE
from fdcodec.parallel import usable_processors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fdcodec.coding.settings import EncoderSettings
    from fdcodec.model import ClassModel

TUNES = ("psnr", "visual")
"""What an encode can be tuned for."""

LOSSY_ONLY = {"transform": "model", "embed": "embed", "effort": "effort", "sparsity": "sparsity", "tune": "tune"}
"""Arguments of an encode that say nothing about a lossless file, and the setting that each becomes."""

DEFAULT_QUALITY = 75.0
MAX_THREADS = 64
MAX_REDUCE = 64
_RANGES = {"quality": (0.0, 100.0), "psnr_db": (1.0, 120.0), "bpp": (1e-6, 64.0), "size_bytes": (1.0, 1e12)}


class Target(NamedTuple):
    """One of `quality`, `psnr_db`, `bpp`, `size_bytes` or `lossless`, and its value."""

    kind: str
    value: float


def checked_encoding(
    *,
    lossless: Any,
    verify: Any,
    transform: Any,
    embed: Any,
    tune: Any,
    effort: Any,
    threads: Any,
    tile: Any,
    sparsity: Any,
    **targets: Any,
) -> tuple[EncoderSettings, Target]:
    """Return the settings and the target of an encode, from the arguments of `fdcodec.encode` beside the image.

    Raises
    ------
    ParameterError
        An argument is outside what is allowed, more than one target is given, or with `lossless` an argument of
        `LOSSY_ONLY` is not its default.
    """
    from fdcodec.coding.settings import EncoderSettings

    check_flags(verify=verify)
    check_flags_or_auto(lossless=lossless, embed=embed)
    is_lossless = is_true(lossless)
    target = only_target(is_lossless, **targets)
    check_model(transform)
    check_tune(tune)
    check_integers(effort=(effort, 1, 9))
    limits = {"tile": (tile, MIN_TILE_SIZE, MAX_SIDE), "sparsity": (sparsity, 1, MAX_SIDE)}
    check_integers(**{name: limit for name, limit in limits.items() if limit[0] is not None})
    settings = EncoderSettings(
        lossless="auto" if isinstance(lossless, str) else False,
        model=transform,
        embed="auto" if isinstance(embed, str) else bool(embed),
        effort=int(effort),  # of numpy's integers, the narrow and the unsigned ones wrap around
        threads=checked_threads(threads),
        tile=None if tile is None else int(tile),
        sparsity=None if sparsity is None else int(sparsity),
        tune=tune,
        verify=bool(verify),
    )
    if is_lossless:
        defaults = EncoderSettings()
        given = [name for name, own in LOSSY_ONLY.items() if getattr(settings, own) != getattr(defaults, own)]
        refuse_with_lossless(given)
    return settings, target


def not_allowed(argument: str, value: object, allowed: str) -> ParameterError:
    """Return the error of an argument that is outside what is allowed, which `allowed` names."""
    return ParameterError(f"{argument}: {shown(value)} is not allowed; give {allowed}")


def checked_threads(threads: int) -> int:
    """Return a number of threads, for 0 that of the processors; ParameterError if it is none."""
    check_integers(threads=(threads, 0, MAX_THREADS))
    return int(threads) or usable_processors()


def refuse_with_lossless(given: Sequence[str]) -> None:
    """Raise ParameterError if any argument is given together with `lossless` that has no effect then."""
    if given:
        raise ParameterError(
            f"{' and '.join(given)} and lossless were given, but exclude each other; "
            f"leave out {' and '.join(given)} or leave out lossless"
        )


def only_target(lossless: bool, **values: float | None) -> Target:
    """Return the one target that is given; quality 75 where none is.

    Raises
    ------
    ParameterError
        More than one is given, or its value is outside its range.
    """
    given = [Target(kind, value) for kind, value in values.items() if value is not None]
    given += [Target("lossless", 1)] if lossless else []
    if len(given) > 1:
        raise ParameterError(f"{' and '.join(target.kind for target in given)} were given; give only one of them")
    target = given[0] if given else Target("quality", DEFAULT_QUALITY)
    lowest, highest = _RANGES.get(target.kind, (1, 1))
    is_number = isinstance(target.value, Real) and not isinstance(target.value, bool)
    if not (is_number and lowest <= target.value <= highest):
        is_whole = isinstance(target.value, float) and target.value.is_integer()  # as 101 of the command line is
        value = int(target.value) if is_whole else target.value
        raise not_allowed(target.kind, value, f"a number in {lowest:g}..{highest:g}")
    return Target(target.kind, float(target.value))


def check_integers(**values: tuple[Any, int, int]) -> None:
    """Check that each value, given as ``name=(value, lowest, highest)``, is an integer in its range."""
    for name, (value, lowest, highest) in values.items():
        if not (_is_integer(value) and lowest <= int(value) <= highest):
            raise not_allowed(name, value, f"an integer in {lowest}..{highest}")


def check_flags(**values: Any) -> None:
    """Check that each value is True or False."""
    for name, value in values.items():
        if not _is_flag(value):
            raise not_allowed(name, value, "True or False")


def is_true(value: Any) -> bool:
    """Tell whether a flag, or one that may be "auto", is True."""
    return _is_flag(value) and bool(value)


def check_tune(tune: Any) -> None:
    """Check what an encode is tuned for."""
    if not (isinstance(tune, str) and tune in TUNES):
        raise not_allowed("tune", tune, " or ".join(TUNES))


def checked_region(region: Any) -> tuple[int, int, int, int]:
    """Return a region that is four integers; whether it is inside the picture only the file can tell."""
    given = region.tolist() if isinstance(region, np.ndarray) else region
    if not isinstance(given, tuple | list) or len(given) != 4 or not all(map(_is_integer, given)):
        raise not_allowed("region", region, "four integers (x, y, width, height)")
    x, y, width, height = map(int, given)
    return x, y, width, height


def check_flags_or_auto(**values: Any) -> None:
    """Check that each value is True, False or "auto"."""
    for name, value in values.items():
        if not (_is_flag(value) or (isinstance(value, str) and value == "auto")):
            raise not_allowed(name, value, 'True, False or "auto"')


def check_model(model: Any, argument: str = "transform") -> None:
    """Check the type of an argument that says which class model is used."""
    from fdcodec.model import ClassModel

    if not isinstance(model, str | os.PathLike | ClassModel):
        raise not_allowed(argument, model, "a name, a path or a class model")


def resolved(model: Any, argument: str = "transform") -> ClassModel:
    """Return the class model that an argument means, once its type is checked."""
    from fdcodec.model import resolve

    check_model(model, argument)
    return resolve(model, argument)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
