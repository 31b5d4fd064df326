"""BD-rates by image class on held-out images."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench_images import evenly
from fdcodec.compare.aggregate import average_bd_rates, image_bd_rates, spread
from fdcodec.compare.bd_rate import BDRate
from fdcodec.compare.codecs import select
from fdcodec.compare.records import Comparison
from fdcodec.compare.subjects import LOSSLESS_SUFFIXES, find, load_all
from fdcodec.compare.sweep import sweep

RIVALS = ("jpeg420", "webp", "avif444", "jxl")
OWN, CONTROL = "fdc-auto", "fdc-dct"


def run(data: Path, chosen: Sequence[str], limit: int, gray: bool) -> dict[str, object]:
    """Measure each class; the result holds BD-rates of fdcodec against each anchor, and every point they are from."""
    codecs, skipped = select((*RIVALS, "fdc"), ("auto", "dct"))
    table, records = {}, []
    for folder in held_out_folders(data, chosen):
        name = folder.parent.name if folder.name == "test" else folder.name
        images = load_all(evenly(find([folder]), limit), gray)
        measured = Comparison({}, skipped, list(sweep(images, codecs, ["psnr"])))
        table[name] = class_rates(measured)
        records += [{"class": name} | asdict(record) for record in measured.records]
        print(f"{name:12} {len(images)} images: " + "; ".join(map(line, table[name])))
    return {"skipped": skipped, "bd_rate": table, "records": records}


def held_out_folders(data: Path, chosen: Sequence[str]) -> list[Path]:
    """Return CLASS/test, or CLASS itself where images lie directly in it, of each class."""
    names = chosen or sorted(folder.name for folder in data.iterdir() if folder.is_dir())
    candidates = [data / name / "test" if (data / name / "test").is_dir() else data / name for name in names]
    return [folder for folder in candidates if any(p.suffix.lower() in LOSSLESS_SUFFIXES for p in folder.iterdir())]


def class_rates(comparison: Comparison) -> list[dict[str, object]]:
    """Return one row for each measure and anchor: fdcodec's BD-rate on the average curve, and over single images."""
    rows = []
    for measure in comparison.measures:
        for anchor in (name for name in (*RIVALS, CONTROL) if name in comparison.codecs):
            each = image_bd_rates(comparison, measure, anchor)
            over = spread([rate.percent for (_, codec), rate in each.items() if codec == OWN])
            average = average_bd_rates(comparison, measure, anchor).get(OWN, BDRate(float("nan"), 0, 0, 0, "undefined"))
            rows.append({"measure": measure, "anchor": anchor, "average": average._asdict(), "images": over._asdict()})
    return rows


def line(row: dict[str, dict[str, float]]) -> str:
    """Return a row as text."""
    planes = " gray" if str(row["measure"]).endswith("-y") else ""
    average, images = row["average"], row["images"]
    refused = f"refused ({average['reason']})"
    return f"{row['anchor']}{planes} " + (
        refused if average["reason"] else f"{average['percent']:+.1f} (median {images['median']:+.1f})"
    )
