"""What tuning by eye is worth: `tune="visual"` against `tune="psnr"`, by SSIMULACRA 2 and by PSNR.

usage: python tools/bench_visual.py --data DIR [--classes kodak,face] [-o FILE]

BD-rates over whole files at four qualities, middles of held-out images. Then `python tools/visual_table.py` writes
docs/results/visual.md.
"""

from pathlib import Path
from typing import Any

import click

import fdcodec
from bench_control import CLASSES, SIDE_PX, held_out
from bench_curves import QUALITIES
from bench_record import store
from fdcodec.aliases import Samples
from fdcodec.arguments import TUNES
from fdcodec.compare.aggregate import spread
from fdcodec.compare.bd_rate import bd_rate
from fdcodec.compare.metrics import ssimulacra2
from fdcodec.image.psnr import psnr

MEASURES = {"ssimulacra2": ssimulacra2, "psnr_db": psnr}
IMAGES = {"kodak": 6, "natural": 2, "face": 2, "texture": 2}
"""How many images of each class, evenly over the sorted names."""

Curve = dict[str, list[float]]


def curve(image: Samples, tune: str) -> Curve:
    """Return the sizes of the files of an image and what they measure, by quality."""
    files = [fdcodec.encode(image, quality=quality, lossless=False, tune=tune) for quality in QUALITIES]
    decoded = [fdcodec.decode(data) for data in files]
    measured = {name: [measure(image, each) for each in decoded] for name, measure in MEASURES.items()}
    return {"size_bytes": [len(data) for data in files], **measured}


def rates(curves: dict[str, list[Curve]]) -> dict[str, Any]:
    """Return the BD-rate of "visual" against "psnr" by each measure: its spread over images, and that of each."""
    table = {}
    for name in MEASURES:
        percents = [
            bd_rate(anchor["size_bytes"], anchor[name], test["size_bytes"], test[name]).percent
            for anchor, test in zip(curves["psnr"], curves["visual"], strict=True)
        ]
        table[name] = spread(percents)._asdict() | {"percents": percents}
    return table


def compare(name: str, data: Path) -> dict[str, Any]:
    """Return everything about one class."""
    subjects = held_out(data / CLASSES[name][0], IMAGES[name])
    curves = {tune: [curve(subject.samples, tune) for subject in subjects] for tune in TUNES}
    percents = rates(curves)
    print(name, {measure: f"{rate['mean']:+.2f} %" for measure, rate in percents.items()}, flush=True)
    images = [{"name": s.name, "sha256": s.sha256, "shape": s.samples.shape} for s in subjects]
    return {"images": images, "bd_rate_percent": percents, "curves": curves}


@click.command()
@click.option("--data", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--classes", default=",".join(IMAGES), show_default=True, help="Separated by commas.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="[tools/results/visual.json]")
def main(data: Path, classes: str, output: Path | None) -> None:
    """Compare both tunes; the result file is complete after every class."""
    table: dict[str, Any] = {}
    unknown = [name for name in classes.split(",") if name not in IMAGES]
    if unknown:
        raise click.BadParameter(f"{unknown[0]} is unknown; classes are {', '.join(IMAGES)}", param_hint="--classes")
    for name in classes.split(","):
        table[name] = compare(name, data)
        store("visual", output, {"side_px": SIDE_PX, "qualities": QUALITIES, "classes": table})


if __name__ == "__main__":
    main()
