"""Several files decoded into one, as its pages or frames: the way back from `encode --frames`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from fdcodec.cli.inputs import Found
from fdcodec.cli.jobs import Job, jobs_of, refuse_terminal
from fdcodec.coding.settings import DecoderSettings
from fdcodec.decoding import picture_and_loss
from fdcodec.errors import FdcError
from fdcodec.parallel import each
from fdcodec.paths import holds
from fdcodec.words import counted

if TYPE_CHECKING:
    from fdcodec.aliases import Region
    from fdcodec.errors import PartialWarning
    from fdcodec.image.picture import Picture


@dataclass(frozen=True)
class StackJob(Job):
    """Inputs whose pictures go into one output, which gives the job its name."""

    inputs: tuple[Job, ...] = ()

    @property
    def name(self) -> str:
        """What is made."""
        return str(self.target)

    @property
    def place(self) -> dict[str, Any]:
        """What JSON has as the input: all of them."""
        return {"input": [job.name for job in self.inputs]}


def plan_stack(files: Sequence[Found], suffix: str, output: str | None, out_dir: str | None) -> list[Job]:
    """Return the one job of all inputs.

    Raises
    ------
    click.UsageError
        The output is not named, holds one picture only, or is an input or a terminal.
    """
    from fdcodec.image.stacks import STACK_SUFFIXES

    if output is None or out_dir is not None:
        raise click.UsageError("--frames writes one file; name it with -o, such as -o stack.tif, without --out-dir")
    if suffix not in STACK_SUFFIXES:
        raise click.UsageError(f"{suffix} holds one picture; --frames writes {', '.join(STACK_SUFFIXES)}")
    target = Path(output)
    if holds(target.exists) and any(holds(file.path.exists) and file.path.samefile(target) for file in files):
        raise click.UsageError(f"{target} is one of the inputs; name another output")
    jobs: list[Job] = [StackJob(files[0].path, target, is_named=True, inputs=tuple(jobs_of(files)))]
    refuse_terminal(jobs)
    return jobs


def decode_stack(
    job: StackJob, suffix: str, settings: DecoderSettings, region: Region | None, reduce: int
) -> dict[str, Any]:
    """Decode all inputs, several at a time, and write their pictures in order; nothing is written if one fails."""
    from fdcodec.image.georeference import in_place
    from fdcodec.image.stacks import stack_bytes

    start, losses, place_notes, count = perf_counter(), list[str](), list[str](), len(job.inputs)
    at_once = min(settings.threads, count)
    own_settings = settings._replace(threads=settings.threads // at_once)

    def pictures() -> Iterator[Picture]:
        decoded = each(lambda one: _decoded(one, own_settings, region, reduce), job.inputs, at_once, at_once)
        for one, (picture, loss) in zip(job.inputs, decoded, strict=True):
            losses.extend([f"{one.name}: {loss}"] if loss else [])
            picture, told = in_place(picture, region, reduce)
            place_notes.extend(f"{one.name}: {note}" for note in told)
            yield picture

    data, notes = stack_bytes(pictures(), suffix)
    job.write(data)
    return {
        "output": str(job.target),
        "frames": count,
        "seconds": round(perf_counter() - start, 3),
        "notes": (*losses, *place_notes, *notes),
        "not_as_asked": bool(losses),
        "summary": f"{counted(count, 'picture')} in one file",
    }


def _decoded(
    job: Job, settings: DecoderSettings, region: Region | None, reduce: int
) -> tuple[Picture, PartialWarning | None]:
    """Decode one input; its name begins the message of an error."""
    try:
        return picture_and_loss(job.read(), settings, region, reduce)
    except FdcError as error:
        raise type(error)(f"{job.name}: {error}") from error
