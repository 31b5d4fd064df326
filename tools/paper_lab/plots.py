"""The paper's figures from the results, as SVG and PNG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from paper_lab.results import Results

SPARSITIES = (4, 8, 12)


def draw_all(results: Results, directory: Path) -> list[str]:
    """Draw every figure whose results are there; return the names of the files without their endings."""
    figures = {
        "figure-1-construction": figure_1,
        "figure-2-iterations": figure_2,
        "figure-3-m-and-s": figure_3,
        "figure-4-orthogonal": figure_4,
        "figure-5-g-and-r": figure_5,
        "figure-6-large-m": figure_6,
        "figure-7-pareto": figure_7,
        "growth": growth,
    }
    for name, draw in figures.items():
        figure, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
        draw(results, axes)
        axes.grid(alpha=0.3)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=8)
        for ending in ("svg", "png"):
            figure.savefig(
                directory / f"{name}.{ending}", dpi=120, metadata={"Date": None} if ending == "svg" else None
            )
        plt.close(figure)
    return list(figures)


def percent(values: list[float]) -> list[float]:
    """Return fractions as percent."""
    return [100.0 * value for value in values]


def label(axes: Axes, x: str, y: str = "relative error (%)") -> None:
    """Name both axes."""
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def series(axes: Axes, points: dict[int, float], name: str, style: str = "o-", **options: Any) -> None:
    """Draw errors against sizes."""
    if points:
        axes.plot(list(points), percent(list(points.values())), style, markersize=4, label=name, **options)


def level(axes: Axes, error: float | None, name: str, style: str) -> None:
    """Draw a horizontal line at an error, if it is known."""
    if error is not None:
        axes.axhline(100.0 * error, linestyle=style, color="gray", linewidth=1, label=f"{name} {100.0 * error:.1f}")


def figure_1(results: Results, axes: Axes) -> None:
    """Error while G_256 is constructed."""
    for s in SPARSITIES:
        if run := results.get(f"g-paper-s{s}-m256"):
            axes.plot(percent(run["construction"]), label=f"s = {s}")
    label(axes, "factors constructed")


def figure_2(results: Results, axes: Axes) -> None:
    """Error over the iterations of G_256."""
    for s in SPARSITIES:
        if run := results.get(f"g-paper-s{s}-m256"):
            axes.plot(percent(run["curve"]), label=f"s = {s}")
    label(axes, "iteration")


def figure_3(results: Results, axes: Axes) -> None:
    """Error against m and s."""
    for s, colour in zip(SPARSITIES, ("C0", "C1", "C2"), strict=True):
        series(axes, results.by_size(f"g-paper-s{s}-m"), f"G, paper, s = {s}", "o-", color=colour)
        series(axes, results.by_size(f"g-search-s{s}-m"), f"G, search, s = {s}", "s--", color=colour)
        series(axes, results.by_size(f"r-s{s}-m", 700), f"R, s = {s}", "^:", color=colour)
    label(axes, "m")


def figure_4(results: Results, axes: Axes) -> None:
    """Compare the orthogonal methods at s = 4."""
    series(axes, results.by_size("g-paper-s4-m"), "G_m, paper")
    series(axes, results.by_size("g-search-s4-m"), "G_m, search", "s--")
    reflectors = {2 * 64 * p // 3: error for p, error in results.by_size("h-s4-p").items()}
    series(axes, reflectors, "H_p at m = 2np/3", "d-")
    level(axes, results.error("dct-s4"), "8x8 DCT", ":")
    level(axes, results.error("dct-line-columns-s4"), "64-point DCT", "-.")
    level(axes, results.error("q-s4"), "Q-DLA", "--")
    level(axes, results.error("sksvd-s4"), "SK-SVD", "-")
    label(axes, "m")


def figure_5(results: Results, axes: Axes) -> None:
    """G against R at s = 4."""
    series(axes, results.by_size("g-paper-s4-m"), "G_m, paper")
    series(axes, results.by_size("g-search-s4-m"), "G_m, search", "s--")
    series(axes, results.by_size("r-s4-m", 700), "R_m", "^-")
    level(axes, results.error("dct-s4"), "8x8 DCT", ":")
    level(axes, results.error("q-s4"), "Q-DLA", "--")
    label(axes, "m")


def figure_6(results: Results, axes: Axes) -> None:
    """R_m for large m."""
    series(axes, {m: e for m, e in results.by_size("r-s4-m").items() if m >= 170}, "R_m", "^-")
    level(axes, results.error("q-s4"), "Q-DLA", "--")
    level(axes, results.error("sksvd-s4"), "SK-SVD", "-")
    label(axes, "m")


def figure_7(results: Results, axes: Axes) -> None:
    """Error against the operations of D^T y."""
    for prefix, name, style in (
        ("r-s4-m", "R_m", "^-"),
        ("g-search-s4-m", "G_m, search", "s--"),
        ("sparse-ksvd-dct-s4-p", "Sparse K-SVD, 8x8 DCT", "o-"),
        ("sparse-ksvd-dct-line-s4-p", "Sparse K-SVD, 64-point DCT", "d-"),
    ):
        series(axes, results.by_operations(prefix), name, style)
    label(axes, "operations of D^T y")


def growth(results: Results, axes: Axes) -> None:
    """Seconds an iteration against m, N and n."""
    run = results.get("growth") or {}
    for variable, by_method in run.items():
        for method, points in by_method.items():
            axes.loglog(
                [int(x) for x in points], list(points.values()), "o-", markersize=4, label=f"{method}: {variable}"
            )
    label(axes, "m, N or n", "seconds an iteration")
