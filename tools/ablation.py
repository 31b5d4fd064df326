"""What each tool of the codec is worth: the full codec against itself with one tool off, on Kodak.

usage: python tools/ablation.py --data DIR [--limit 6] [--rows a,b] [-o FILE]

Rows are in ablation_rows.py; each runs in a process of its own. Then `python tools/ablation_table.py` writes
docs/results/ablation.md.
"""

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import click

from ablation_child import MODEL, SIDE_PX
from ablation_rows import ROWS, baseline
from bench_curves import QUALITIES, Curve, rates
from bench_images import evenly
from bench_record import store

HERE = Path(__file__).parent
PATCHES = ("ablation_rows.py", "ablation_kernels.py")


def cache_of(name: str) -> Path:
    """Return where a row's machine code is kept: apart from the package's where kernels are patched."""
    home = Path(os.environ.get("FDCODEC_CACHE_DIR") or Path.home() / ".cache" / "fdcodec")
    if not ROWS[name].compiled:
        return home
    digest = sha256(b"".join((HERE / patch).read_bytes() for patch in PATCHES)).hexdigest()[:12]
    return home / f"ablation-{name}-{digest}"


def measured(name: str, data: Path, limit: int) -> dict[str, Any]:
    """Return what the process of a row printed; `failed` where it broke."""
    command = [sys.executable, str(HERE / "ablation_child.py"), name, str(data), str(limit)]
    environment = os.environ | {"FDCODEC_CACHE_DIR": str(cache_of(name))}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {"failed": f"exit code {done.returncode}"}


def entry(name: str, measured_row: dict[str, Any], full: list[Curve]) -> dict[str, Any]:
    """Return what the result stores of a row: its effect on the rate, and its curves."""
    row = ROWS[name]
    facts = {"label": row.label, "research": row.research, "images": "rgb" if row.colour else "gray"}
    if "curves" not in measured_row:
        return facts | measured_row
    return facts | rates([Curve(**curve) for curve in measured_row["curves"]], full) | measured_row


def chosen(rows: str) -> list[str]:
    """Return the names of the rows to measure, the full codec first wherever a row needs it."""
    names = rows.split(",") if rows else list(ROWS)
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        raise click.BadParameter(f"{unknown[0]} is no row; rows are {', '.join(ROWS)}", param_hint="--rows")
    return list(dict.fromkeys([*sorted({baseline(name) for name in names}), *names]))


def file_hashes(data: Path, limit: int) -> dict[str, str]:
    """Return the sha256 of each image file."""
    files = evenly(sorted((data / "kodak").glob("*.png")), limit)
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in files}


@click.command()
@click.option("--data", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--limit", default=6, show_default=True, help="Images, evenly over Kodak's 24.")
@click.option("--rows", default="", help="Only these, separated by commas [all].")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="[tools/results/ablation.json]")
def main(data: Path, limit: int, rows: str, output: Path | None) -> None:
    """Measure the rows; the result file is complete after every row."""
    table: dict[str, Any] = {}
    head = {"model": MODEL, "side_px": SIDE_PX, "qualities": QUALITIES, "sha256": file_hashes(data, limit)}
    for name in chosen(rows):
        result = measured(name, data, limit)
        if name == baseline(name) and "curves" not in result:
            raise click.ClickException(f"{name}: the full codec could not be measured")
        curves = (result if name == baseline(name) else table[baseline(name)])["curves"]
        table[name] = entry(name, result, [Curve(**curve) for curve in curves])
        print(f"{name:20} {table[name].get('mean', table[name].get('skipped', 'failed'))}", flush=True)
        store("ablation", output, head | {"rows": table})


if __name__ == "__main__":
    main()
