"""The pictures of the report: the hardest square of each image, all codecs near the same rate."""

import math
from html import escape
from pathlib import Path

from fdcodec.compare.aggregate import anchor_of
from fdcodec.compare.crops import ORIGINAL, thumbnail_file
from fdcodec.compare.page import data_url, section
from fdcodec.compare.records import Comparison, Crop

NOTE = (
    "The square of each image in which {anchor} errs most, each file coded as near as it comes to the same size. Point "
    "at a picture, or tap it, to see the original in its place."
)


def details_section(comparison: Comparison, folder: Path) -> str:
    """Return a row of pictures for each image, or nothing if no crops were stored."""
    if not comparison.crops:
        return ""
    rows = [
        _row(comparison, [crop for crop in comparison.crops if crop.image == image], folder)
        for image in dict.fromkeys(crop.image for crop in comparison.crops)
    ]
    note = NOTE.format(anchor=escape(comparison.codecs[anchor_of(comparison)]))
    return section("Details at equal rate", note, "\n".join(rows))


def _row(comparison: Comparison, crops: list[Crop], folder: Path) -> str:
    original = next(crop for crop in crops if crop.codec == ORIGINAL)
    figures = [_where(comparison.images[original.image], original, folder)]
    figures += [_figure(crop, comparison.codecs.get(crop.codec, "Original"), folder) for crop in crops]
    title = f"<h3>{escape(original.image)} <small>near {original.target_bpp:.2f} bits per pixel</small></h3>"
    style = f"--original: url({data_url(folder / original.file)})"
    return f'{title}\n<div class="detail" style="{style}">{"".join(figures)}</div>'


def _where(facts: dict[str, object], crop: Crop, folder: Path) -> str:
    """Return the whole image with the square marked."""
    width, height = float(str(facts["width"])), float(str(facts["height"]))
    left, top, right, bottom = crop.box
    place = f"left:{left / width:.2%};top:{top / height:.2%}"
    place += f";width:{(right - left) / width:.2%};height:{(bottom - top) / height:.2%}"
    picture = f'<img src="{data_url(folder / thumbnail_file(crop.image))}" alt="The whole image">'
    shape = f"aspect-ratio:{width:g}/{height:g}"
    frame = f'<div class="whole"><div class="frame" style="{shape}">{picture}<i style="{place}"></i></div></div>'
    return f"<figure>{frame}<figcaption>Whole image</figcaption></figure>"


def _figure(crop: Crop, label: str, folder: Path) -> str:
    own = ' class="own"' if crop.codec.startswith("fdc-") else ""
    quality = "uncoded" if math.isinf(crop.psnr_db) else f"{crop.bpp:.3f} bpp, {crop.psnr_db:.2f} dB"
    picture = f'<a tabindex="0"><img src="{data_url(folder / crop.file)}" alt="{escape(label)}"></a>'
    return f"<figure{own}>{picture}<figcaption>{escape(label)}<small>{quality}</small></figcaption></figure>"
