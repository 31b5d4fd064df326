"""What a comparison stores: one record an image and codec, in CompressAI's JSON keys and ours."""

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from fdcodec.image.files import replace_file


@dataclass(frozen=True)
class Record:
    """One codec on one image: lists in `results` have one value a quality.

    `results` holds CompressAI's keys (``psnr-rgb``, ``ms-ssim-rgb``, ``bpp``, ``encoding_time``, ``decoding_time`` in
    seconds; ``-y`` for gray) and ours (``quality``, ``size_bytes``, ``ssimulacra2-rgb``). MS-SSIM is not in dB.
    """

    name: str
    description: str
    codec: str
    image: dict[str, Any]
    results: dict[str, list[float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Crop:
    """A detail of an image, coded so that the whole file comes near `target_bpp`; the pixels are a PNG in `file`.

    The original is among them, with infinite PSNR (null in JSON).
    """

    image: str
    codec: str
    box: tuple[int, int, int, int]
    target_bpp: float
    bpp: float
    psnr_db: float
    file: str


@dataclass(frozen=True)
class Comparison:
    """Everything a report is made from."""

    environment: dict[str, Any]
    skipped: dict[str, str]
    records: list[Record]
    crops: list[Crop] = field(default_factory=list)

    @property
    def codecs(self) -> dict[str, str]:
        """Labels by codec, in the order of the sweep."""
        return {record.codec: record.name for record in self.records}

    @property
    def images(self) -> dict[str, dict[str, Any]]:
        """Facts of each image by its name, in the order of the sweep."""
        return {record.image["name"]: record.image for record in self.records}

    @property
    def measures(self) -> list[str]:
        """Keys of the quality measures, such as ``psnr-rgb``, in the order of first appearance."""
        keys = dict.fromkeys(key for record in self.records for key in record.results)
        return [key for key in keys if key.endswith(("-rgb", "-y", "-y16"))]

    def save(self, directory: Path) -> None:
        """Write ``run.json`` and ``images/IMAGE/CODEC.json`` under `directory`."""
        run = {"environment": self.environment, "skipped": self.skipped, "crops": [asdict(c) for c in self.crops]}
        write_json(directory / "run.json", run | {"records": [_path(record) for record in self.records]})
        for record in self.records:
            write_json(directory / _path(record), asdict(record))

    @classmethod
    def load(cls, directory: Path) -> Self:
        """Read what `save` wrote."""
        run = json.loads((directory / "run.json").read_text())
        records = [_parse(json.loads((directory / path).read_text())) for path in run["records"]]
        return cls(run["environment"], run["skipped"], records, [_parse_crop(crop) for crop in run["crops"]])


def write_json(path: Path, value: Any) -> None:
    """Write indented JSON, creating directories; numbers that are not finite become null."""
    write_file(path, (json.dumps(_finite(value), indent=1) + "\n").encode())


def write_file(path: Path, data: bytes) -> None:
    """Write a file in one step, creating directories: if that fails, the one of an earlier comparison is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, data)


def _path(record: Record) -> str:
    return f"images/{record.image['name']}/{record.codec}.json"


def _parse(stored: dict[str, Any]) -> Record:
    results = {key: [math.nan if v is None else v for v in values] for key, values in stored["results"].items()}
    return Record(**{**stored, "results": results})


def _parse_crop(stored: dict[str, Any]) -> Crop:
    psnr_db = math.inf if stored["psnr_db"] is None else stored["psnr_db"]
    return Crop(**{**stored, "box": tuple(stored["box"]), "psnr_db": psnr_db})


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(v) for key, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_finite(v) for v in value]
    return value
