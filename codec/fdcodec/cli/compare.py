"""``fdcodec compare``: a rate-distortion report on fdcodec and the other installed codecs."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from fdcodec.arguments import TUNES, refuse_with_lossless
from fdcodec.cli.console import Console, write_line
from fdcodec.cli.options import NonEmptyPath, completing, is_given, listed_model_names
from fdcodec.compare import INSTALL
from fdcodec.errors import ParameterError, UnsupportedError
from fdcodec.words import first_of

NEEDED = ("scipy", "matplotlib")
CODECS = ("jpeg420", "jpeg444", "webp", "jp2", "avif420", "avif444", "jxl", "fdc")
LOSSLESS_CODECS = ("png", "webp", "jp2", "jls", "jxl", "fdc")
METRICS = ("psnr", "ms-ssim", "ssimulacra2")
"""What may be chosen, here because `fdcodec.compare` takes time to import."""

LOSSY_ONLY = ("transforms", "no_embed", "tune", "qualities", "gray", "metrics")
"""Parameters that say nothing of lossless coding."""


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
    from fdcodec.cli.comparisons import compared_with_loss, compared_without_loss
    from fdcodec.compare.subjects import passed_over

    console = Console()
    console.announce_compilation("comparing")
    if names := passed_over(images):
        console.say(f"note: not compared, as they are not lossless images: {', '.join(first_of(names))}")
    compared = compared_without_loss if lossless else compared_with_loss
    figures, lines = compared(images, output, console, **{name: v for name, v in choices.items() if v is not None})
    page = str(output / "index.html")
    for line in [json.dumps(figures | {"report": page}, indent=1)] if as_json else [*lines, page]:
        write_line(line)
