"""Averages and BD-rates of a comparison, all computed from its stored records.

An average curve is, as in CompressAI's tables, the mean rate and the mean quality over images at each setting. Only
images on which a measure is finite for every codec enter it, so that all curves are means over the same images.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fdcodec.compare.bd_rate import BDRate, bd_rate
from fdcodec.compare.metrics import to_linear_scale
from fdcodec.compare.records import Comparison, Record

BOOTSTRAP_ROUNDS = 2000
ANCHOR = "jpeg420"


class Curve(NamedTuple):
    """Rate in bits a pixel against quality (MS-SSIM in dB), one value a setting."""

    bpp: list[float]
    quality: list[float]


class Spread(NamedTuple):
    """BD-rates of single images in percent: median, mean, 95 % bootstrap interval of the mean, number of images."""

    median: float
    mean: float
    low: float
    high: float
    images: int


def anchor_of(comparison: Comparison) -> str:
    """Return JPEG 4:2:0, or the first codec where that was not run."""
    return ANCHOR if ANCHOR in comparison.codecs else next(iter(comparison.codecs))


def image_curve(record: Record, measure: str) -> Curve:
    """Return the curve of one codec on one image."""
    metric = measure.rsplit("-", 1)[0]
    return Curve(record.results["bpp"], [to_linear_scale(metric, value) for value in record.results[measure]])


def complete_images(comparison: Comparison, measure: str) -> list[str]:
    """Return the images on which `measure` is finite at every setting of every codec."""
    complete = dict.fromkeys(comparison.images, True)
    for record in comparison.records:
        finite = all(map(math.isfinite, image_curve(record, measure)[1])) if measure in record.results else False
        complete[record.image["name"]] &= finite
    return [name for name, whole in complete.items() if whole]


def average_curves(comparison: Comparison, measure: str) -> dict[str, Curve]:
    """Return the average curve of each codec; empty if no image is complete."""
    images = set(complete_images(comparison, measure))
    curves = {}
    for codec in comparison.codecs:
        each = [image_curve(r, measure) for r in comparison.records if r.codec == codec and r.image["name"] in images]
        if each:
            curves[codec] = Curve(*(np.mean([curve[axis] for curve in each], axis=0).tolist() for axis in (0, 1)))
    return curves


def average_bd_rates(comparison: Comparison, measure: str, anchor: str) -> dict[str, BDRate]:
    """Return the BD-rate of each codec's average curve against the anchor's."""
    curves = average_curves(comparison, measure)
    return {codec: bd_rate(*curves[anchor], *curve) for codec, curve in curves.items()}


def image_bd_rates(comparison: Comparison, measure: str, anchor: str) -> dict[tuple[str, str], BDRate]:
    """Return the BD-rate against the anchor by (image, codec), for the images that have `measure`."""
    records = {(r.image["name"], r.codec): r for r in comparison.records if measure in r.results}
    return {
        (image, codec): bd_rate(*image_curve(records[image, anchor], measure), *image_curve(record, measure))
        for (image, codec), record in records.items()
    }


def spread(percents: Sequence[float]) -> Spread:
    """Summarize the BD-rates of single images; refused ones (NaN) are left out and not counted."""
    values = np.array([value for value in percents if math.isfinite(value)])
    if not len(values):
        return Spread(math.nan, math.nan, math.nan, math.nan, 0)
    draws = np.random.default_rng(0).choice(values, (BOOTSTRAP_ROUNDS, len(values))).mean(axis=1)
    low, high = np.percentile(draws, (2.5, 97.5))
    return Spread(float(np.median(values)), float(values.mean()), float(low), float(high), len(values))


def speeds(comparison: Comparison) -> dict[str, tuple[float, float]]:
    """Return encoding and decoding speed in megapixels a second, over all images and settings, by codec."""
    totals: dict[str, np.ndarray] = {}
    for record in comparison.records:
        pixels = record.image["width"] * record.image["height"] * len(record.results["bpp"])
        seconds = [sum(record.results[key]) for key in ("encoding_time", "decoding_time")]
        totals[record.codec] = totals.get(record.codec, np.zeros(3)) + np.array([pixels / 1e6, *seconds])
    return {codec: (total[0] / total[1], total[0] / total[2]) for codec, total in totals.items()}


def compressai_averages(comparison: Comparison) -> dict[str, dict[str, object]]:
    """Return by codec what CompressAI's bench writes, so that its plotting tool reads it."""
    averages: dict[str, dict[str, object]] = {}
    for codec, name in comparison.codecs.items():
        records = [record for record in comparison.records if record.codec == codec]
        keys = [key for key in records[0].results if all(key in record.results for record in records)]
        results = {key: np.mean([record.results[key] for record in records], axis=0).tolist() for key in keys}
        averages[codec] = {"name": name, "description": records[0].description, "results": results}
    return averages
