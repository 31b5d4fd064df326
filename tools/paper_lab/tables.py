"""The tables of the report."""

from __future__ import annotations

from paper_lab.results import Results

SIZES = (42, 64, 85, 128, 170, 256, 341, 682)


def cell(error: float | None, digits: int = 1) -> str:
    """Return an error as percent, or a dash."""
    return "-" if error is None else f"{100.0 * error:.{digits}f}"


def row(*cells: str) -> str:
    """Return one line of a table."""
    return "| " + " | ".join(cells) + " |"


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    return "\n".join([row(*head), row(*["---"] * len(head)), *(row(*cells) for cells in rows)]) + "\n"


def by_m(results: Results) -> str:
    """G_m by both optimizers and R_m against m, for each s."""
    rows = []
    for s in (4, 8, 12):
        for method, name in (("g-paper", "G_m, paper"), ("g-search", "G_m, search"), ("r", "R_m")):
            errors = results.by_size(f"{method}-s{s}-m")
            rows.append([str(s), name, *(cell(errors.get(m)) for m in SIZES)])
    text = "## Error against m\n\n" + table(["s", "method", *map(str, SIZES)], rows)
    if seeds := results.get("seeds-s4-m128"):
        text += f"\nThe search for G_128, s = 4, with seeds {_errors(seeds['errors'])}.\n"
    return text


def baselines(results: Results) -> str:
    """Tabulate the fixed and dense transforms for each s."""
    names = {
        "dct": "8x8 DCT",
        "dct-line-rows": "64-point DCT, patches by rows",
        "dct-line-columns": "64-point DCT, patches by columns",
        "q": "Q-DLA",
    }
    rows = [[name, *(cell(results.error(f"{key}-s{s}"), 2) for s in (4, 8, 12))] for key, name in names.items()]
    rows.append(["SK-SVD, square", cell(results.error("sksvd-s4"), 2), "-", "-"])
    return "## Baselines\n\n" + table(["transform", "s = 4", "s = 8", "s = 12"], rows)


def other_sizes(results: Results) -> str:
    """H_p and R_m at the paper's other sizes, and Sparse K-SVD, s = 4."""
    reflectors, general = results.by_size("h-s4-p"), results.by_size("r-s4-m")
    lines = [table(["H_p, s = 4", *map(str, reflectors)], [["error", *(cell(e) for e in reflectors.values())]])]
    starts = results.by_size("r-starts-s4-m")
    rows = [["Algorithm 2", *(cell(e) for e in general.values())]]
    rows.append(["best of 4 signs of U", *(cell(starts.get(m)) for m in general)])
    lines.append(table(["R_m, s = 4", *map(str, general)], rows))
    for base, name in (("dct", "8x8 DCT"), ("dct-line", "64-point DCT")):
        errors = results.by_size(f"sparse-ksvd-{base}-s4-p")
        head = [f"Sparse K-SVD on the {name}, p", *map(str, errors)]
        lines.append(table(head, [["error", *(cell(e) for e in errors.values())]]))
    return "## Other methods, s = 4\n\n" + "\n".join(lines)


def triples(results: Results) -> str:
    """G_85 against every reading of the DCT on several sets of images."""
    runs = [run for name, run in results.runs.items() if name.startswith("triple-")]
    if not runs:
        return ""
    keys = list(runs[0]["errors"])
    rows = [["+".join(run["images"]), run["means"], *(cell(run["errors"][key]) for key in keys)] for run in runs]
    return "## G_85 against the DCT, s = 4\n\n" + table(["images", "mean removed", *keys], rows)


def structured(results: Results) -> str:
    """Greedy and jointly trained rotations at equal m, by log-rate."""
    rows = []
    for m in (32, 64, 144, 416):
        if run := results.get(f"structured-m{m}"):
            values = (f"{run[key]:.3f}" for key in ("dct", "greedy", "structured"))
            rows.append([str(m), *values, str(run["greedy_layers"]), str(run["structured_layers"])])
    head = ["rotations", "DCT alone", "greedy", "structured", "layers, greedy", "layers, structured"]
    note = "Mean log-rate in bits a block after rotations of the 8x8 DCT, step 20/255; lower is better.\n\n"
    return "## Greedy against structured rotations\n\n" + note + table(head, rows) if rows else ""


def times(results: Results) -> str:
    """Seconds and memory of learning."""
    run = results.get("times")
    if run is None:
        return ""
    rows = [[k, f"{s:.2f}", f"{run['memory_bytes'][k] / 1e6:.0f}"] for k, s in run["seconds"].items()]
    text = table(["learner (K = 150, two threads)", "median seconds", "peak MB of the process"], rows)
    if grown := results.get("growth"):
        head = ["seconds an iteration", "sizes and times"]
        text += "\n" + table(
            head,
            [
                [f"{method} against {variable}", _pairs(points)]
                for variable, by in grown.items()
                for method, points in by.items()
            ],
        )
    return "## Times and memory\n\n" + text


def _errors(errors: dict[str, float]) -> str:
    return ", ".join(f"{name}: {cell(error, 2)}" for name, error in errors.items())


def _pairs(points: dict[str, float]) -> str:
    return ", ".join(f"{size}: {1000.0 * seconds:.2f} ms" for size, seconds in points.items())


TABLES = (baselines, by_m, other_sizes, triples, structured, times)
