"""One self-contained HTML page of a stored comparison: curves, BD-rates, images, details at equal rate."""

from itertools import chain
from pathlib import Path

from fdcodec.compare import plots
from fdcodec.compare.aggregate import anchor_of, average_bd_rates, average_curves, compressai_averages
from fdcodec.compare.bd_rate import MIN_OVERLAP, MIN_RANGE
from fdcodec.compare.metrics import KINDS
from fdcodec.compare.page import definitions, header, needs, page, section, tile
from fdcodec.compare.records import Comparison, write_file, write_json
from fdcodec.compare.report_details import details_section
from fdcodec.compare.report_tables import bd_section, images_section, percent
from fdcodec.words import counted

CONTROLS = ("fdc-dct", "fdc-dct-visual")
CURVES_NOTE = (
    "Mean rate and mean quality over the images at each setting. Higher is better, further left is better; the rate "
    "axis is logarithmic, so that equal savings in percent are equal distances."
)
METHOD = {
    "Rate": "bits of the whole file, container and headers included, divided by the number of pixels",
    "PSNR": "from the squared error pooled over all samples of the decoded image",
    "MS-SSIM": "Wang 2003, five scales, mean over planes; drawn in dB as -10 log10(1 - x); needs sides of 176 pixels",
    "SSIMULACRA 2": "by the package ssimulacra2; 70 is high quality, 90 visually lossless",
    "BD-rate": "PCHIP of log rate over quality, mean over the range that both curves cover; points that cost more "
    f"without being better are left out; refused where less than {MIN_OVERLAP:.0%} of the narrower range, or less than "
    f"{MIN_RANGE:g}, is shared",
    "Speed": "one run each after warm-up, one thread, through Python, megapixels a second over all settings",
    "Alpha": "laid over white before coding",
}


def write(comparison: Comparison, folder: Path) -> Path:
    """Write ``index.html``, the plots as SVG and PNG and CompressAI-style averages into `folder`; return the page."""
    for measure in _drawable(comparison):
        figure = plots.rate_distortion(comparison, measure)
        write_file(folder / f"{measure}.svg", plots.svg(figure).encode())
        write_file(folder / f"{measure}.png", plots.png(figure))
    for codec, averages in compressai_averages(comparison).items():
        write_json(folder / "results" / "average" / f"{codec}.json", averages)
    target = folder / "index.html"
    write_file(target, render(comparison, folder).encode(errors="replace"))  # of names that are no text
    return target


def render(comparison: Comparison, folder: Path) -> str:
    """Return the page; `folder` holds the plots, crops and thumbnails that it embeds."""
    measures = _drawable(comparison)
    parts = [
        _header(comparison, measures),
        section("Curves", CURVES_NOTE, _curves(measures, folder)),
        bd_section(comparison, measures),
        *(images_section(comparison, measure, folder) for measure in measures if measure.startswith("psnr")),
        details_section(comparison, folder),
        section("How it was measured", "", _method(comparison)),
    ]
    return page(_title(comparison), "\n".join(parts))


def _drawable(comparison: Comparison) -> list[str]:
    return [measure for measure in comparison.measures if average_curves(comparison, measure)]


def _title(comparison: Comparison) -> str:
    images, codecs = len(comparison.images), len(comparison.codecs)
    return f"{counted(images, 'image')}, {counted(codecs, 'codec')}"


def _header(comparison: Comparison, measures: list[str]) -> str:
    tiles = chain.from_iterable(_tiles(comparison, measure) for measure in measures if measure.startswith("psnr"))
    return header(_title(comparison), "Rate and distortion", comparison.environment, tiles)


def _tiles(comparison: Comparison, measure: str) -> list[str]:
    """Return the figures to read first: fdcodec against the anchor and against its own DCT, at equal PSNR."""
    planes = measure.rsplit("-", 1)[1]
    kind = "" if planes == "rgb" else f" ({KINDS[planes]})"
    return [
        tile(percent(rate), f"bits of {comparison.codecs[codec]} at the PSNR of {comparison.codecs[anchor]}{kind}")
        for anchor in dict.fromkeys((anchor_of(comparison), *CONTROLS))
        if anchor in comparison.codecs
        for codec, rate in average_bd_rates(comparison, measure, anchor).items()
        if codec.startswith("fdc-") and codec != anchor
    ]


def _curves(measures: list[str], folder: Path) -> str:
    """Return the stored drawings with the colours of text and grid left to the page."""
    drawings = []
    for measure in measures:
        svg = (folder / f"{measure}.svg").read_text(encoding="utf-8")
        svg = svg[svg.index("<svg") :].replace(plots.INK, "currentColor").replace(plots.FAINT, "var(--line)")
        drawings.append(f"<div>{svg}</div>")
    return f'<div class="plots">{"".join(drawings)}</div>'


def _method(comparison: Comparison) -> str:
    lines = METHOD | {record.name: record.description for record in comparison.records}
    return definitions(lines | needs(comparison.skipped), comparison.environment)
