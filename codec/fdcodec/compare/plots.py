"""Rate-distortion curves as SVG and PNG, drawn with matplotlib."""

from collections.abc import Mapping
from io import BytesIO
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from fdcodec.compare.aggregate import Curve, average_curves, complete_images
from fdcodec.compare.metrics import KINDS, TITLES
from fdcodec.compare.records import Comparison
from fdcodec.words import counted

INK, FAINT = "#24292f", "#d0d7de"
COLOURS = {  # legible on white and on near-black
    "jpeg420": "#8c959f",
    "jpeg444": "#6e7781",
    "jp2": "#bf8700",
    "webp": "#2da44e",
    "avif420": "#54aeff",
    "avif444": "#0969da",
    "jxl": "#a475f9",
    "png": "#8c959f",
    "jls": "#54aeff",
}
OWN_COLOURS = ("#e5534b", "#f0883e", "#d63d8c", "#c69026", "#b35900", "#8e4585")
DASHED = {"jpeg444", "avif420"}
TICKS_BPP = (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20)


def colours(codecs: Mapping[str, str]) -> dict[str, str]:
    """Return a colour for each codec: fixed for the rivals, warm ones in turn for fdcodec's transforms."""
    own = [codec for codec in codecs if codec not in COLOURS]
    return {**COLOURS, **{codec: OWN_COLOURS[i % len(OWN_COLOURS)] for i, codec in enumerate(own)}}


def rate_distortion(comparison: Comparison, measure: str) -> Figure:
    """Draw the average curve of each codec over a logarithmic rate, so that equal savings are equal distances."""
    metric, planes = measure.rsplit("-", 1)
    figure = Figure(figsize=(5.0, 5.2), layout="constrained")
    axes = figure.add_subplot(xscale="log", xlabel="rate (bits per pixel, whole file)", ylabel=f"mean {TITLES[metric]}")
    palette = colours(comparison.codecs)
    for codec, curve in average_curves(comparison, measure).items():
        _draw(axes, codec, curve, label=comparison.codecs[codec], colour=palette[codec])
    count = len(complete_images(comparison, measure))
    axes.set_title(f"{TITLES[metric]}, {counted(count, f'{KINDS[planes]} image')}")
    _style(axes)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, labelcolor=INK, fontsize=9)
    return figure


def svg(figure: Figure) -> str:
    """Return the figure as SVG text, the same for the same data."""
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": figure.axes[0].get_title()}):
        return _bytes(figure, format="svg", transparent=True, metadata={"Date": None}).decode()


def png(figure: Figure) -> bytes:
    """Return the figure as PNG on white."""
    return _bytes(figure, format="png", dpi=160)


def _bytes(figure: Figure, **options: Any) -> bytes:
    file = BytesIO()
    figure.savefig(file, **options)
    return file.getvalue()


def _draw(axes: mpl.axes.Axes, codec: str, curve: Curve, label: str, colour: str) -> None:
    own = codec not in COLOURS
    axes.plot(
        *curve,
        label=label,
        color=colour,
        linewidth=2.4 if own else 1.4,
        linestyle="--" if codec in DASHED else "-",
        marker="o",
        markersize=4 if own else 2.8,
        zorder=3 if own else 2,
    )


def _style(axes: mpl.axes.Axes) -> None:
    axes.set_xticks([tick for tick in TICKS_BPP if axes.get_xlim()[0] <= tick <= axes.get_xlim()[1]])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(color=FAINT, linewidth=0.6)
    axes.tick_params(which="both", colors=INK, length=0)
    axes.spines[:].set_visible(False)
    for text in (axes.title, axes.xaxis.label, axes.yaxis.label):
        text.set_color(INK)
    axes.title.set_fontsize(11)
