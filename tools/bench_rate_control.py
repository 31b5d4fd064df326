"""Whether targets are met, and whether quality and effort mean what they say, on images of all kinds."""

import itertools
import warnings
from pathlib import Path

import numpy as np

import fdcodec
from bench_images import of_all_kinds
from fdcodec import codec
from fdcodec.compare.metrics import Samples
from fdcodec.errors import ParameterError, TargetWarning
from fdcodec.image.arrays import as_picture
from fdcodec.rate_control import MAX_ENCODES
from fdcodec.targets import LEAST_FILL, PROMISED_DB, psnr_db

PSNR_DB = (32.0, 38.0)
SIZE_BPP = (0.5, 1.5)
LADDER = tuple(range(0, 101, 10))
EFFORTS = range(1, 10)
EFFORT_QUALITY = 50
EFFORT_SIDE = 256


def run(data: Path, limit: int, side: int) -> dict[str, object]:
    """Measure all images; the result holds shares, worst cases and every attempt."""
    images = list(of_all_kinds(data, limit, side))
    attempts = [_attempt(name, image, target) for name, image in images for target in _targets(image)]
    ladders = [_ladder(name, image) for name, image in images]
    efforts = _efforts([image[:EFFORT_SIDE, :EFFORT_SIDE] for _, image in images])
    summary = {
        "images": len(images),
        "psnr": _shares([attempt for attempt in attempts if attempt["kind"] == "psnr_db"]),
        "size": _shares([attempt for attempt in attempts if attempt["kind"] == "size_bytes"]),
        "most_encodes": max(attempt["encodes"] for attempt in attempts),
        "most_encodes_allowed": MAX_ENCODES,
        "ladders_rising_in_bytes": float(np.mean([ladder["bytes_rise"] for ladder in ladders])),
        "ladders_rising_in_psnr": float(np.mean([ladder["psnr_rises"] for ladder in ladders])),
        "effort_bytes_fall": all(a >= b for a, b in itertools.pairwise(efforts)),
    }
    print(summary)
    return {"summary": summary, "effort_bytes": efforts, "attempts": attempts, "ladders": ladders}


def _targets(image: Samples) -> list[tuple[str, float]]:
    pixels = image.shape[0] * image.shape[1]
    return [("psnr_db", value) for value in PSNR_DB] + [("size_bytes", int(bpp * pixels / 8)) for bpp in SIZE_BPP]


def _attempt(name: str, image: Samples, target: tuple[str, float]) -> dict[str, object]:
    """Encode to a target, and say whether it was met, missed, refused, or outside what any quality gives."""
    kind, value = target
    with warnings.catch_warnings(record=True) as caught, _Counter() as counter:
        warnings.simplefilter("always", TargetWarning)
        try:
            data = fdcodec.encode(image, **{kind: value})
        except ParameterError:
            return {"image": name, "kind": kind, "value": value, "encodes": counter.count, "outcome": "refused"}
    reached = psnr_db(as_picture(image), data) if kind == "psnr_db" else len(data)
    met = abs(reached - value) <= PROMISED_DB if kind == "psnr_db" else LEAST_FILL * value <= reached <= value
    outcome = "met" if met else "missed" if _is_reachable(image, kind, value) else "unreachable"
    return {
        "image": name,
        "kind": kind,
        "value": value,
        "reached": reached,
        "encodes": counter.count,
        "outcome": outcome,
        "warned": len(caught) > 0,
    }


def _is_reachable(image: Samples, kind: str, value: float) -> bool:
    """Tell whether a target lies between what the lowest and the highest quality give: a miss is then the search's."""
    files = [fdcodec.encode(image, quality=quality) for quality in (0, 100)]
    low, high = [psnr_db(as_picture(image), data) if kind == "psnr_db" else len(data) for data in files]
    return low <= value <= high


class _Counter:
    """Counts the encodes of a search while it is entered."""

    def __enter__(self) -> "_Counter":
        self.count, self._encode = 0, codec.encode
        codec.encode = self._counted
        return self

    def _counted(self, *arguments: object) -> bytes:
        self.count += 1
        return self._encode(*arguments)

    def __exit__(self, *_: object) -> None:
        codec.encode = self._encode


def _shares(attempts: list[dict[str, object]]) -> dict[str, object]:
    """Return how often each outcome came, and the farthest results."""
    outcomes = [attempt["outcome"] for attempt in attempts]
    off = [attempt for attempt in attempts if attempt["outcome"] in ("unreachable", "missed")]
    worst = sorted(off, key=lambda attempt: -abs(attempt["reached"] / attempt["value"] - 1))[:5]
    return {
        name: outcomes.count(name) / max(len(outcomes), 1) for name in ("met", "unreachable", "refused", "missed")
    } | {"worst": worst}


def _ladder(name: str, image: Samples) -> dict[str, object]:
    """Encode at each quality of the ladder with one model, so that only the quality changes."""
    files = [fdcodec.encode(image, quality=quality, transform="photo") for quality in LADDER]
    sizes, psnrs = [len(data) for data in files], [psnr_db(as_picture(image), data) for data in files]
    return {
        "image": name,
        "bytes": sizes,
        "psnr_db": psnrs,
        "bytes_rise": all(a <= b for a, b in itertools.pairwise(sizes)),
        "psnr_rises": all(a <= b for a, b in itertools.pairwise(psnrs)),
    }


def _efforts(images: list[Samples]) -> list[int]:
    """Return the bytes of all images together by effort."""
    settings = {"quality": EFFORT_QUALITY, "transform": "photo"}
    return [sum(len(fdcodec.encode(image, effort=effort, **settings)) for image in images) for effort in EFFORTS]
