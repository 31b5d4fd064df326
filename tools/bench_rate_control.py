"""Whether targets are met and scales are monotone, over images of all kinds.

usage: python tools/bench_rate_control.py --data DIR [--limit 100] [--effort-limit 12] [-o FILE]

Targets: PSNR within 0.1 dB; size and bits a pixel never above and at least 97 %; at most eight encodes. Scales: file
size and PSNR grow with the quality; the bytes of all images together do not grow with the effort.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice, pairwise
from math import inf
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
import numpy as np

import fdcodec
from bench_images import Crop, crops
from bench_record import store
from fdcodec import codec
from fdcodec.aliases import Samples
from fdcodec.image.arrays import as_picture
from fdcodec.targets import psnr_db

SIDE_PX = 256
LADDER = (0, 15, 30, 45, 60, 75, 88, 100)
EFFORTS = range(1, 10)
EFFORT_QUALITY = 60
PSNR_TARGETS = (30.0, 36.0, 42.0)
BPP_TARGET = 1.0
ANCHORS = (30, 75)  # qualities whose sizes, times SIZE_FACTOR, are targets: sizes an image can have, not on the scale
SIZE_FACTOR = 1.07
PSNR_BAND = 0.1 + 1e-9
LEAST_FILL = 0.97
MAX_ENCODES = 8
WORST = 5


@contextmanager
def counted_encodes() -> Iterator[Counter[str]]:
    """Count the encodes that the search for a target makes."""
    count: Counter[str] = Counter()
    original = codec.encode

    def encode(*arguments: Any) -> bytes:
        count["encodes"] += 1
        return original(*arguments)

    with patch.object(codec, "encode", encode):
        yield count


def psnr_of(samples: Samples, data: bytes) -> float:
    """Return the PSNR in dB of a file over all samples but those of alpha, as targets are meant."""
    return psnr_db(as_picture(samples), data)


def attempt(crop: Crop, kind: str, value: float) -> dict[str, Any]:
    """Encode to one target and return what came out."""
    with counted_encodes() as count:
        data = fdcodec.encode(crop.samples, **{kind: value})
    row = {"image": crop.name, "target": kind, "value": value, "encodes": count["encodes"], "bytes": len(data)}
    reached = psnr_of(crop.samples, data)
    row["exact"] = reached == inf
    if kind == "psnr_db":
        return row | {"reached": reached, "met": abs(reached - value) <= PSNR_BAND}
    limit = value if kind == "size_bytes" else int(value * crop.samples.shape[0] * crop.samples.shape[1] / 8)
    fill = len(data) / limit
    return row | {"reached": fill, "above": len(data) > limit, "met": LEAST_FILL <= fill <= 1}


def ladder(crop: Crop) -> dict[str, Any]:
    """Encode at every quality of the ladder; return sizes and PSNR, and the worst steps down."""
    files = [fdcodec.encode(crop.samples, quality=quality) for quality in LADDER]
    sizes, psnr_db = [len(data) for data in files], [psnr_of(crop.samples, data) for data in files]
    relative = [b / a - 1 for a, b in pairwise(sizes)]
    return {
        "image": crop.name,
        "pixels": crop.samples.shape[0] * crop.samples.shape[1],
        "bytes": sizes,
        "psnr_db": psnr_db,
        "worst_size_step": min(relative),
        "worst_psnr_step": min(b - a if a < inf else (0 if b == inf else -inf) for a, b in pairwise(psnr_db)),
    }


def targets_of(row: dict[str, Any]) -> list[tuple[str, float]]:
    """Return the targets of an image that lie between the ends of its ladder."""
    sizes = [row["bytes"][LADDER.index(quality)] for quality in ANCHORS]
    targets: list[tuple[str, float]] = [
        ("psnr_db", value) for value in PSNR_TARGETS if row["psnr_db"][0] <= value <= row["psnr_db"][-1]
    ]
    targets += [("size_bytes", int(SIZE_FACTOR * size)) for size in sizes]
    bpp = [8 * size / row["pixels"] for size in row["bytes"]]
    return [*targets, *([("bpp", BPP_TARGET)] if min(bpp) <= BPP_TARGET <= max(bpp) else [])]


def share(rows: Sequence[dict[str, Any]], holds: Callable[[dict[str, Any]], bool]) -> float | None:
    """Return the share of rows of which something holds; None of no rows."""
    return sum(map(holds, rows)) / len(rows) if rows else None


def summary(attempts: list[dict[str, Any]], ladders: list[dict[str, Any]]) -> dict[str, Any]:
    """Return shares and worst cases."""
    result: dict[str, Any] = {}
    for kind in ("psnr_db", "size_bytes", "bpp"):
        rows = [row for row in attempts if row["target"] == kind]
        missed = [row for row in rows if not row["met"]]
        aim = (
            (lambda row: abs(row["reached"] - row["value"])) if kind == "psnr_db" else (lambda row: 1 - row["reached"])
        )
        result[kind] = {
            "attempts": len(rows),
            "met": share(rows, lambda row: row["met"]),
            "above": sum(row.get("above", False) for row in rows),
            "exact": sum(row.get("exact", False) for row in missed),
            "most_encodes": max((row["encodes"] for row in rows), default=0),
            "worst": sorted(missed, key=aim, reverse=True)[:WORST],
        }
    for key, name in (("worst_size_step", "size_grows"), ("worst_psnr_step", "psnr_grows")):
        result[name] = {
            "share": share(ladders, lambda row, key=key: row[key] >= 0),
            "worst": sorted(ladders, key=lambda row, key=key: row[key])[:WORST],
        }
    return result


def efforts(images: Sequence[Crop]) -> dict[str, Any]:
    """Return total bytes and mean PSNR by effort at one quality."""
    rows = []
    for effort in EFFORTS:
        files = [fdcodec.encode(crop.samples, quality=EFFORT_QUALITY, effort=effort) for crop in images]
        psnr_db = [psnr_of(crop.samples, data) for crop, data in zip(images, files, strict=True)]
        rows.append({"effort": effort, "bytes": sum(map(len, files)), "mean_psnr_db": float(np.mean(psnr_db))})
    growth = [b["bytes"] / a["bytes"] - 1 for a, b in pairwise(rows)]
    return {"images": len(images), "rows": rows, "non_increasing": max(growth) <= 0, "largest_growth": max(growth)}


def eight_bit(data: Path, limit: int) -> list[Crop]:
    """Return crops that can be coded with loss."""
    return list(islice((crop for crop in crops(data, 2 * limit, SIDE_PX) if crop.samples.dtype == np.uint8), limit))


@click.command()
@click.option("--data", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--limit", default=100, show_default=True, help="Images, in turn from each folder.")
@click.option("--effort-limit", default=12, show_default=True, help="Of them, images that are coded at every effort.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path))
def main(data: Path, limit: int, effort_limit: int, output: Path | None) -> None:
    """Measure the rate control."""
    images = eight_bit(data, limit)
    ladders = [ladder(crop) for crop in images]
    attempts = []
    for crop, row in zip(images, ladders, strict=True):
        attempts += [attempt(crop, *target) for target in targets_of(row)]
        print(crop.name, *(f"{r['target']}={r['value']:g}: {r['met']} ({r['encodes']})" for r in attempts[-6:]))
    every = max(len(images) // effort_limit, 1)
    results = {
        "images": [crop.facts for crop in images],
        "summary": summary(attempts, ladders),
        "efforts": efforts(images[::every][:effort_limit]),
        "attempts": attempts,
        "ladders": ladders,
    }
    store("rate_control", output, results)


if __name__ == "__main__":
    main()
