"""The golden files: what they show, how they are made, and their records."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tests.golden.forged import forged, forgeries
from tests.images import noise, photo, ramp, uneven

import fdcodec
from fdcodec.model import ClassModel, get

FILES = Path(__file__).parent / "files"

Samples = NDArray[Any]


class Case(NamedTuple):
    """One golden file: an image made here, and the options and the class model that encode it."""

    make: Callable[[], Samples]
    options: dict[str, Any]
    model: Callable[[], ClassModel | str] = lambda: "auto"


def glyphs(height: int, width: int) -> NDArray[np.uint8]:
    """Return gray text-like marks on white."""
    tile = np.random.default_rng(7).integers(0, 2, (6, 5))
    marks = np.tile(np.pad(tile, ((1, 2), (1, 2))), (height // 9 + 1, width // 8 + 1))[:height, :width]
    return np.where(marks, 40, 255).astype(np.uint8)


def page(rows: int, columns: int) -> NDArray[np.uint8]:
    """Return rows of letters of 8x8, each in a colour, and a photograph in a corner: a picture for screen tools."""
    rng = np.random.default_rng(8)
    letters = np.pad(rng.integers(0, 2, (4, 6, 5)), ((0, 0), (1, 1), (1, 2)))
    marks = np.block([[letters[k] for k in row] for row in rng.integers(0, len(letters), (rows, columns))])
    inks = rng.integers(0, 256, (rows, 3)).repeat(8, axis=0)[:, None]
    samples = np.where(marks[:, :, None], inks, [255, 250, 230]).astype(np.uint8)
    samples[-16:, -24:] = photo(16, 24)
    return samples


def with_disc(colours: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Append an alpha channel: opaque inside a disc."""
    height, width = colours.shape[:2]
    y, x = np.mgrid[:height, :width]
    inside = (y - height / 2) ** 2 + (x - width / 2) ** 2 < (min(height, width) / 2.2) ** 2
    return np.dstack([colours, np.where(inside, 255, 0).astype(np.uint8)])


def child() -> ClassModel:
    """Return a model that has every second group of its parent, other start states and no filter."""
    parent = get("photo")
    return replace(
        parent,
        transforms=dict(list(parent.transforms.items())[::2]),
        start_states=parent.start_states ^ np.array([1, 1], np.uint8),
        filters=None,
        recipe={"parent": parent.hash.hex()},
    )


CASES = {
    "one-pixel": Case(lambda: noise(1, 1, 3, seed=1), {"quality": 75}),
    "gray-ramp": Case(lambda: ramp(21, 34, 1)[:, :, 0], {"quality": 60}),
    "colour-photo": Case(lambda: photo(24, 40), {"quality": 50}),
    "colour-noise-high-quality": Case(lambda: noise(8, 8, 3, seed=2), {"quality": 95}),
    "dct-low-quality": Case(lambda: photo(32, 32), {"quality": 10, "transform": "dct"}),
    "colour-with-alpha": Case(lambda: with_disc(photo(24, 24)), {"quality": 70}),
    "gray-with-alpha": Case(lambda: with_disc(ramp(12, 17, 1)), {"quality": 70}),
    "visual": Case(lambda: uneven(36, 68), {"quality": 45, "tune": "visual"}),
    "screen-gray": Case(lambda: page(3, 5)[:, :, 0], {"quality": 70}),
    "screen-colour": Case(lambda: page(5, 8), {"quality": 60}),
    "sixteen-bits": Case(lambda: 16 * ramp(21, 34, 1)[:, :, 0].astype(np.uint16) + 1000, {"quality": 90}),
    "sixteen-bits-colour-with-alpha": Case(lambda: 257 * with_disc(photo(24, 24)).astype(np.uint16), {"quality": 60}),
    "model-with-a-parent": Case(lambda: photo(33, 20), {"quality": 60}, child),
    "embedded-model": Case(lambda: ramp(12, 15, 1)[:, :, 0], {"quality": 50}, lambda: ClassModel("plain")),
    "tiles": Case(lambda: photo(40, 40), {"quality": 40, "tile": 32}),
    "lossless-gray": Case(lambda: ramp(19, 23, 1)[:, :, 0], {"lossless": True}),
    "lossless-photo": Case(lambda: photo(16, 16), {"lossless": True}),
    "lossless-glyphs": Case(lambda: glyphs(30, 40), {"lossless": True}),
    "lossless-16-bits": Case(lambda: noise(7, 9, 1, seed=3, dtype=np.uint16), {"lossless": True}),
    "lossless-alpha": Case(lambda: with_disc(noise(9, 9, 3, seed=4) & 0xC0), {"lossless": True}),
}


def digest(samples: Samples) -> str:
    """Return the SHA-256 of shape, type and little-endian samples in C order."""
    little = samples.astype(samples.dtype.newbyteorder("<"))
    return hashlib.sha256(f"{samples.shape} {samples.dtype.name} ".encode() + little.tobytes()).hexdigest()


def made(name: str) -> tuple[bytes, dict[str, Any]]:
    """Return the file that a case makes now, and its record."""
    case = CASES[name]
    samples = case.make()
    data = fdcodec.encode(samples, **{"transform": case.model(), **case.options})
    decoded = fdcodec.decode(data)
    error = np.abs(decoded.astype(np.int64) - samples)
    return data, {
        "options": case.options,
        "shape": list(samples.shape),
        "dtype": samples.dtype.name,
        "size_bytes": len(data),
        "sha256_source": digest(samples),
        "sha256_pixels": digest(decoded),
        "peak_error": int(error.max()),
    }


def stored(name: str) -> tuple[bytes, dict[str, Any]]:
    """Return a case's golden file and record; a missing one is an error, never made here."""
    data, record = FILES / f"{name}.fdc", FILES / f"{name}.json"
    for path in (data, record):
        if not path.exists():
            raise FileNotFoundError(f"{path} is missing; `python -m tests.golden --regenerate` makes it")
    return data.read_bytes(), json.loads(record.read_text())


def decoded_digests() -> dict[str, str]:
    """Return the digest of what every golden and every forged file decodes to now."""
    files = {name: stored(name)[0] for name in CASES} | {name: forged(name) for name in forgeries()}
    return {name: digest(fdcodec.decode(data)) for name, data in files.items()}
