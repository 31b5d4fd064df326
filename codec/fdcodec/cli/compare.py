"""``fdcodec compare``: a rate-distortion report on fdcodec and the other installed codecs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from fdcodec.arguments import TUNES, refuse_with_lossless
from fdcodec.cli.console import Console, on_terminal, write_line
from fdcodec.cli.options import NonEmptyPath, completing, is_given, listed_model_names
from fdcodec.compare import INSTALL
from fdcodec.errors import ParameterError, UnsupportedError
from fdcodec.words import first_of

if TYPE_CHECKING:
    from fdcodec.compare.bd_rate import BDRate
    from fdcodec.compare.records import Comparison
    from fdcodec.compare.subjects import Subject

NEEDED = ("scipy", "matplotlib")
CODECS = ("jpeg420", "jpeg444", "webp", "jp2", "avif420", "avif444", "jxl", "fdc")
LOSSLESS_CODECS = ("png", "webp", "jp2", "jls", "jxl", "fdc")
METRICS = ("psnr", "ms-ssim", "ssimulacra2")
"""What may be chosen, here because `fdcodec.compare` takes time to import."""

LOSSY_ONLY = ("transforms", "no_embed", "tune", "qualities", "gray", "metrics")
"""Parameters that say nothing of lossless coding."""

DURATION = (
    "every codec encodes every image at every quality, about ten seconds per codec for 512x512; fewer --codecs, "
    "--transforms, --qualities or --metrics take less"
)

LOSSLESS_DURATION = "every codec encodes every image once; larger images take longer, of JPEG XL and WebP most"

NO_IMAGES = "none: each image is too small for it, or has a file that is exact"


def _numbers(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[float, ...] | None:
    """Return numbers 0 to 100 that are separated by commas, in order."""
    if value is None:
        return None
    try:
        numbers = tuple(sorted(float(part) for part in value.split(",")))
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a list of numbers such as 20,40,60,80") from None
    if not all(0 <= number <= 100 for number in numbers):
        raise click.BadParameter(f"{value!r} has a quality outside 0 to 100")
    return numbers


def _names(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """Return names that are separated by commas, at least one."""
    if value is None:
        return None
    names = tuple(part.strip() for part in value.split(",") if part.strip())
    if not names:
        raise click.BadParameter(f"{value!r} has no name in it")
    return names


@click.command()
@click.argument("images", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "-o", "--output", required=True, type=NonEmptyPath(file_okay=False, path_type=Path), help="Report folder."
)
@click.option(
    "--codecs",
    "names",
    metavar="NAMES",
    callback=_names,
    shell_complete=completing(*dict.fromkeys(CODECS + LOSSLESS_CODECS)),
    help=f"Some of {', '.join(CODECS)}, joined by commas; with --lossless of {', '.join(LOSSLESS_CODECS)} "
    "[all that are installed].",
)
@click.option("--lossless", is_flag=True, help="Compare the sizes of lossless files.")
@click.option(
    "-t",
    "--transforms",
    metavar="NAMES",
    callback=_names,
    default="auto,dct",
    shell_complete=listed_model_names,
    show_default=True,
    help="Class models of fdcodec, names or paths, joined by commas; each counts as a codec.",
)
@click.option(
    "--no-embed",
    is_flag=True,
    help="Do not count class models of your own: fdcodec files only name them.",
)
@click.option(
    "--tune", type=click.Choice(TUNES), default="psnr", show_default=True, help="Tuning of fdcodec files, as in encode."
)
@click.option(
    "--qualities",
    metavar="NUMBERS",
    callback=_numbers,
    help="Four or more over a wide range, such as 1,5,10,20,40,60,80,90,97,99, instead of each codec's own.",
)
@click.option("--gray", is_flag=True, help="Reduce colour images to gray.")
@click.option(
    "--metrics",
    metavar="NAMES",
    callback=_names,
    shell_complete=completing(*METRICS),
    help=f"Some of {', '.join(METRICS)}, joined by commas [all that are installed].",
)
@click.option("-f", "--force", is_flag=True, help="Write into a folder that is not empty.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def compare(images: tuple[Path, ...], output: Path, force: bool, as_json: bool, lossless: bool, **choices: Any) -> None:
    """Compare codecs on IMAGES (files, or folders of lossless images) and write a report to read in a browser."""
    absent = [package for package in NEEDED if find_spec(package) is None]
    if absent:
        raise UnsupportedError(f"compare needs {' and '.join(absent)}; {INSTALL}")
    if output.exists() and any(output.iterdir()) and not force:
        raise ParameterError(f"output: {output} is not empty; choose another folder, or add --force")
    if lossless:
        refuse_with_lossless([name for name in LOSSY_ONLY if is_given(name)])
    from fdcodec.compare.subjects import passed_over

    console = Console()
    console.announce_compilation("comparing")
    if names := passed_over(images):
        console.say(f"note: not compared, as they are not lossless images: {', '.join(first_of(names))}")
    compared = _compared_exactly if lossless else _compared
    figures, lines = compared(images, output, console, **{name: v for name, v in choices.items() if v is not None})
    page = str(output / "index.html")
    for line in [json.dumps(figures | {"report": page}, indent=1)] if as_json else [*lines, page]:
        write_line(line)


def _compared(
    images: Sequence[Path], output: Path, console: Console, no_embed: bool, **choices: Any
) -> tuple[dict[str, Any], list[str]]:
    """Compare at equal quality; return what is said of it as JSON and in lines."""
    from fdcodec.compare import run

    embed: Literal[False, "auto"] = False if no_embed else "auto"
    accepted = partial(_accept, console, DURATION)
    comparison = run.compare(images, output, **choices, embed=embed, accepted=accepted, track=_progress())
    rates = run.bd_rates(comparison)
    return _figures(rates), _lines(rates, comparison)


def _compared_exactly(
    images: Sequence[Path], output: Path, console: Console, names: tuple[str, ...] = LOSSLESS_CODECS, **_lossy: Any
) -> tuple[dict[str, Any], list[str]]:
    """Compare lossless files; return what is said of it as JSON and in lines."""
    from fdcodec.compare.lossless import run

    accepted = partial(_accept, console, LOSSLESS_DURATION)
    comparison = run.compare(images, output, names, accepted, _progress())
    anchor, codecs = comparison.anchor, comparison.codecs
    percents = {codec: comparison.size_percent(codec, anchor) for codec in codecs if codec != anchor}
    known = {codec: round(percent, 3) for codec, percent in percents.items() if isfinite(percent)}
    parts = [f"{codecs[codec]} {percent:+.1f} %" for codec, percent in known.items()]
    line = f"bytes against {codecs[anchor]}: {', '.join(parts) or 'no image is taken by both'}"
    return {"anchor": anchor, "size_percent": known}, [line, *_left_out(comparison.skipped)]


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
