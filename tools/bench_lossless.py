"""Compare fdcodec without loss with the other lossless codecs on images by class, as `fdcodec compare --lossless` does.

usage: python tools/bench_lossless.py --data DIR [--limit 6] [--classes photo,map] [-o FILE]

DIR holds the folders of `CLASSES`. Sizes are of whole files; each is decoded, and every sample compared.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from bench_images import evenly
from bench_record import store
from fdcodec.compare.lossless.codecs import CODECS, select
from fdcodec.compare.lossless.records import Comparison
from fdcodec.compare.lossless.run import measure
from fdcodec.compare.subjects import load_whole

CLASSES = {
    "photo": "kodak",
    "screenshot": "screenshot/test",
    "document": "document/test",
    "map": "map/test",
    "ct": "ct/test",
    "medical": "medical/*",
    "microscopy": "microscopy/test",
    "pixelart": "pixelart/test",
}
OWN = "fdc"


def entry(files: list[Path]) -> dict[str, Any]:
    """Return what the result stores of a class: our size against each rival's, our speed, and all of each image."""
    codecs, _ = select(tuple(CODECS))
    records = list(measure(load_whole(files), codecs))
    comparison = Comparison({}, {}, {codec.name: codec.label for codec in codecs}, {}, records)
    rivals = {name: label for name, label in comparison.codecs.items() if name != OWN}
    encode_mps, decode_mps = comparison.speeds(OWN)
    return {
        "percent_against": {label: comparison.size_percent(OWN, name) for name, label in rivals.items()},
        "encode_mps": encode_mps,
        "decode_mps": decode_mps,
        "images": [asdict(record) for record in records],
    }


@click.command()
@click.option("--data", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--limit", default=6, show_default=True, help="Images of each class, evenly over the sorted names.")
@click.option("--classes", default=",".join(CLASSES), help="Only these, separated by commas [all].")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="[tools/results/lossless.json]")
def main(data: Path, limit: int, classes: str, output: Path | None) -> None:
    """Compare all codecs; the result file is complete after every class."""
    names = classes.split(",")
    unknown = [name for name in names if name not in CLASSES]
    if unknown:
        raise click.BadParameter(f"{unknown[0]} is unknown; classes are {', '.join(CLASSES)}", param_hint="--classes")
    table: dict[str, Any] = {}
    for name in names:
        table[name] = entry(evenly(sorted(data.glob(f"{CLASSES[name]}/*.png")), limit))
        print(name, {label: round(percent, 2) for label, percent in table[name]["percent_against"].items()}, flush=True)
        store("lossless", output, {"classes": table})


if __name__ == "__main__":
    main()
