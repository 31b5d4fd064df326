"""Benchmarks of record: each writes one JSON file with command, versions, machine and image hashes.

usage: python tools/bench.py speed | classes --data DIR | determinism --data DIR   [-o tools/results/NAME.json]
"""

from pathlib import Path

import click

import bench_classes
import bench_determinism
import bench_speed
from bench_record import store

OUTPUT = {"type": click.Path(dir_okay=False, path_type=Path), "help": "Result file [tools/results/NAME.json]."}


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


@bench.command()
@click.option("--data", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--limit", default=50, show_default=True, help="Images, in turn from each folder.")
@click.option("-o", "--output", **OUTPUT)
def determinism(data: Path, limit: int, output: Path | None) -> None:
    """Check that bytes and pixels are the same with and without JIT and with 1 to 4 threads."""
    results = bench_determinism.run(data, limit)
    store("determinism", output, results)
    if not results["equal"]:
        raise click.ClickException("files, pixels or planes differ; see the result file")


if __name__ == "__main__":
    bench()
