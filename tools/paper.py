"""Rerun every figure and table of the paper: `python tools/paper.py --data DIR`.

Each experiment's result is kept as one JSON file under tools/results/paper/, and an experiment whose file is there is
not run again, so the command resumes where it stopped. At the end it writes table.csv, the plots, and
docs/results/paper.md. Needs the `lab` extra.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

from paper_lab.data import Images
from paper_lab.experiments import all_experiments

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "tools" / "results" / "paper"
REPORT = ROOT / "docs" / "results" / "paper.md"


def waiting(names: list[str], results: Path) -> list[str]:
    """Return the experiments that have no result yet."""
    return [name for name in names if not (results / f"{name}.json").exists()]


def run(names: list[str], images: Images, results: Path) -> None:
    """Run experiments, with a line of progress each."""
    experiments = all_experiments()
    for number, name in enumerate(names, 1):
        start = time.perf_counter()
        result = experiments[name](images)
        partial = results / f"{name}.json.part"
        partial.write_text(json.dumps(result) + "\n")
        partial.replace(results / f"{name}.json")
        print(f"[{number}/{len(names)}] {name}: {time.perf_counter() - start:.1f} s", flush=True)


def refusal(arguments: argparse.Namespace, names: list[str], missing: list[str]) -> str:
    """Return why nothing can be run, if so."""
    if not names:
        families = sorted({name.split("-")[0] for name in all_experiments()})
        return f"--only is {arguments.only!r}, with which no experiment begins; they begin with {', '.join(families)}"
    if missing and not arguments.data:
        return "no images: give --data DIR or set FDCODEC_DATA"
    absent = Images(Path(arguments.data or "")).missing(missing)
    return f"{arguments.data} lacks {', '.join(absent)}" if absent else ""


def main() -> int:
    """Run what is missing, then write the report from all results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("FDCODEC_DATA"), help="directory of the test images")
    parser.add_argument("--only", default="", help="run only experiments whose names start so")
    parser.add_argument("--report", action="store_true", help="only write the report from the results there are")
    arguments = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    if not arguments.report:
        names = [name for name in all_experiments() if name.startswith(arguments.only)]
        missing = waiting(names, RESULTS)
        if why := refusal(arguments, names, missing):
            print(f"paper: {why}; nothing was run", file=sys.stderr)
            return 2
        run(missing, Images(Path(arguments.data or "")), RESULTS)
        kept = len(names) - len(missing)
        print(f"paper: {kept} results kept, {len(missing)} run; delete files of {RESULTS} to run theirs again")
    from paper_lab.report import write_report

    write_report(RESULTS, REPORT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
