"""Benchmarks of record: each writes one JSON file with command, versions, machine and image hashes.

usage: python tools/bench.py speed | classes --data DIR | determinism | equality | rate-control --data DIR
       | control --data DIR   [-o tools/results/NAME.json]
"""

import subprocess
from pathlib import Path

import click

import bench_classes
import bench_control
import bench_determinism
import bench_equality
import bench_rate_control
import bench_speed
from fdcodec.compare.environment import describe
from fdcodec.compare.records import write_json

RESULTS = Path(__file__).parent / "results"
OUTPUT = {"type": click.Path(dir_okay=False, path_type=Path), "help": "Result file [tools/results/NAME.json]."}


def store(name: str, output: Path | None, results: dict[str, object]) -> None:
    """Write results beside how they were made."""
    path = output or RESULTS / f"{name}.json"
    write_json(path, {"environment": describe() | {"commit": commit()}, **results})
    click.echo(f"wrote {path}")


def commit() -> str:
    """Return the commit that was measured, marked if files differ from it."""
    done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=RESULTS, capture_output=True, text=True)
    return done.stdout.strip()


@click.group()
def bench() -> None:
    """Measure fdcodec for the record."""


@bench.command()
@click.option("--image", type=click.Path(exists=True, path_type=Path), help="RGB image [a synthetic one of 768x512].")
@click.option("--transform", default="auto", show_default=True)
@click.option("--qualities", default="25,50,75,90", show_default=True)
@click.option("--repeats", default=5, show_default=True)
@click.option("--megapixels", default="6,12,24", show_default=True, help="Image sizes whose peak memory is measured.")
@click.option("-o", "--output", **OUTPUT)
def speed(
    image: Path | None, transform: str, qualities: str, repeats: int, megapixels: str, output: Path | None
) -> None:
    """Measure speed on one core beside JPEG and AVIF, start-up times and peak memory."""
    sizes = [float(size) for size in megapixels.split(",")]
    levels = [float(quality) for quality in qualities.split(",")]
    store("speed", output, bench_speed.run(image, transform, levels, repeats, sizes))


@bench.command()
@click.option("--data", required=True, type=click.Path(path_type=Path), help="Folder of CLASS/test/ or CLASS/ images.")
@click.option("--classes", default="", help="Only these, separated by commas [all].")
@click.option("--limit", default=8, show_default=True, help="Images of each class, evenly over the sorted names.")
@click.option("--gray", is_flag=True, help="Reduce colour images to gray.")
@click.option("-o", "--output", **OUTPUT)
def classes(data: Path, classes: str, limit: int, gray: bool, output: Path | None) -> None:
    """Measure BD-rates by class on held-out images: fdcodec against each rival, learned against DCT."""
    if not data.is_dir():
        click.echo(f"skipped: {data} is not a folder; give the image data with --data DIR")
        return
    chosen = [name for name in classes.split(",") if name]
    store("classes-gray" if gray else "classes", output, bench_classes.run(data, chosen, limit, gray))


DATA = {"type": click.Path(exists=True, file_okay=False, path_type=Path), "help": "Folder of images of all kinds."}


@bench.command()
@click.option("--data", **DATA)
@click.option("--limit", default=50, show_default=True, help="Images, one of each folder in turn.")
@click.option("--transform", default="auto", show_default=True)
@click.option("--quality", default=60.0, show_default=True)
@click.option("-o", "--output", **OUTPUT)
def determinism(data: Path | None, limit: int, transform: str, quality: float, output: Path | None) -> None:
    """Check that bytes and pixels do not depend on JIT and threads, and that encoder and decoder agree."""
    results = bench_determinism.run(data, limit, transform, quality)
    store("determinism", output, results)
    if not all(results["equal"].values()):
        raise click.ClickException("bytes or pixels differ; see the result file")


@bench.command("equality")
@click.option("--data", **DATA)
@click.option("--limit", default=300, show_default=True, help="Images, half of them generated.")
@click.option("--side", default=256, show_default=True, help="Images are cut to this side.")
@click.option("-o", "--output", **OUTPUT)
def equality(data: Path | None, limit: int, side: int, output: Path | None) -> None:
    """Check that lossless files give back every sample."""
    results = bench_equality.run(data, limit, side)
    store("equality", output, results)
    if results["unequal"]:
        raise click.ClickException("samples differ; see the result file")


@bench.command("rate-control")
@click.option("--data", required=True, **DATA)
@click.option("--limit", default=100, show_default=True, help="Images, one of each folder in turn.")
@click.option("--side", default=512, show_default=True, help="Images are cut to this side.")
@click.option("-o", "--output", **OUTPUT)
def rate_control(data: Path, limit: int, side: int, output: Path | None) -> None:
    """Check that sizes and PSNR are met, and that quality and effort are monotone."""
    store("rate-control", output, bench_rate_control.run(data, limit, side))


@bench.command("control")
@click.option("--data", required=True, **DATA)
@click.option("--classes", default="", help="Only these, separated by commas [all].")
@click.option("--limit", default=2, show_default=True, help="Images of each class, evenly over the sorted names.")
@click.option("--side", default=512, show_default=True, help="Images are cut to this side.")
@click.option("--qualities", default="20,40,60,80", show_default=True)
@click.option("-o", "--output", **OUTPUT)
def control(data: Path, classes: str, limit: int, side: int, qualities: str, output: Path | None) -> None:
    """Measure class models against themselves without transforms, against photo, and each on every class."""
    levels = [float(quality) for quality in qualities.split(",")]
    chosen = [name for name in classes.split(",") if name]
    store("controls", output, bench_control.run(data, chosen, limit, side, levels))


if __name__ == "__main__":
    bench()
