"""fdcodec check."""

from typing import Any

import click

from fdcodec.arguments import checked_threads
from fdcodec.cli import options
from fdcodec.cli.batch import run_jobs
from fdcodec.cli.console import Console
from fdcodec.cli.inputs import find_files
from fdcodec.cli.jobs import Job, jobs_of, split_threads


@click.command()
@options.inputs
@click.option("--structure-only", is_flag=True, help="Compare lengths and checksums; decode nothing.")
@options.decoding
@options.reports
def check(
    inputs: tuple[str, ...],
    recursive: bool,
    structure_only: bool,
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
    if not structure_only:
        console.announce_compilation("decoding")
    own = None if transform is None else resolve(transform)
    at_once, threads = split_threads(checked_threads(threads), jobs)
    arguments = {"structure_only": structure_only, "own": own, "threads": threads, "max_pixels": max_pixels}
    return run_jobs(jobs, lambda job: _check(job, **arguments), console, at_once=at_once)


def _check(job: Job, **options: Any) -> dict[str, Any]:
    from fdcodec.verification import check_file

    checked = check_file(job.read(), **options)
    return {"checked": checked, "summary": f"right: {checked}"}
