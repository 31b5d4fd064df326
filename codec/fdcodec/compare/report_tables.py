"""The tables of the report: BD-rates over all images, and image by image."""

import math
from html import escape
from pathlib import Path
from typing import Any

from fdcodec.compare.aggregate import anchor_of, average_bd_rates, image_bd_rates, speeds, spread
from fdcodec.compare.bd_rate import BDRate
from fdcodec.compare.cells import codec_row, difference_cell, empty_cell, image_cell, signed, speed_cell
from fdcodec.compare.crops import thumbnail_file
from fdcodec.compare.metrics import KINDS, TITLES
from fdcodec.compare.page import data_url, section, table
from fdcodec.compare.records import Comparison

BD_NOTE = (
    "Bits against {anchor} at equal quality, from the average curves; negative is fewer. Below it the median over "
    "single images, with the 95 % interval of their mean."
)
LOSSY_SOURCES = {"JPEG", "MPO"}


def bd_section(comparison: Comparison, measures: list[str]) -> str:
    """Return the table of BD-rates of the average curves and of speeds, best codec first."""
    anchor = anchor_of(comparison)
    averages = [average_bd_rates(comparison, measure, anchor) for measure in measures]
    singles = [image_bd_rates(comparison, measure, anchor) for measure in measures]
    speed = speeds(comparison)
    rows = []
    for codec in sorted(comparison.codecs, key=lambda codec: _order(averages[0][codec]) if averages else 0):
        cells = [
            _average_cell(average[codec], [rate.percent for (_, c), rate in single.items() if c == codec])
            for average, single in zip(averages, singles, strict=True)
        ]
        cells += map(speed_cell, speed[codec])
        shown = cells if codec != anchor else ["<td>anchor</td>"] * len(averages) + cells[-2:]
        rows.append(codec_row(comparison.codecs, codec, shown))
    header = ["Codec", *map(_measure_title, measures), "Encode<br>MP/s", "Decode<br>MP/s"]
    return section("BD-rates", BD_NOTE.format(anchor=escape(comparison.codecs[anchor])), table(header, rows))


def images_section(comparison: Comparison, measure: str, folder: Path) -> str:
    """Return the table of BD-rates by image and codec."""
    anchor = anchor_of(comparison)
    rates = image_bd_rates(comparison, measure, anchor)
    others = [codec for codec in comparison.codecs if codec != anchor]
    rows = [
        f"<tr>{_image_cells(facts, folder)}{''.join(_cell(rates[image, codec], '') for codec in others)}</tr>"
        for image, facts in comparison.images.items()
        if (image, anchor) in rates
    ]
    header = ["Image", "Size", *(escape(comparison.codecs[codec]) for codec in others)]
    note = f"BD-rate against {escape(comparison.codecs[anchor])}, {_measure_title(measure)}, one image at a time."
    return section("Image by image", note, table(header, rows))


def percent(rate: BDRate) -> str:
    """Return for instance ``-12.3 %`` with a real minus sign, or ``refused``."""
    return "refused" if rate.reason else signed(rate.percent) + " %"


def _average_cell(average: BDRate, single: list[float]) -> str:
    if average.reason:
        return _cell(average, average.reason)
    over = spread(single)
    interval = f"{signed(over.median)} [{signed(over.low)}, {signed(over.high)}]"
    return _cell(average, interval if over.images > 1 else "")


def _cell(rate: BDRate, detail: str) -> str:
    if rate.reason:
        return empty_cell("refused", detail, rate.reason)
    covered = f"shared quality range {rate.low:.2f} to {rate.high:.2f}, {rate.overlap:.0%} of the narrower"
    return difference_cell(rate.percent, percent(rate), detail, covered)


def _image_cells(facts: dict[str, Any], folder: Path) -> str:
    thumbnail = folder / thumbnail_file(str(facts["name"]))
    picture = f'<img src="{data_url(thumbnail)}" alt="">' if thumbnail.exists() else ""
    source = ["JPEG source"] if facts["format"] in LOSSY_SOURCES else []
    return f"<th>{picture}{escape(str(facts['name']))}</th>{image_cell(facts, *source)}"


def _measure_title(measure: str) -> str:
    metric, planes = measure.rsplit("-", 1)
    return TITLES[metric].removesuffix(" (dB)") + ("" if planes == "rgb" else f" {KINDS[planes]}")


def _order(rate: BDRate) -> float:
    return math.inf if rate.reason else rate.percent
