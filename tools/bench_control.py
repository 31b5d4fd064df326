"""What class models are worth: against themselves without transforms, against `photo`, and each on every class."""

from dataclasses import replace
from pathlib import Path

import numpy as np

import fdcodec
from bench_classes import evenly, held_out_folders
from bench_images import middle
from fdcodec.compare.bd_rate import bd_rate
from fdcodec.compare.metrics import Samples, psnr
from fdcodec.compare.subjects import find
from fdcodec.image.reading import read_image
from fdcodec.model import ClassModel
from fdcodec.model.registry import presets

PRESET_OF = {"natural": "photo", "kodak": "photo", "ct": "medical", "mri": "medical", "sipi": "photo"}
NATURAL = "photo"
BARE = "without transforms"
Curve = dict[str, list[float]]


def run(data: Path, chosen: list[str], limit: int, side: int, qualities: list[float]) -> dict[str, object]:
    """Measure each class that has a preset of its own."""
    models, classes = {model.name: model for model in presets()}, {}
    for folder in held_out_folders(data, chosen):
        name = folder.parent.name if folder.name == "test" else folder.name
        own = PRESET_OF.get(name, name)
        if own in models:
            classes[name] = _measure(folder, own, models, limit, side, qualities)
            print(name, {key: classes[name][key] for key in ("own", "against_bare", "against_natural")})
    return {"qualities": qualities, "side": side, "classes": classes}


def _measure(
    folder: Path, own: str, models: dict[str, ClassModel], limit: int, side: int, qualities: list[float]
) -> dict[str, object]:
    images = [middle(read_image(path).picture.array, side) for path in evenly(find([folder]), limit)]
    images = [image for image in images if image.dtype == np.uint8]
    tried = models | {BARE: without_transforms(models[own])}
    curves = {name: curve(images, model, qualities) for name, model in tried.items()}
    natural, bare, mine = curves[NATURAL], curves[BARE], curves[own]
    return {
        "own": own,
        "images": len(images),
        "curves": curves,
        "against_bare": percent(bare, mine),
        "against_bare_embedded": percent(bare, mine, "embedded_bytes"),
        "against_natural": percent(natural, mine),
        "against_natural_embedded": percent(natural, mine, "embedded_bytes"),
        "penalties": {name: percent(mine, curves[name]) for name in models},
    }


def without_transforms(model: ClassModel) -> ClassModel:
    """Return a class model that keeps its start states and its filter, and codes with the plain DCT."""
    return replace(model, transforms={})


def curve(images: list[Samples], model: ClassModel, qualities: list[float]) -> Curve:
    """Return bytes by reference and embedded, summed over the images, and the mean PSNR, by quality.

    What embedding adds is measured on the first image, and is the same for all but for two bytes of a length.
    """
    points: Curve = {"bytes": [], "embedded_bytes": [], "psnr_db": []}
    for quality in qualities:
        files = [fdcodec.encode(image, quality=quality, transform=model, embed=False) for image in images]
        embedded = len(fdcodec.encode(images[0], quality=quality, transform=model, embed=True)) - len(files[0])
        psnrs = [psnr(i, fdcodec.decode(data, transform=model)) for i, data in zip(images, files, strict=True)]
        points["bytes"].append(float(sum(map(len, files))))
        points["embedded_bytes"].append(points["bytes"][-1] + embedded * len(files))
        points["psnr_db"].append(float(np.mean(psnrs)))
    return points


def percent(anchor: Curve, test: Curve, measure: str = "bytes") -> float:
    """Return the BD-rate in percent; the anchor's bytes are those by reference (negative: `test` is smaller)."""
    return bd_rate(anchor["bytes"], anchor["psnr_db"], test[measure], test["psnr_db"]).percent
