"""fdcodec check."""

from __future__ import annotations

from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fdcodec.arguments import checked_threads
from fdcodec.cli import options
from fdcodec.cli.batch import run_jobs
from fdcodec.cli.console import Console
from fdcodec.cli.inputs import find_files
from fdcodec.cli.jobs import Job, jobs_of, split_threads
from fdcodec.errors import FdcError, VerificationError

if TYPE_CHECKING:
    from fdcodec.image.picture import Picture


@click.command()
@options.inputs
@click.option("--structure-only", is_flag=True, help="Compare lengths and checksums; decode nothing.")
@click.option(
    "--against",
    type=options.NonEmptyPath(dir_okay=False, path_type=Path),
    metavar="IMAGE",
    help="Compare the samples of one file with those of its original, too; exit code 6 if a lossless file differs.",
)
@options.decoding
@options.reports
def check(
    inputs: tuple[str, ...],
    recursive: bool,
    structure_only: bool,
    against: Path | None,
    transform: str | None,
    as_json: bool,
    quiet: bool,
    threads: int,
    max_pixels: int,
) -> int:
    """Check that .fdc files are intact, that they decode, and that the samples have the hash the file carries."""
    from fdcodec.model import resolve

    console = Console(as_json=as_json, quiet=quiet)
    jobs = jobs_of(find_files(inputs, (".fdc",), recursive=recursive).inputs)
    if against is not None and (structure_only or len(jobs) > 1):
        raise click.UsageError("--against takes exactly one input and no --structure-only; check others by themselves")
    if not structure_only:
        console.announce_compilation("decoding")
    own = None if transform is None else resolve(transform)
    at_once, threads = split_threads(checked_threads(threads), jobs)
    arguments = {"structure_only": structure_only, "own": own, "threads": threads, "max_pixels": max_pixels}
    return run_jobs(jobs, lambda job: _check(job, against, **arguments), console, at_once=at_once)


def _check(job: Job, against: Path | None, **options: Any) -> dict[str, Any]:
    from fdcodec.verification import check_file

    data = job.read()
    original, notes = (None, ()) if against is None else _read(against, options["max_pixels"])
    try:
        words, psnr_db = check_file(data, original=original, **options)
    except VerificationError as error:
        raise VerificationError("; ".join((str(error), *notes))) from error
    facts: dict[str, Any] = {"checked": words, "summary": f"right: {words}"}
    if psnr_db is not None:
        equal = isinf(psnr_db)
        facts |= {"notes": notes, "equal": equal, "psnr_db": None if equal else round(psnr_db, 2)}
    return facts


def _read(against: Path, max_pixels: int) -> tuple[Picture, tuple[str, ...]]:
    """Return the original, and notes on it; its name begins the message of an error."""
    from fdcodec.image.reading import read_image

    try:
        picture, notes = read_image(against, max_pixels=max_pixels)
    except FdcError as error:
        raise type(error)(f"{against}: {error}") from error
    return picture, tuple(f"{against}: {note}" for note in notes)
