"""fdcodec decode."""

from time import perf_counter
from typing import Any

import click

from fdcodec.cli import options
from fdcodec.cli.batch import STREAM, Job, find_files, plan_jobs, run_jobs
from fdcodec.cli.console import Console

Region = tuple[int, int, int, int]


def _region(context: click.Context, parameter: click.Parameter, value: str | None) -> Region | None:
    """Return the rectangle of ``X,Y,WIDTH,HEIGHT``."""
    if value is None:
        return None
    try:
        x, y, width, height = (int(part) for part in value.split(","))
    except ValueError:
        raise click.BadParameter(f"{value!r} is not four integers X,Y,WIDTH,HEIGHT", context, parameter) from None
    return x, y, width, height


@click.command()
@options.inputs
@options.outputs
@click.option("--format", "suffix", default="png", show_default=True, help="png, tiff, jpg, webp, ppm, pgm or npy.")
@click.option("--region", callback=_region, metavar="X,Y,W,H", help="Decode only this rectangle, in pixels.")
@options.max_pixels
@options.reports
def decode(
    inputs: tuple[str, ...],
    recursive: bool,
    output: str | None,
    out_dir: str | None,
    force: bool,
    suffix: str,
    region: Region | None,
    max_pixels: int,
    as_json: bool,
    quiet: bool,
) -> int:
    """Decode .fdc files to images.

    The suffix of -o decides the format; elsewhere --format does.
    """
    from fdcodec.image.writing import SUFFIXES

    suffix = "." + suffix.lower().removeprefix(".")
    if suffix not in SUFFIXES:
        raise click.BadParameter(f"{suffix} is not one of {', '.join(SUFFIXES)}", param_hint="--format")
    console = Console(as_json=as_json, quiet=quiet)
    jobs = plan_jobs(find_files(inputs, (".fdc",), recursive=recursive), suffix, output, out_dir)
    if as_json and any(job.target == STREAM for job in jobs):
        raise click.UsageError("--json and the decoded image cannot both go to stdout; add -o")
    console.announce_compilation()
    return run_jobs(jobs, lambda job: _decode(job, suffix, region, max_pixels), console, force=force)


def _decode(job: Job, suffix: str, region: Region | None, max_pixels: int) -> dict[str, Any]:
    from fdcodec import api
    from fdcodec.image.writing import image_bytes

    start = perf_counter()
    picture = api.decode_picture(job.read(), region, max_pixels=max_pixels)
    data, notes = image_bytes(picture, suffix if job.target == STREAM else job.target.suffix)
    job.write(data)
    return {
        "output": str(job.target),
        "width": picture.width,
        "height": picture.height,
        "channels": picture.channels,
        "seconds": round(perf_counter() - start, 3),
        "notes": notes,
        "summary": f"{picture.width}x{picture.height} to {job.target}",
    }
