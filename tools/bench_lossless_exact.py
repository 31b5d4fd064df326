"""Whether lossless files give back every sample, over images of every kind, size, depth and number of channels.

usage: python tools/bench_lossless_exact.py --data DIR [--limit 300] [-o FILE]

A third of the images is generated, from 1x1 on; a third is files made to be difficult (DIR/edge); a third is crops of
all other kinds, 16-bit medical images among them.
"""

from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import click
import numpy as np

import fdcodec
from bench_images import Crop, crops, evenly, held_out_by_kind
from bench_record import store
from fdcodec.aliases import Samples
from fdcodec.errors import FdcError
from fdcodec.image.reading import read_image

SIDE_PX = 192  # of crops
WHOLE_PX = 1 << 17  # difficult files of fewer pixels are not cut
EDGE = "edge"
SHAPES = ((1, 1), (1, 2), (2, 1), (1, 257), (257, 1), (3, 5), (4, 4), (7, 9), (16, 16), (31, 33), (64, 65), (100, 37))
CHANNELS = (None, 1, 2, 3, 4)
DEPTHS = (np.uint8, np.uint16)
PATTERNS = ("noise", "constant", "ramp", "few values", "extremes", "sparse")


def generated(limit: int) -> list[Crop]:
    """Return images of every size, number of channels and depth, the patterns in turn; fixed seeds."""
    cases = list(enumerate(product(SHAPES, CHANNELS, DEPTHS)))
    step = max(len(cases) / limit, 1)
    chosen = [cases[int(k * step)] for k in range(min(limit, len(cases)))]
    return [
        generated_image(seed, shape if channels is None else (*shape, channels), np.dtype(depth))
        for seed, (shape, channels, depth) in chosen
    ]


def generated_image(seed: int, shape: tuple[int, ...], dtype: np.dtype) -> Crop:
    """Return one image of a pattern that goes by the seed."""
    rng, pattern, peak = np.random.default_rng(seed), PATTERNS[seed % len(PATTERNS)], np.iinfo(dtype).max
    noise = rng.integers(0, peak + 1, shape)
    samples = {
        "noise": noise,
        "constant": np.full(shape, noise.flat[0]),
        "ramp": np.arange(noise.size).reshape(shape) * int(noise.flat[0] % 97 + 1) % (peak + 1),
        "few values": rng.choice(rng.integers(0, peak + 1, 5), shape),
        "extremes": rng.choice([0, peak], shape),
        "sparse": np.where(rng.random(shape) < 0.03, noise, peak // 3),
    }[pattern].astype(dtype)
    return Crop(f"{pattern} {seed}", "generated", sha256(samples.tobytes()).hexdigest(), samples)


def difficult(data: Path, limit: int) -> list[Crop]:
    """Return the files of DIR/edge that hold an image, whole where they are small."""
    found = []
    for path in evenly(held_out_by_kind(data).get(EDGE, []), limit):
        try:
            samples = read_image(path).picture.array
        except FdcError:
            continue  # many of them are damaged on purpose
        small = samples.shape[0] * samples.shape[1] <= WHOLE_PX
        cut = samples if small else samples[:SIDE_PX, :SIDE_PX]
        found.append(Crop(str(path.relative_to(data)), EDGE, sha256(path.read_bytes()).hexdigest(), cut))
    return found


def check(crop: Crop) -> dict[str, Any]:
    """Encode without loss, decode and compare shape, type and every sample."""
    data = fdcodec.encode(crop.samples, lossless=True)
    decoded: Samples = fdcodec.decode(data)
    equal = decoded.dtype == crop.samples.dtype and np.array_equal(decoded, crop.samples)
    if not equal:
        print(f"{crop.kind}/{crop.name}: not equal", flush=True)
    return crop.facts | {"dtype": str(crop.samples.dtype), "bytes": len(data), "equal": bool(equal)}


@click.command()
@click.option("--data", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--limit", default=300, show_default=True, help="Images in all.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path))
def main(data: Path, limit: int, output: Path | None) -> None:
    """Check every image; fails where one comes back different."""
    images = generated(limit // 3)
    images += difficult(data, limit // 3)
    images += crops(data, limit - len(images), SIDE_PX, without=EDGE)
    rows = [check(crop) for crop in images]
    different = [row["name"] for row in rows if not row["equal"]]
    print(f"{len(rows)} images, {len(different)} different")
    store("lossless_exact", output, {"images": len(rows), "different": different, "rows": rows})
    if different:
        raise click.ClickException(f"{len(different)} images came back different; see the result file")


if __name__ == "__main__":
    main()
