"""The HTML page of a comparison of lossless codecs: bytes by codec and image, speeds, how it was measured."""

from html import escape
from math import isnan
from pathlib import Path

from fdcodec.compare.cells import codec_row, difference_cell, empty_cell, image_cell, signed, speed_cell
from fdcodec.compare.lossless.records import Comparison, Record
from fdcodec.compare.page import definitions, header, needs, page, section, table, tile
from fdcodec.compare.records import write_file
from fdcodec.words import counted

OWN = "fdc"
METHOD = {
    "Size": "bytes of the whole file, container and headers included",
    "Losslessness": "every file was decoded, and each sample compared",
    "Mean": "geometric, over the images that both codecs take",
    "Speed": "one run each after warm-up, one thread, through Python, megapixels a second over all images",
}


def write(comparison: Comparison, folder: Path) -> Path:
    """Write ``index.html`` into `folder` and return its path."""
    target = folder / "index.html"
    write_file(target, render(comparison).encode(errors="replace"))  # of names that are no text
    return target


def render(comparison: Comparison) -> str:
    """Return the page, which needs no other file."""
    title = f"{counted(len(comparison.records), 'image')}, {counted(len(comparison.codecs), 'lossless codec')}"
    parts = [
        header(title, "Bytes without loss", comparison.environment, _tiles(comparison)),
        _codecs(comparison),
        _images(comparison),
        section("How it was measured", "", _method(comparison)),
    ]
    return page(title, "\n".join(parts))


def _tiles(comparison: Comparison) -> list[str]:
    """Return the figures to read first: fdcodec against each other codec."""
    others = [codec for codec in comparison.codecs if codec != OWN and OWN in comparison.codecs]
    percents = {codec: comparison.size_percent(OWN, codec) for codec in others}
    return [
        tile(f"{signed(percent)} %", f"bytes of fdcodec against {comparison.codecs[codec]}")
        for codec, percent in percents.items()
        if not isnan(percent)
    ]


def _codecs(comparison: Comparison) -> str:
    """Return the table of sizes against the anchor and of speeds, best codec first."""
    anchor, codecs = comparison.anchor, comparison.codecs
    percents = {codec: comparison.size_percent(codec, anchor) for codec in codecs}
    rows = [
        codec_row(codecs, codec, _codec_cells(percents[codec], comparison.speeds(codec)))
        for codec in sorted(codecs, key=lambda codec: (isnan(percents[codec]), percents[codec]))
    ]
    note = f"Bytes against {escape(codecs[anchor])}, mean over images; negative is fewer."
    return section("Sizes", note, table(["Codec", "Bytes", "Encode<br>MP/s", "Decode<br>MP/s"], rows))


def _codec_cells(percent: float, speeds: tuple[float, float]) -> list[str]:
    size = empty_cell("none in common") if isnan(percent) else difference_cell(percent, f"{signed(percent)} %")
    return [size, *(empty_cell("none") if isnan(speed) else speed_cell(speed) for speed in speeds)]


def _images(comparison: Comparison) -> str:
    rows = [_image_row(record, comparison) for record in comparison.records]
    note = f"Bytes of each file; below them the difference from {escape(comparison.codecs[comparison.anchor])}."
    return section("Image by image", note, table(["Image", "Size", *map(escape, comparison.codecs.values())], rows))


def _image_row(record: Record, comparison: Comparison) -> str:
    facts = record.image
    image = image_cell(facts, f"{counted(facts['channels'], 'channel')} of {facts['depth']} bits")
    cells = "".join(_size_cell(record, codec, comparison.anchor) for codec in comparison.codecs)
    return f"<tr><th>{escape(facts['name'])}</th>{image}{cells}</tr>"


def _size_cell(record: Record, codec: str, anchor: str) -> str:
    """Return the bytes of a codec, and their difference from the anchor's where that takes the image."""
    sizes = {name: result.size_bytes for name, result in record.results.items()}
    if codec not in sizes:
        return empty_cell("not taken")
    if codec == anchor or anchor not in sizes:
        return f"<td>{sizes[codec]}</td>"
    percent = 100 * (sizes[codec] / sizes[anchor] - 1)
    return difference_cell(percent, str(sizes[codec]), f"{signed(percent)} %")


def _method(comparison: Comparison) -> str:
    lines = METHOD | {comparison.codecs[codec]: text for codec, text in comparison.settings.items()}
    return definitions(lines | needs(comparison.skipped), comparison.environment)
