"""fdcodec encode."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from fdcodec.arguments import LOSSY_ONLY, TUNES, Target, checked_encoding, refuse_with_lossless
from fdcodec.cli import options
from fdcodec.cli.batch import run_jobs
from fdcodec.cli.console import Console
from fdcodec.cli.frames import Pictures, each_frame
from fdcodec.cli.inputs import find_files, note_on_left_out
from fdcodec.cli.jobs import Job, plan_jobs, split_output, split_threads, without_done
from fdcodec.limits import MAX_SIDE, MIN_TILE_SIZE

if TYPE_CHECKING:
    from fdcodec.coding.settings import EncoderSettings

_METADATA = ("exif", "xmp", "icc")


def _metadata_names(context: click.Context, parameter: click.Parameter, value: str) -> frozenset[str]:
    """Return the names of the blocks to keep: `all`, `none`, or some of exif, xmp and icc, joined by commas."""
    names = frozenset({"all": _METADATA, "none": ()}.get(value, value.split(",")))
    if not names <= set(_METADATA):
        raise click.BadParameter(f"{value!r} is not all, none, or some of {','.join(_METADATA)}", context, parameter)
    return names


@click.command()
@options.inputs_and_output
@options.outputs
@click.option(
    "--frames", "all_frames", is_flag=True, help="Encode every frame or page: a.tif gives a-1.fdc, a-2.fdc and so on."
)
@click.option("-q", "--quality", type=float, help="0 (smallest) to 100 (finest); 75 if no target is given.")
@click.option(
    "--psnr",
    "psnr_db",
    type=float,
    help="PSNR to reach within 0.1 dB, 1 to 120; the peak is 255, or 65535 for 16 bits. Exit code 5 if no file has it.",
)
@click.option("--bpp", type=float, help="Largest size in bits per pixel, up to 64; exit code 5 if no file is so small.")
@click.option(
    "--size",
    "size_bytes",
    metavar="BYTES",
    callback=options.byte_count,
    help="Largest size, such as 40000, 40k or 1.5M; k is 1000 bytes. Exit code 5 if no file is so small.",
)
@click.option(
    "--lossless/--no-lossless",
    default=None,
    help="Keep every sample exactly, or never. By default drawn images are kept so where that takes no more bytes.",
)
@click.option(
    "-t",
    "--transform",
    default="auto",
    show_default=True,
    shell_complete=options.model_names,
    help="auto, a name that `fdcodec transforms` lists, or the path of an .fdt file. The list includes the models in "
    "the directories that FDCODEC_MODEL_PATH names.",
)
@click.option(
    "--embed/--no-embed",
    default=None,
    help="Put the whole class model into the file, or only its hash. By default a preset is named by its hash, and "
    "another model is stored as its difference from a preset.",
)
@click.option("-e", "--effort", type=int, default=5, show_default=True, help="1 (fastest) to 9 (smallest file).")
@options.threads
@click.option(
    "--tile",
    type=int,
    help=f"Side of the tiles, {MIN_TILE_SIZE} to {MAX_SIDE} pixels; each decodes alone. The default is by image size.",
)
@click.option("--sparsity", type=int, help="Most coefficients kept in a block; no limit by default.")
@click.option(
    "--tune",
    type=click.Choice(TUNES),
    default="psnr",
    show_default=True,
    help="visual: finer steps where errors are visible, coarser ones where the image hides them.",
)
@click.option(
    "--metadata",
    default="all",
    show_default=True,
    callback=_metadata_names,
    shell_complete=options.completing("all", "none", *_METADATA),
    help="What to store: all, none, or some of exif,xmp,icc, joined by commas.",
)
@click.option("--verify", is_flag=True, help="Decode the result, and store a hash of its samples for `check`.")
@options.reports
def encode(
    inputs: tuple[str, ...],
    recursive: bool,
    output: str | None,
    out_dir: str | None,
    force: bool,
    skip_existing: bool,
    all_frames: bool,
    metadata: frozenset[str],
    embed: bool | None,
    lossless: bool | None,
    as_json: bool,
    quiet: bool,
    **settings: Any,
) -> int:
    """Encode images to .fdc files: `encode in.png out.fdc`, or many at once, each beside its input or in --out-dir.

    An input is a file, - for standard input, or with -r a directory.
    """
    from fdcodec.cli.hints import note_on_deep, note_on_exact, note_on_models, tell_of_model
    from fdcodec.image.reading import READABLE_SUFFIXES
    from fdcodec.model import resolve

    inputs, output = split_output(inputs, output, out_dir, lambda last: last.suffix.lower() == ".fdc", ".fdc")
    if output is not None:
        _check_suffix(Path(f"_{Path(output).name}").suffix.lower())  # of ".png" pathlib says that it has none
    console = Console(as_json=as_json, quiet=quiet)
    files, others = find_files(inputs, READABLE_SUFFIXES, recursive=recursive, out_dir=out_dir)
    console.say_if(note_on_left_out(others))
    jobs = plan_jobs(each_frame(files) if all_frames else files, ".fdc", output, out_dir)
    if as_json and any(job.writes_stdout for job in jobs):
        raise click.UsageError("--json and the encoded file cannot both go to stdout; name a file with -o")
    settings |= {"embed": "auto" if embed is None else embed, "lossless": "auto" if lossless is None else lossless}
    if lossless:
        refuse_with_lossless([name for name in LOSSY_ONLY if options.is_given(name)])
    encoding, target = checked_encoding(**settings)  # here, and not once for each input
    several = len(jobs) > 1
    if skip_existing and not (jobs := without_done(jobs, console)):
        return 0
    if settings["transform"] != "auto" and (force or not all(job.is_done() for job in jobs)):
        model = resolve(settings["transform"])  # here, and not once for each input
        tell_of_model(model, settings["transform"], embed, console)
        encoding = replace(encoding, model=model)
    console.announce_compilation("encoding")
    left_out = {name: b"" for name in _METADATA if name not in metadata}
    at_once, threads = split_threads(encoding.threads, jobs)
    encoding = replace(encoding, threads=threads)
    with console.progress() as show:
        if len(jobs) == 1:
            encoding = replace(encoding, progress=partial(show, "tiles"))
        made, pictures = list[dict[str, Any]](), Pictures()

        def work(job: Job) -> dict[str, Any]:
            facts = _encode(job, pictures=pictures, settings=encoding, target=target, left_out=left_out)
            made.append(facts)
            return facts

        code = run_jobs(jobs, work, console, force=force, at_once=at_once, of_several=several)
    if settings["transform"] == "auto":
        console.say_if(note_on_models(made))
    if not lossless:
        console.say_if(note_on_exact(made))
    if target.kind == "quality" and settings["quality"] is None:
        console.say_if(note_on_deep(made))
    return code


def _check_suffix(suffix: str) -> None:
    """Raise an error if an output has the suffix of another image format, as for a decode, or that of class models."""
    from PIL import Image

    from fdcodec.model.registry import SUFFIX

    is_image = suffix == ".npy" or (suffix != ".fdc" and Image.registered_extensions().get(suffix) in Image.SAVE)
    if is_image or suffix == SUFFIX:
        raise click.BadParameter(
            f"encode writes .fdc, and {suffix} is the suffix of another format; end the name in .fdc"
            + (f", or decode to {suffix}" if is_image else ""),
            param_hint=["-o", "--output"],
        )


def _encode(
    job: Job, pictures: Pictures, settings: EncoderSettings, target: Target, left_out: dict[str, Any]
) -> dict[str, Any]:
    from fdcodec import container
    from fdcodec.cli.hints import hint, told_miss
    from fdcodec.image.arrays import as_picture
    from fdcodec.inspection import facts_of
    from fdcodec.targets import encode_to_target

    start = perf_counter()
    picture, notes = pictures.read(job, lossless=target.kind == "lossless")
    data, psnr_db, miss = encode_to_target(as_picture(picture, **left_out), settings, target)
    job.write(data)
    bpp = 8 * len(data) / (picture.width * picture.height)
    file = container.read(data, max_pixels=picture.width * picture.height)
    own = facts_of(file, data)
    is_exact = file.header.lossless or psnr_db == inf
    hinted = "" if is_exact else hint(file, len(data), settings, target, miss, picture.samples)
    notes = (*notes, told_miss(miss, target, bpp), hinted)
    return {
        "output": str(job.target),
        "width": picture.width,
        "height": picture.height,
        "channels": picture.channels,
        "bytes": len(data),
        "bpp": round(bpp, 4),
        **{name: own[name] for name in ("depth_bits", "lossless", "quality", "transform_name", "pixel_hash")},
        "exact": is_exact,
        "psnr_db": None if psnr_db is None or is_exact else round(psnr_db, 2),  # JSON has no infinity
        "seconds": round(perf_counter() - start, 3),
        "notes": tuple(filter(None, notes)),
        "not_as_asked": miss is not None and not miss.kept,
        "summary": f"{picture.width}x{picture.height} to {job.target}, {len(data)} bytes, {bpp:.3f} bpp"
        + (", exact" if is_exact else "" if psnr_db is None else f", {psnr_db:.2f} dB"),
    }
