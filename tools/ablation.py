"""What each tool of the codec is worth: BD-rate with the tool off, against the full codec, on gray Kodak images.

usage: python tools/ablation.py --data KODAK [--limit 6] [--rows all] [-o tools/results/ablation.json]

Each row runs in a process of its own, with its own kernel cache: there it patches constants and functions of the
package before a kernel compiles, encodes, decodes, and measures. Neither the package nor the format has a switch for
it. A new tool gets a function here, and a line in ROWS.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, NamedTuple

import click
import numpy as np
from PIL import Image

import fdcodec
from bench_images import middle
from fdcodec import codec
from fdcodec.compare.bd_rate import bd_rate
from fdcodec.compare.environment import describe
from fdcodec.compare.metrics import psnr
from fdcodec.compare.records import write_json
from fdcodec.kernels import prediction_kernels, search_kernels
from fdcodec.kernels.jit import kernel
from fdcodec.model import ClassModel, get

QUALITIES = (20, 40, 60, 80)
SIDE_PX = 256
RESULT = Path(__file__).parent / "results" / "ablation.json"
BASE = "full"
_price_angle, _mode_cost = search_kernels._price_angle, search_kernels.mode_cost


class Row(NamedTuple):
    """A tool that is switched off: how, what research measured for it in percent, and how images are encoded."""

    patch: Callable[[], None] = lambda: None
    research: float | None = None
    model: Callable[[ClassModel], ClassModel] = lambda model: model
    settings: Mapping[str, Any] = MappingProxyType({})
    gray: bool = True


def everywhere(name: str, value: object) -> None:
    """Replace a name in every module of the package that holds it."""
    for module in [module for key, module in sys.modules.items() if key.startswith("fdcodec.")]:
        if hasattr(module, name):
            setattr(module, name, value)


def search_with(**changes: Any) -> None:
    """Change the options of every search; a change may be a value, or a function of the present one."""
    original = codec.search_options

    def changed(*arguments: Any) -> list[Any]:
        options = original(*arguments)
        values = [{k: v(getattr(o, k)) if callable(v) else v for k, v in changes.items()} for o in options]
        return [o._replace(**value) for o, value in zip(options, values, strict=True)]

    codec.search_options = changed


def only_sizes(*log2_sizes: int) -> Callable[[], None]:
    """Try no mode in blocks of other sizes, so that they are never chosen, and always split them."""

    def patch() -> None:
        def kept(candidates: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(count if k in log2_sizes else 0 for k, count in enumerate(candidates))

        search_with(n_candidates=kept, skip_split=0, least_end=0)

    return patch


def candidates(count: int) -> Callable[[], None]:
    """Try so many modes in full."""
    return lambda: search_with(n_candidates=(0, 0, *[count] * 4))


@kernel()
def _price_flat_modes(mode, original, x, y, log2_size, references, smoothed, line, lines, prediction, rows, fits):
    if mode <= 1:
        _price_angle(mode, original, x, y, log2_size, references, smoothed, line, lines, prediction, rows, fits)


def flat_modes() -> None:
    """Price planar and DC only."""
    everywhere("_price_angle", _price_flat_modes)
    search_with(fans=(0,) * 6)


@kernel()
def _copy_references(references, log2_size, smoothed):
    for k in range((4 << log2_size) + 1):
        smoothed[k] = references[k]


def no_smoothing() -> None:
    """Read references as they are."""
    everywhere("smooth_references", _copy_references)
    everywhere("SMOOTHING_DISTANCE", np.full_like(prediction_kernels.SMOOTHING_DISTANCE, 99))


def scalar() -> None:
    """Keep the quantizer in its first state: scalar quantization with rate and distortion."""
    everywhere("NEXT_STATE", np.zeros((4, 2), np.int64))


@kernel()
def _dead_zone_levels(coefficients, block, half_step, lagrangian, contexts, costs, levels, neighbours, paths):
    scan = block[3]
    end = 0
    levels[:, :] = 0
    for k in range(levels.shape[0] * levels.shape[1]):
        row, column = scan[k] >> 5, scan[k] & 31
        amplitude = abs(np.int64(coefficients[row, column])) << 6
        magnitude = (amplitude + 2 * half_step // 3) // (2 * half_step)
        if magnitude > 0:
            levels[row, column] = magnitude if coefficients[row, column] > 0 else -magnitude
            end = k + 1
    return end


def dead_zone() -> None:
    """Round a third up, two thirds down, in scalar quantization."""
    scalar()
    everywhere("trellis_levels", _dead_zone_levels)


@kernel()
def _mode_cost_without_luma(contexts, maps, kind, x, y, log2_size, mode, probable):
    cost = _mode_cost(contexts, maps, kind, x, y, log2_size, mode, probable)
    return cost + (1 << 36) if mode == 35 else cost


def no_chroma_from_luma() -> None:
    """Make chroma from luma too dear."""
    everywhere("mode_cost", _mode_cost_without_luma)


def no_filter() -> None:
    """Leave the decoded planes as they are."""
    everywhere("best_strengths", lambda errors: (0, 0))


def fixed_colour() -> None:
    """Use the opponent transform whatever the picture."""
    everywhere("choose_colour", lambda samples, step: None)


def plain_order(model: ClassModel) -> ClassModel:
    """Scan the rotated coefficients in the order of the plain DCT's."""
    return replace(
        model,
        transforms={
            key: transform._replace(order=np.array(zone_order(key[0]), np.uint8))
            for key, transform in model.transforms.items()
        },
    )


