"""fdcodec check."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fdcodec.arguments import checked_threads
from fdcodec.cli import options
from fdcodec.cli.batch import run_jobs
from fdcodec.cli.console import Console
from fdcodec.cli.inputs import STREAM, find_files, note_on_links
from fdcodec.cli.jobs import Job, jobs_of, split_threads


@click.command()
@options.inputs
@click.option("--structure-only", is_flag=True, help="Compare lengths and checksums; decode nothing.")
@click.option(
    "--against",
    type=options.NonEmptyPath(dir_okay=False, path_type=Path),
    metavar="IMAGE",
    help="Compare the samples of one file with those of its original, too, of several frames with each. "
    "Exit code 6 if a lossless file differs.",
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
    files, others = find_files(inputs, (".fdc",), recursive=recursive)
    console.say_if(note_on_links(others))
    jobs = jobs_of(files)
    if against is not None and (structure_only or len(jobs) > 1):
        raise click.UsageError("--against takes exactly one input and no --structure-only; check others by themselves")
    if against == STREAM:
        raise click.UsageError("--against takes a file, and - is standard input; save the original to a file first")
    if not structure_only:
        console.announce_compilation("decoding")
    own = None if transform is None else resolve(transform)
    at_once, threads = split_threads(checked_threads(threads), jobs)
    arguments = {"structure_only": structure_only, "own": own, "threads": threads, "max_pixels": max_pixels}
    return run_jobs(jobs, lambda job: _check(job, against, **arguments), console, at_once=at_once)


def _check(job: Job, against: Path | None, **options: Any) -> dict[str, Any]:
    from fdcodec.cli.originals import compare
    from fdcodec.verification import check_file

    checked, picture, lossless = check_file(job.read(), **options)
    facts: dict[str, Any] = {"checked": checked, "summary": f"{checked} are right"}
    if against is None or picture is None:
        return facts
    compared = compare(picture, against, options["max_pixels"], lossless=lossless)
    if "fault" in compared:
        return {"checked": checked, **compared}
    facts["summary"] += f"; {compared.pop('found')}"
    return facts | compared
