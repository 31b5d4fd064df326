"""fdcodec learn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fdcodec.cli import options
from fdcodec.cli.batch import describe_os_error
from fdcodec.cli.console import Console, on_terminal
from fdcodec.cli.frames import Pictures, each_frame
from fdcodec.cli.inputs import find_files, note_on_left_out
from fdcodec.cli.jobs import Job, jobs_of
from fdcodec.cli.learn_report import report
from fdcodec.cli.outputs import check_model_path
from fdcodec.errors import FdcError
from fdcodec.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from fdcodec.training.training_images import TrainingImage

DURATION = (
    "the time grows with their pixels: ten megapixels, the most that is used, take two to four minutes "
    "on two processors, after compiling"
)


@click.command()
@options.inputs
@click.option("--frames", "all_frames", is_flag=True, help="Learn from every frame or page, not only from the first.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=options.NonEmptyPath(dir_okay=False, path_type=Path),
    help="Class model to write, NAME.fdt; `-t NAME` then names it.",
)
@click.option(
    "--parent",
    default="photo",
    show_default=True,
    shell_complete=options.model_names,
    help="Model to start from: a preset, an .fdt file, or a name in the directories that FDCODEC_MODEL_PATH names.",
)
@click.option("-f", "--force", is_flag=True, help="Replace an existing output.")
@click.option("--quiet", is_flag=True, help="Print only errors.")
def learn(
    inputs: tuple[str, ...],
    recursive: bool,
    all_frames: bool,
    output: Path,
    parent: str,
    force: bool,
    quiet: bool,
) -> int:
    """Learn a class model from images of one kind.

    The middles of at most 2441 images are used. Images that cannot be read are left out; the exit code is then 1.
    """
    from fdcodec import api_learn
    from fdcodec.arguments import resolved
    from fdcodec.image.reading import READABLE_SUFFIXES
    from fdcodec.model.registry import check_name
    from fdcodec.training.training_images import evenly_chosen

    console = Console(quiet=quiet)
    check_model_path(output, force)
    check_name(output, "output")
    start = resolved(parent, "parent")
    files, others = find_files(inputs, READABLE_SUFFIXES, recursive=recursive)
    console.say_if(note_on_left_out(others))
    given, pictures = jobs_of(each_frame(files) if all_frames else files), Pictures()
    jobs = evenly_chosen(given)
    if len(jobs) < len(given):
        console.say(f"note: {len(jobs)} of {len(given)} images are used, evenly chosen; more make no better model")
    images: list[TrainingImage] = []
    stacks: list[Path] = []
    with console.gathered_notes(len(jobs)):
        for job in jobs:
            if (image := _read(job, pictures, console, len(images))) is not None:
                images.append(image)
                stacks.append(job.source)
    if not images:
        return 1
    console.announce_compilation("learning from")
    console.say(f"learning from {counted(len(images), 'image')}; {DURATION}")
    try:
        with console.progress() as progress:
            model = api_learn.learn_from(images, start, _told(progress, console), stacks)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("no model is written, and nothing that was learned is kept") from None
    model.save(output, may_replace=force)
    for line in report(model, output, len(images)):
        console.say(line)
    return int(len(images) < len(jobs))


def _told(progress: Callable[[str, int, int], None], console: Console) -> Callable[[str, int, int], None]:
    """Return progress that also says each stage once, where no bar shows it."""
    said: set[str] = set()

    def show(stage: str, done: int, total: int) -> None:
        progress(stage, done, total)
        if stage not in said and not on_terminal():
            console.say(f"learning: {stage}")
        said.add(stage)

    return show


def _read(job: Job, pictures: Pictures, console: Console, n_before: int) -> TrainingImage | None:
    """Return what is kept of an image to learn from, `n_before` others having been read; None if it cannot be read."""
    from fdcodec.training.training_images import training_image

    try:
        picture, notes = pictures.read(job)
    except FdcError as error:
        console.fail(job.name, str(error))
    except OSError as error:
        console.fail(job.name, describe_os_error(error))
    else:
        for note in notes:
            console.note(job.name, note)
        return training_image(picture.samples, n_before)
    return None
