"""Measure what it saves that drawn images are kept exactly where that takes no more bytes (ADR 0030).

usage: python tools/bench_drawn.py --data DIR [--limit 200] [--qualities 50,75,90] [-o FILE]

DIR holds a folder for each kind of image. Of its held-out images those that look drawn are measured, as stored, at most
1024 pixels a side from their middle.
"""

from pathlib import Path
from time import process_time
from typing import Any

import click
import numpy as np

import fdcodec
from bench_images import Crop, crops
from bench_record import store
from fdcodec.image.picture import colours_of
from fdcodec.image.screen import is_screen

SIDE_PX = 1024


@click.command()
@click.option("--data", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--limit", default=200, show_default=True, help="Images to look at, in turn from each folder.")
@click.option("--qualities", default="50,75,90", show_default=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="[tools/results/drawn.json]")
def main(data: Path, limit: int, qualities: str, output: Path | None) -> None:
    """Encode each image with `lossless="auto"` and `lossless=False`."""
    rows: list[dict[str, Any]] = []
    levels = [float(quality) for quality in qualities.split(",")]
    for crop in filter(is_drawn, crops(data, limit, SIDE_PX)):
        rows += [crop.facts | measure(crop, quality) for quality in levels]
        print(crop.name, sum(row["is_exact"] for row in rows[-len(levels) :]), flush=True)
    store("drawn", output, {"totals": {quality: totals(rows, quality) for quality in levels}, "rows": rows})


def is_drawn(crop: Crop) -> bool:
    """Tell whether the encoder takes an image of 8 bits to be drawn."""
    return crop.samples.dtype == np.uint8 and is_screen(colours_of(np.atleast_3d(crop.samples)))


def measure(crop: Crop, quality: float) -> dict[str, Any]:
    """Return size and processor time of the lossy file and of the one that is kept."""
    row: dict[str, Any] = {"quality": quality}
    for name, lossless in (("lossy", False), ("kept", "auto")):
        started = process_time()
        data = fdcodec.encode(crop.samples, quality=quality, lossless=lossless)
        encoded = process_time()
        fdcodec.decode(data)
        seconds = {"encode_s": encoded - started, "decode_s": process_time() - encoded}
        row[name] = {"size_bytes": len(data), **seconds}
    return row | {"is_exact": fdcodec.read_header(data).lossless}


def totals(rows: list[dict[str, Any]], quality: float) -> dict[str, Any]:
    """Return how many files of a quality are exact, and the geometric means of what they are to the lossy ones."""
    chosen = [row for row in rows if row["quality"] == quality]
    exact = [row for row in chosen if row["is_exact"]]
    return {"images": len(chosen), "exact": len(exact), "of_exact": ratios(exact), "of_all": ratios(chosen)}


def ratios(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Return the geometric means of size, encoding and decoding time, kept to lossy."""
    keys = rows[0]["kept"] if rows else ()
    return {
        key: round(float(np.exp(np.mean([np.log(row["kept"][key] / row["lossy"][key]) for row in rows]))), 3)
        for key in keys
    }


if __name__ == "__main__":
    main()
