"""Inputs of several frames, such as pages, and how they are read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from fdcodec.cli.inputs import STREAM, Found
from fdcodec.cli.jobs import Job
from fdcodec.paths import holds

if TYPE_CHECKING:
    from fdcodec.image.reading import Reading


def each_frame(files: Iterable[Found]) -> list[Found]:
    """Return an input for each frame of files that have several, named after the file and its number, and the others.

    Raises
    ------
    click.UsageError
        An input is a stream: it can be read only once, and counting its frames reads it.
    """
    return [frame for file in files for frame in _frames(file)]


def _frames(file: Found) -> list[Found]:
    from fdcodec.image.frames import frame_count

    if file.path == STREAM or holds(file.path.is_fifo):
        raise click.UsageError(f"--frames takes files, and {file.path} is a stream; save it to a file first")
    count = frame_count(file.path)
    if count == 1:
        return [file]
    stem, suffix, digits = file.relative.stem.rstrip("."), file.relative.suffix or ".frame", len(str(count))
    names = (file.relative.with_name(f"{stem}-{k:0{digits}}{suffix}") for k in range(1, count + 1))
    return [Found(file.path, name, frame=k) for k, name in enumerate(names, 1)]


class Pictures:
    """Reads the pictures of jobs; a note on frames that were left out names the option that takes them."""

    def __init__(self) -> None:
        from fdcodec.image.frames import FrameReader

        self._frames = FrameReader()

    def read(self, job: Job, *, lossless: bool = False) -> Reading:
        """Read the picture of a job; raises what `read_image` does."""
        from fdcodec.image.losses import ONLY_FIRST
        from fdcodec.image.reading import Reading, read_image

        if job.frame is not None:
            return self._frames.read(job.source, job.frame - 1, lossless=lossless)
        picture, notes = read_image(job.read(), lossless=lossless)
        told = (f"{note}; --frames takes them all" if note.startswith(ONLY_FIRST) else note for note in notes)
        return Reading(picture, tuple(told))
