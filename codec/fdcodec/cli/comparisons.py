"""The two comparisons of ``fdcodec compare``, and what the command says of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from fdcodec.cli.console import Console, on_terminal

if TYPE_CHECKING:
    from fdcodec.compare.bd_rate import BDRate
    from fdcodec.compare.records import Comparison
    from fdcodec.compare.subjects import Subject

DURATION = (
    "every codec encodes every image at every quality, about ten seconds per codec for 512x512; fewer --codecs, "
    "--transforms, --qualities or --metrics take less"
)

LOSSLESS_DURATION = "every codec encodes every image once; larger images take longer, of JPEG XL and WebP most"

NO_IMAGES = "none: each image is too small for it, or has a file that is exact"


def compared_with_loss(
    images: Sequence[Path], output: Path, console: Console, no_embed: bool, **choices: Any
) -> tuple[dict[str, Any], list[str]]:
    """Compare at equal quality; return what is said of it as JSON and in lines."""
    from fdcodec.compare import run

    embed: Literal[False, "auto"] = False if no_embed else "auto"
    accepted = partial(_accept, console, DURATION)
    comparison = run.compare(images, output, **choices, embed=embed, accepted=accepted, track=_progress())
    rates = run.bd_rates(comparison)
    return _figures(rates), _lines(rates, comparison)


def compared_without_loss(
    images: Sequence[Path], output: Path, console: Console, names: tuple[str, ...] | None = None, **_of_lossy: Any
) -> tuple[dict[str, Any], list[str]]:
    """Compare lossless files; return what is said of it as JSON and in lines."""
    from fdcodec.compare.lossless import run
    from fdcodec.compare.lossless.codecs import CODECS

    accepted = partial(_accept, console, LOSSLESS_DURATION)
    comparison = run.compare(images, output, names or tuple(CODECS), accepted, _progress())
    anchor, codecs = comparison.anchor, comparison.codecs
    percents = {codec: comparison.size_percent(codec, anchor) for codec in codecs if codec != anchor}
    parts = [
        f"{codecs[codec]} {'has no image in common' if isnan(percent) else f'{percent:+.1f} %'}"
        for codec, percent in percents.items()
    ]
    line = f"bytes against {codecs[anchor]}: {', '.join(parts) or 'there is no other codec'}"
    figures = {codec: None if isnan(percent) else round(percent, 3) for codec, percent in percents.items()}
    return {"anchor": anchor, "size_percent": figures}, [line, *_left_out(comparison.skipped)]


def _accept(console: Console, duration: str, images: Sequence[Subject]) -> None:
    """Say what is lost of the images, and how long it takes."""
    with console.gathered_notes(len(images)):
        for image in images:
            for note in image.notes:
                console.note(image.name, note)
    console.say(duration)


def _figures(rates: dict[str, dict[str, BDRate]]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the BD-rates by measure and codec, None for those that are refused, and the reasons."""
    percents: dict[str, dict[str, Any]] = {measure: {} for measure in rates}
    refused: dict[str, dict[str, Any]] = {measure: {} for measure in rates}
    for measure, by_codec in rates.items():
        for codec, rate in by_codec.items():
            percents[measure][codec] = None if rate.reason else round(rate.percent, 3)
            if rate.reason:
                refused[measure][codec] = rate.reason
    return {"bd_rate_percent": percents, "refused": refused}


def _lines(rates: dict[str, dict[str, BDRate]], comparison: Comparison) -> list[str]:
    """Return the BD-rates, one line per measure, with reasons and advice for those refused, and what was left out."""
    from fdcodec.compare.aggregate import anchor_of

    anchor, lines = comparison.codecs[anchor_of(comparison)], []
    for measure, by_codec in rates.items():
        parts = [
            f"{comparison.codecs[codec]} {f'refused ({rate.reason})' if rate.reason else f'{rate.percent:+.1f} %'}"
            for codec, rate in by_codec.items()
        ]
        lines.append(f"BD-rate against {anchor}, {measure}: {', '.join(parts) or NO_IMAGES}")
    if any(rate.reason for by_codec in rates.values() for rate in by_codec.values()):
        lines.append(
            "if it is refused, give --qualities more values over a wider range, or leave it out: each codec has its own"
        )
    return lines + _left_out(comparison.skipped)


def _left_out(skipped: dict[str, str]) -> list[str]:
    return [f"{label} was left out: it needs {missing}" for label, missing in skipped.items()]


def _progress() -> Callable[..., Iterable[Any]]:
    """Return a wrapper of iterables that shows a bar on standard error if that is a terminal."""
    from rich.console import Console
    from rich.progress import track

    return partial(track, console=Console(stderr=True), transient=True, disable=not on_terminal())
