"""What a class model is worth, everything else equal, on held-out images, and what the wrong one costs.

usage: python tools/bench_control.py --data DIR [--limit N] [--classes a,b] [-o FILE]

Three comparisons by BD-rate over whole files: (i) a class's preset against the same model without its transforms and
learned modes; (ii) against the preset `photo`; (iii) every preset against the class's own, on every class. (i) and (ii)
also with the models embedded, but `photo`. Then `python tools/control_table.py` writes docs/results/controls.md.
"""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from bench_curves import QUALITIES, Curve, measure, rates
from bench_images import evenly, middle
from bench_record import store
from fdcodec.compare.codecs import Fdc
from fdcodec.compare.subjects import Subject, find, load_all
from fdcodec.model import ClassModel, registry

SIDE_PX = 512
BARE = "without transforms"
CLASSES = {
    name: (f"{name}/test", name)
    for name in (
        "fingerprint", "face", "texture", "satellite", "map", "document", "screenshot", "pixelart", "cartoon",
        "microscopy",
    )
} | {
    "ct": ("ct/test", "medical"),
    "mri": ("mri/test", "medical"),
    "natural": ("natural/test", "photo"),
    "astronomy": ("astronomy/test", "astronomy"),
    "kodak": ("kodak", "photo"),
    "sipi-gray": ("sipi/gray", "gray"),
}  # fmt: skip
"""Folder of held-out images and preset of each class."""


def bare(model: ClassModel) -> ClassModel:
    """Return a model without its transforms and learned modes, everything else the same."""
    return replace(model, transforms={}, learned=())


def held_out(folder: Path, limit: int) -> list[Subject]:
    """Return images of a class, cut to their middle; refused where a preset was trained on one."""
    known = Fdc("auto").training_hashes()
    subjects = [
        replace(subject, samples=middle(subject.samples, SIDE_PX))
        for subject in load_all(evenly(find([folder]), limit), gray=False)
    ]
    trained = [subject.name for subject in subjects if subject.sha256 in known]
    if trained:
        raise click.ClickException(f"{folder}: {trained[0]} is among the training images of a preset; take it out")
    return subjects


def compare(name: str, data: Path, limit: int) -> dict[str, Any]:
    """Return everything about one class."""
    folder, own = CLASSES[name]
    subjects = held_out(data / folder, limit)
    models = {preset: registry.get(preset) for preset in registry.names()} | {BARE: bare(registry.get(own))}
    curves = {key: [measure(subject.samples, model) for subject in subjects] for key, model in models.items()}
    against_bare, against_photo = (both_ways(curves[own], curves[anchor]) for anchor in (BARE, "photo"))
    print(f"{name}, {len(subjects)} images: {BARE} {line(against_bare)}; photo {line(against_photo)}", flush=True)
    return {
        "preset": own,
        "images": [{"name": s.name, "sha256": s.sha256, "shape": s.samples.shape} for s in subjects],
        "against_bare": against_bare,
        "against_photo": against_photo,
        "penalty": {preset: rates(each, curves[own]) for preset, each in curves.items() if preset != BARE},
        "curves": {key: [asdict(curve) for curve in each] for key, each in curves.items()},
    }


def both_ways(test: list[Curve], anchor: list[Curve]) -> dict[str, Any]:
    """Return BD-rates with both models by reference, and with both embedded."""
    return {sizes: rates(test, anchor, sizes) for sizes in ("by_reference", "embedded")}


def line(rates_by_size: dict[str, dict[str, Any]]) -> str:
    """Return the mean BD-rates of a comparison as text."""
    return ", ".join(f"{rate['mean']:+.2f} % {sizes}" for sizes, rate in rates_by_size.items())


@click.command()
@click.option("--data", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--limit", default=2, show_default=True, help="Images of each class, evenly over the sorted names.")
@click.option("--classes", default=",".join(CLASSES), help="Only these, separated by commas [all].")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="[tools/results/control.json]")
def main(data: Path, limit: int, classes: str, output: Path | None) -> None:
    """Compare class models with controls; the result file is complete after every class."""
    table, names = {}, classes.split(",")
    unknown = [name for name in names if name not in CLASSES]
    if unknown:
        raise click.BadParameter(f"{unknown[0]} is unknown; classes are {', '.join(CLASSES)}", param_hint="--classes")
    for name in names:
        table[name] = compare(name, data, limit)
        store("control", output, {"side_px": SIDE_PX, "qualities": QUALITIES, "classes": table})


if __name__ == "__main__":
    main()
