"""What a comparison of lossless codecs stores: one record an image, with a figure a codec."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import nan
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from fdcodec.compare.records import write_json

ANCHOR = "png"


@dataclass(frozen=True)
class Result:
    """What one codec makes of one image: the bytes of the whole file, and seconds."""

    size_bytes: int
    encoding_time: float
    decoding_time: float


@dataclass(frozen=True)
class Record:
    """One image, with results by codec; a codec that has no such images is left out."""

    image: dict[str, Any]
    results: dict[str, Result]

    @property
    def pixels(self) -> int:
        """Width times height."""
        return int(self.image["width"] * self.image["height"])


@dataclass(frozen=True)
class Comparison:
    """Everything a report is made from; `codecs` has what people call each, `settings` how it was run."""

    environment: dict[str, Any]
    skipped: dict[str, str]
    codecs: dict[str, str]
    settings: dict[str, str]
    records: Sequence[Record]

    @property
    def anchor(self) -> str:
        """PNG, or the first codec that takes an image where that was not run."""
        able = [codec for codec in self.codecs if any(codec in record.results for record in self.records)]
        return ANCHOR if ANCHOR in self.codecs else (able or [*self.codecs])[0]

    def size_percent(self, codec: str, anchor: str) -> float:
        """Return by how many percent a codec's files are larger than an anchor's, as geometric mean over images.

        Images that one of the two does not take are left out; NaN where none is left.
        """
        both = [record.results for record in self.records if {codec, anchor} <= record.results.keys()]
        ratios = [results[codec].size_bytes / results[anchor].size_bytes for results in both]
        return 100 * (geometric_mean(ratios) - 1) if ratios else nan

    def speeds(self, codec: str) -> tuple[float, float]:
        """Return the megapixels that a codec encodes and decodes in a second; NaN where it takes no image."""
        taken = [record for record in self.records if codec in record.results]
        megapixels = sum(record.pixels for record in taken) / 1e6
        encoding_s = sum(record.results[codec].encoding_time for record in taken)
        decoding_s = sum(record.results[codec].decoding_time for record in taken)
        return (megapixels / encoding_s, megapixels / decoding_s) if taken else (nan, nan)

    def save(self, path: Path) -> None:
        """Write all of it as JSON."""
        write_json(path, asdict(self))
