"""fdcodec learn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fdcodec.cli import options
from fdcodec.cli.batch import check_model_path, describe_os_error
from fdcodec.cli.console import Console
from fdcodec.cli.frames import Pictures, each_frame
from fdcodec.cli.jobs import Job, find_files, jobs_of
from fdcodec.errors import FdcError
from fdcodec.model import ClassModel
from fdcodec.words import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DURATION = (
    "it takes the longer the more pixels they have: ten megapixels, the most that is used of them, "
    "take about five minutes on two processors"
)


@click.command()
@options.inputs
@click.option("--frames", "all_frames", is_flag=True, help="Learn from every frame or page, not from the first only.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The class model, NAME.fdt; it is found by NAME.",
)
@click.option(
    "--parent",
    default="photo",
    show_default=True,
    shell_complete=options.model_names,
    help="Model to start from: a preset or an .fdt file.",
)
@click.option("-f", "--force", is_flag=True, help="Replace an existing output.")
@click.option("--quiet", is_flag=True, help="Say nothing but errors.")
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

    Images that cannot be read are left out, and the exit code is then 1.
    """
    from fdcodec import api_learn
    from fdcodec.arguments import resolved
    from fdcodec.image.reading import READABLE_SUFFIXES
    from fdcodec.model.embedding import embedding
    from fdcodec.model.registry import check_name

    console = Console(quiet=quiet)
    check_model_path(output, force)
    check_name(output, "output")
    start = resolved(parent, "parent")
    files = find_files(inputs, READABLE_SUFFIXES, recursive=recursive)
    jobs, pictures = jobs_of(each_frame(files) if all_frames else files), Pictures()
    with console.gathered_notes(len(jobs)):
        read = [(job.source, _read(job, pictures, console)) for job in jobs]
    images = [samples for _, samples in read if samples is not None]
    if not images:
        return 1
    console.announce_compilation("learning from")
    console.say(f"learning from {counted(len(images), 'image')}; {DURATION}")
    with console.progress() as progress:
        stacks = [source for source, samples in read if samples is not None]
        model = api_learn.learn(images, parent=start, progress=progress, stacks=stacks)
    model.save(output)
    facts = f"{len(embedding(model, 'auto'))} bytes in each file, {model.hash.hex()[:16]}"
    console.say(f"{output}: learned from {counted(len(images), 'image')}, {facts}")
    console.say(f"{output}: {_describe_worth(model.recipe)}")
    console.say(f"{output}: {_describe_learned(model)}")
    console.say(f"{output}: {_describe_saving(model.recipe)}")
    return int(len(images) < len(jobs))


def _describe_worth(recipe: dict[str, Any]) -> str:
    """Return what the parts of a model save on images held out, and what all do on those that it was learned from."""
    filtered, rotated = recipe["share_saved_by_filter"], recipe["share_saved_by_rotations"]
    if rotated is None:
        return "too few blocks to learn rotations from: they are the parent's; give more or larger images"
    parts = [f"rotations save {rotated:.1%} of the cost of blocks"]
    parts += [] if filtered is None else [f"the filter {filtered:.1%} of the squared error"]
    saved = 1 - recipe["size_bytes_after"] / recipe["size_bytes_before"]
    return (
        f"of what was held out of learning, {', '.join(parts)}; the images that it learned from take {_change(saved)} "
        "than with the parent without learned modes"
    )


def _describe_learned(model: ClassModel) -> str:
    """Return how many learned modes a model has, and what those of each block size save on blocks held out."""
    counts = {str(1 << size): sum(mode.log2_size == size for mode in model.learned) for size in range(2, 5)}
    saved = model.recipe["share_saved_by_learned_modes"]
    notes = {side: f"{saved[side]:.1%}" if side in saved else "the parent's" for side in counts}
    parts = [f"{count} of {side}x{side} ({notes[side]})" for side, count in counts.items() if count]
    return f"learned modes, and the share of the rate they save on blocks held out: {', '.join(parts) or 'none'}"


def _describe_saving(recipe: dict[str, Any]) -> str:
    """Return what images held out take beside the presets, and what to do where these are better."""
    saved = recipe["share_saved_against_presets"]
    if saved is None:
        return "give five images or more to be told what it saves against the presets: one in five is then held out"
    advice = "" if saved > 0 else "; take -t auto, or learn from more images or from another --parent"
    return (
        f"the one image in five that was held out of learning takes {_change(saved)} at equal error than with the "
        f"presets that -t auto takes, the model's own bytes left out{advice}"
    )


def _change(saved: float) -> str:
    return f"{abs(saved):.1%} {'fewer' if saved >= 0 else 'more'} bytes"


def _read(job: Job, pictures: Pictures, console: Console) -> NDArray[np.uint8] | None:
    """Return what is learned from of an image, which of 16 bits is half of it; None of one that cannot be read."""
    from fdcodec.training.training_images import training_samples

    try:
        picture, notes = pictures.read(job)
    except FdcError as error:
        console.fail(job.name, str(error))
    except OSError as error:
        console.fail(job.name, describe_os_error(error))
    else:
        for note in notes:
            console.note(job.name, note)
        return training_samples(picture.samples)
    return None
