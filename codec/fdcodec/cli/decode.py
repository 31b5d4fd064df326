"""fdcodec decode."""

from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from fdcodec.aliases import Region
from fdcodec.arguments import MAX_REDUCE, check_integers, checked_threads
from fdcodec.cli import options
from fdcodec.cli.batch import run_jobs
from fdcodec.cli.console import Console
from fdcodec.cli.inputs import find_files, note_on_links
from fdcodec.cli.jobs import Job, plan_jobs, split_output, split_threads, without_done
from fdcodec.cli.stacks import decode_stack, plan_stack
from fdcodec.coding.settings import DecoderSettings
from fdcodec.decoding import checked_decoding, picture_and_loss
from fdcodec.paths import holds

FORMATS = ("png", "tiff", "jpg", "webp", "ppm", "pgm", "npy")
"""What --format completes: suffixes of outputs, one for each format."""


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
@options.inputs_and_output
@options.outputs
@click.option(
    "--format",
    "suffix",
    shell_complete=options.completing(*FORMATS),
    help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}; png unless the output's name says otherwise.",
)
@click.option(
    "--frames",
    "into_one",
    is_flag=True,
    help="Write all pictures into one file, in the order of the inputs: pages of a TIFF, or a stack in .npy.",
)
@click.option("--region", callback=_region, metavar="X,Y,W,H", help="Decode only this rectangle, in pixels.")
@click.option(
    "--reduce",
    type=int,
    default=1,
    metavar="N",
    help="Divide width and height by N, 1..64: write the mean of each N x N samples.",
)
@click.option("--partial", is_flag=True, help="Of a damaged file, write the tiles that are intact; exit code 5.")
@options.decoding
@options.reports
def decode(
    inputs: tuple[str, ...],
    recursive: bool,
    output: str | None,
    out_dir: str | None,
    force: bool,
    skip_existing: bool,
    suffix: str | None,
    into_one: bool,
    as_json: bool,
    quiet: bool,
    **settings: Any,
) -> int:
    """Decode .fdc files to images: `decode in.fdc out.png`, or many at once.

    An input is a file, - for standard input, or with -r a directory. The suffix of the output decides the format;
    where none is named, --format does.
    """
    from fdcodec.image.writing import SUFFIXES

    inputs, output = split_output(inputs, output, out_dir, _is_output, ", ".join(SUFFIXES))
    suffix = _output_suffix(suffix, output)
    check_integers(reduce=(settings["reduce"], 1, MAX_REDUCE))
    console = Console(as_json=as_json, quiet=quiet)
    files, others = find_files(inputs, (".fdc",), recursive=recursive, out_dir="" if into_one else out_dir)
    console.say_if(note_on_links(others))
    jobs = plan_stack(files, suffix, output, out_dir) if into_one else plan_jobs(files, suffix, output, out_dir)
    if as_json and any(job.writes_stdout for job in jobs):
        raise click.UsageError("--json and the decoded image cannot both go to stdout; name a file with -o")
    several = len(jobs) > 1
    if skip_existing and not (jobs := without_done(jobs, console)):
        return 0
    console.announce_compilation("decoding")
    at_once, settings["threads"] = split_threads(checked_threads(settings["threads"]), jobs)
    region, reduce = settings.pop("region"), settings.pop("reduce")
    work = partial(
        decode_stack if into_one else _decode,
        suffix=suffix,
        settings=checked_decoding(**settings),
        region=region,
        reduce=reduce,
    )
    return run_jobs(jobs, work, console, force=force, at_once=at_once, of_several=several)


def _is_output(last: Path) -> bool:
    """Tell whether the last of several names is the output: it has an image's suffix, or is no file and no .fdc."""
    from fdcodec.image.writing import SUFFIXES

    suffix = last.suffix.lower()
    return suffix in SUFFIXES or (suffix != ".fdc" and str(last) != "-" and not holds(last.exists))


def _output_suffix(name: str | None, output: str | None) -> str:
    """Return the suffix of the format to write, from --format and from -o, which may not contradict each other."""
    from fdcodec.image.writing import SUFFIXES, is_same_format

    given = "." + name.lower().removeprefix(".") if name else None
    own = Path(output).suffix.lower() if output else ""
    for suffix, names in ((given, ["--format"]), (own, ["-o", "--output"])):
        if suffix and suffix not in SUFFIXES:
            raise click.BadParameter(f"{suffix} is not one of {', '.join(SUFFIXES)}", param_hint=names)
    if given and own and not is_same_format(given, own):
        raise click.UsageError(f"--format {name} contradicts -o {output}; give one of them, or make them agree")
    return given or own or ".png"


def _decode(job: Job, suffix: str, settings: DecoderSettings, region: Region | None, reduce: int) -> dict[str, Any]:
    from fdcodec.container import read_header
    from fdcodec.image.georeference import in_place
    from fdcodec.image.writing import image_bytes, refuse_samples

    start, content = perf_counter(), job.read()
    if not settings.partial:
        header = read_header(content)
        refuse_samples(header.channels, header.depth, suffix)  # before anything is compiled
    picture, loss = picture_and_loss(content, settings, region, reduce)
    picture, place_notes = in_place(picture, region, reduce)
    data, notes = image_bytes(picture, suffix)
    job.write(data)
    return {
        "output": str(job.target),
        "width": picture.width,
        "height": picture.height,
        "channels": picture.channels,
        "seconds": round(perf_counter() - start, 3),
        "notes": (*([str(loss)] if loss else []), *place_notes, *notes),
        "not_as_asked": loss is not None,
        "summary": f"{picture.width}x{picture.height} to {job.target}",
    }
