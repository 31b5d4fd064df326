"""Store a run of the bench of record on Kodak-24 as a result, if asked with BD-rates against published curves.

usage: python tools/record_kodak.py RUN.json [--data KODAK [--anchors ANCHORS.json]] -o tools/results/kodak-rgb.json

RUN.json is what the bench wrote; its curves are the means over the images. JPEG and the published curves go down to
qualities below those of the bench, which are encoded here where the images are given, and lengthen the mean curve.
"""

import json
from itertools import permutations
from pathlib import Path
from statistics import fmean
from typing import Any

import click
import numpy as np
from PIL import Image

import fdcodec
from bench_record import store
from fdcodec.compare.bd_rate import bd_rate
from fdcodec.image.psnr import psnr

LOW_QUALITIES = (0, 2, 5)
JPEG, OWN = "jpeg", "fdc:effort=5"

Curve = list[tuple[float, float]]  # (bits a pixel, PSNR in dB)


def rate(anchor: Curve, test: Curve) -> float:
    """Return the BD-rate of a curve against another in percent; NaN where it is refused."""
    return round(bd_rate(*zip(*anchor, strict=True), *zip(*test, strict=True)).percent, 2)


def median_rate(anchors: list[Curve], tests: list[Curve]) -> float:
    """Return the median over images of the BD-rates that are not refused."""
    return round(float(np.nanmedian(list(map(rate, anchors, tests)))), 2)


def low_points(folder: Path) -> Curve:
    """Return the mean curve of RGB images at qualities below those of the bench."""
    images = [np.asarray(Image.open(path).convert("RGB")) for path in sorted(folder.glob("*.png"))]
    points = []
    for quality in LOW_QUALITIES:
        files = [fdcodec.encode(image, quality=quality) for image in images]
        bpp = fmean(8 * len(data) / image[..., 0].size for data, image in zip(files, images, strict=True))
        psnrs = [psnr(image, fdcodec.decode(data)) for data, image in zip(files, images, strict=True)]
        points.append((bpp, fmean(psnrs)))
    return points


def against_published(anchors: dict[str, Any], curve: Curve) -> dict[str, dict[str, float]]:
    """Return the BD-rate of a curve against each published one, and that of this one against the published JPEG."""
    curves = {name: list(zip(each["bpp"], each["psnr-rgb"], strict=True)) for name, each in anchors["codecs"].items()}
    return {
        name: {"fdc_against_it": rate(each, curve), "it_against_jpeg": rate(curves[JPEG], each)}
        for name, each in curves.items()
    }


@click.command()
@click.argument("run", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), help="The images, in RGB.")
@click.option("--anchors", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Published curves.")
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False, path_type=Path))
def main(run: Path, data: Path | None, anchors: Path | None, output: Path) -> None:
    """Store a run of the bench."""
    codecs = json.loads(run.read_text())
    low = low_points(data) if data else []
    means = {name: [tuple(point) for point in codec["mean"]] for name, codec in codecs.items()}
    means[OWN] = low + means[OWN]
    pairs = [(f"{b} against {a}", a, b) for a, b in permutations(codecs, 2)]
    results = {
        "what": "Kodak-24, bench of record rd.py, all codecs in one run, whole files; speeds beside other work",
        "bd_rate_percent": {name: rate(means[a], means[b]) for name, a, b in pairs},
        "median_over_images_percent": {name: median_rate(codecs[a]["per"], codecs[b]["per"]) for name, a, b in pairs},
        "codecs": codecs,
    }
    if low:
        results["low_points"] = low
    if anchors:
        results["published"] = against_published(json.loads(anchors.read_text()), means[OWN])
    store("kodak", output, results)


if __name__ == "__main__":
    main()
