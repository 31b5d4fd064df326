"""Cells and rows of the tables in a report: differences in percent, speeds, codecs."""

from collections.abc import Mapping
from html import escape
from typing import Any

from fdcodec.compare.plots import colours


def signed(value: float) -> str:
    """Return for instance ``-12.3`` with a real minus sign."""
    return f"{round(value, 1) + 0.0:+.1f}".replace("-", "\u2212")


def speed_cell(megapixels_a_second: float) -> str:
    """Return a speed, with two digits behind the point where it is small."""
    return f"<td>{megapixels_a_second:.{1 if megapixels_a_second >= 1 else 2}f}</td>"


def difference_cell(percent: float, text: str, detail: str = "", hover: str = "") -> str:
    """Return a text with a bar as wide as a difference, and what is said below it and on hovering over it."""
    kind, width = "save" if percent < 0 else "cost", min(abs(percent), 100)
    return f'<td class="{kind}" style="--w:{width:.1f}%"{_title(hover)}>{text}{_small(detail)}</td>'


def empty_cell(text: str, detail: str = "", hover: str = "") -> str:
    """Return a text in the place of a figure that there is not."""
    return f'<td class="none"{_title(hover)}>{text}{_small(detail)}</td>'


def image_cell(facts: Mapping[str, Any], *details: str) -> str:
    """Return the size of an image, with details and the beginning of its hash below it, and its notes."""
    below = [", ".join([*details, str(facts["sha256"])[:8]]), *facts["notes"]]
    return f"<td>{facts['width']}&times;{facts['height']}{''.join(map(_small, below))}</td>"


def codec_row(labels: Mapping[str, str], codec: str, cells: list[str]) -> str:
    """Return the row of a codec, with its colour among all; fdcodec stands out."""
    own = ' class="own"' if codec.startswith("fdc") else ""
    swatch = f'<span class="swatch" style="background:{colours(labels)[codec]}"></span>'
    return f"<tr{own}><th>{swatch}{escape(labels[codec])}</th>{''.join(cells)}</tr>"


def _small(text: str) -> str:
    return f"<small>{escape(text)}</small>" if text else ""


def _title(text: str) -> str:
    return f' title="{escape(text)}"' if text else ""