def zone_order(log2_size: int) -> list[int]:
    """Return the zone's coefficients in the scan of the plain DCT."""
    from fdcodec.kernels.tables import zone_places

    side = 1 << min(log2_size, 3)
    return [side * (place >> 5) + (place & 31) for place in zone_places(log2_size)]


ROWS = {
    BASE: Row(),
    "blocks of 8 only": Row(only_sizes(3), 10.0),
    "blocks up to 16": Row(only_sizes(2, 3, 4), 0.5),
    "blocks from 8": Row(only_sizes(3, 4, 5), 5.5),
    "planar and DC only": Row(flat_modes, 11.9),
    "no smoothing of references": Row(no_smoothing, 1.0),
    "1 candidate": Row(candidates(1), 1.1),
    "2 candidates": Row(candidates(2), 0.3),
    "3 candidates": Row(candidates(3), 0.0),
    "8 candidates": Row(candidates(8), -0.3),
    "scalar quantization": Row(scalar, 2.7),
    "scalar, dead zone": Row(dead_zone, 5.7),
    "no start states": Row(research=1.2, model=lambda model: replace(model, start_states=None)),
    "no learned transforms": Row(research=3.2, model=lambda model: replace(model, transforms={})),
    "no learned scan": Row(model=plain_order),
    "deblocking only": Row(research=3.0, model=lambda model: replace(model, filters=None)),
    "no filter": Row(no_filter),
    "tiles of 256": Row(research=1.1, settings={"tile": 256}),
    "RGB, full": Row(gray=False),
    "RGB, no chroma from luma": Row(no_chroma_from_luma, 2.3, gray=False),
    "RGB, opponent colour": Row(fixed_colour, gray=False),
}


def measure(name: str, files: list[Path], side: int) -> list[dict[str, list[float]]]:
    """Return a curve of bytes and PSNR for each image, decoded, with a row's tool off."""
    row = ROWS[name]
    row.patch()
    model, curves = row.model(get("photo")), []
    for path in files:
        image = middle(np.asarray(Image.open(path).convert("L" if row.gray else "RGB")), side)
        curve: dict[str, list[float]] = {"bytes": [], "psnr_db": []}
        for quality in QUALITIES:
            data = fdcodec.encode(image, quality=quality, transform=model, embed=False, **row.settings)
            curve["bytes"].append(len(data))
            curve["psnr_db"].append(psnr(image, fdcodec.decode(data, transform=model)))
        curves.append(curve)
    return curves


def run_row(name: str, files: list[Path], side: int) -> list[dict[str, list[float]]]:
    """Return `measure` of a process whose kernels are its own."""
    with TemporaryDirectory() as cache:
        command = [sys.executable, __file__, "--child", name, "--side", str(side), *map(str, files)]
        done = subprocess.run(
            command, env=os.environ | {"FDCODEC_CACHE_DIR": cache}, stdout=subprocess.PIPE, text=True, check=True
        )
    return json.loads(done.stdout)


def loss(full: list[dict[str, list[float]]], curves: list[dict[str, list[float]]]) -> float:
    """Return the mean BD-rate over the images: percent that the tool saves."""
    pairs = zip(full, curves, strict=True)
    return float(np.mean([bd_rate(a["bytes"], a["psnr_db"], b["bytes"], b["psnr_db"]).percent for a, b in pairs]))


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of Kodak images.")
@click.option("--limit", default=6, show_default=True, help="Images, the first of the sorted names.")
@click.option("--side", default=SIDE_PX, show_default=True, help="Images are cut to this side, a multiple of 32.")
@click.option("--rows", default="all", show_default=True, help="Only these, separated by semicolons.")
@click.option("-o", "--output", default=RESULT, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--child", hidden=True)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
def main(data: Path, limit: int, side: int, rows: str, output: Path, child: str | None, files: tuple[Path]) -> None:
    """Measure each row and write the record."""
    if child is not None:
        click.echo(json.dumps(measure(child, list(files), side)))
        return
    images = sorted(data.glob("*.png"))[:limit]
    chosen = list(ROWS) if rows == "all" else [BASE, *rows.split(";")]
    table: dict[str, dict[str, Any]] = {}
    for name in chosen:
        curves = run_row(name, images, side)
        full = table.get(BASE if ROWS[name].gray else "RGB, full", {"curves": curves})["curves"]
        table[name] = {"percent": loss(full, curves), "research_percent": ROWS[name].research, "curves": curves}
        click.echo(f"{name:28} {table[name]['percent']:+6.2f} %   research {ROWS[name].research}")
        write_json(output, {"environment": describe(), "qualities": QUALITIES, "side": side, "rows": table})


if __name__ == "__main__":
    main()
