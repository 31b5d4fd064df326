"""fdcodec check."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fdcodec.arguments import checked_threads
from fdcodec.cli import options
from fdcodec.cli.batch import run_jobs
from fdcodec.cli.console import Console
from fdcodec.cli.inputs import find_files, note_on_left_out, note_on_links
from fdcodec.cli.jobs import Job, jobs_of, split_threads
from fdcodec.errors import VerificationError
from fdcodec.words import first_of

if TYPE_CHECKING:
    from fdcodec.cli.originals import Originals
    from fdcodec.image.frames import FrameReader


@click.command()
@options.inputs
@click.option("--structure-only", is_flag=True, help="Compare lengths and checksums; decode nothing.")
@click.option(
    "--against",
    type=options.NonEmptyPath(path_type=Path),
    metavar="IMAGE|DIRECTORY",
    help="Also compare the samples with those of the original; below a directory, with the image of the same name and "
    "place. Exit code 6 if a lossless file differs, or with -r if an image has no file.",
)
@click.option(
    "--min-psnr",
    "least_db",
    type=click.FloatRange(0, 200),
    default=0,
    metavar="DB",
    help="With --against: exit code 6 if a lossy file has a lower PSNR.",
)
@options.decoding
@options.reports
def check(
    inputs: tuple[str, ...],
    recursive: bool,
    structure_only: bool,
    against: Path | None,
    least_db: float,
    transform: str | None,
    as_json: bool,
    quiet: bool,
    threads: int,
    max_pixels: int,
) -> int:
    """Check that .fdc files are intact, that they decode, and that the samples have the hash the file carries."""
    from fdcodec.cli.originals import Originals
    from fdcodec.image.frames import FrameReader
    from fdcodec.model import resolve

    console = Console(as_json=as_json, quiet=quiet)
    files, others = find_files(inputs, (".fdc",), recursive=recursive)
    console.say_if(note_on_links(others))
    jobs = jobs_of(files)
    if against is None and least_db:
        raise click.UsageError("--min-psnr needs an original to compare with; name it with --against")
    if against is not None and structure_only:
        raise click.UsageError("--against compares samples, and --structure-only decodes none; leave one of them out")
    originals = None if against is None else Originals.of(files, against)
    if not structure_only:
        console.announce_compilation("decoding")
    own = None if transform is None else resolve(transform)
    at_once, threads = split_threads(checked_threads(threads), jobs)
    arguments = {"structure_only": structure_only, "own": own, "threads": threads, "max_pixels": max_pixels}
    reader = FrameReader(max_pixels)
    code = run_jobs(jobs, lambda job: _check(job, originals, reader, least_db, **arguments), console, at_once=at_once)
    missing = _report_missing(originals, console) if originals is not None and recursive else 0
    return code or missing


def _report_missing(originals: Originals, console: Console) -> int:
    """Report what no file was made from, images as a failure; return its exit code, 0 if there are none."""
    if in_part := originals.with_one_frame():
        told = f"only one of several frames is in a file: {', '.join(first_of(in_part))}; encode --frames takes all"
        console.note(str(originals.place), told)
    if note := note_on_left_out(originals.others):
        console.note(str(originals.place), note)
    if missing := originals.without_file():
        told = f"no file was checked that was made from {', '.join(first_of(missing))}; encode what is missing"
        console.fail(str(originals.place), told, {"missing": missing})
    return VerificationError.exit_code if missing else 0


def _check(
    job: Job, originals: Originals | None, reader: FrameReader, least_db: float, **options: Any
) -> dict[str, Any]:
    from fdcodec.cli.likeness import compare
    from fdcodec.verification import check_file

    checked, picture, lossless = check_file(job.read(), **options)
    facts: dict[str, Any] = {"checked": checked, "summary": f"{checked} are right"}
    if originals is None or picture is None:
        return facts
    least_db = inf if lossless else least_db
    compared, nearest = compare(picture, originals.originals_of(job.source), reader, least_db)
    originals.images[job.source] = nearest
    if "fault" in compared:
        return {"checked": checked, **compared}
    facts["summary"] += f"; {compared.pop('found')}"
    return facts | compared
