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


def run_missing(images: Images, results: Path, only: str) -> None:
    """Run the experiments whose names start with `only` and that have no result yet, with a line of progress each."""
    experiments = all_experiments()
    waiting = [name for name in experiments if name.startswith(only) and not (results / f"{name}.json").exists()]
    for number, name in enumerate(waiting, 1):
        start = time.perf_counter()
        result = experiments[name](images)
        partial = results / f"{name}.json.part"
        partial.write_text(json.dumps(result) + "\n")
        partial.replace(results / f"{name}.json")
        print(f"[{number}/{len(waiting)}] {name}: {time.perf_counter() - start:.1f} s", flush=True)


def main() -> int:
    """Run what is missing, then write the report from all results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("FDCODEC_DATA"), help="directory of the test images")
    parser.add_argument("--only", default="", help="run only experiments whose names start so")
    parser.add_argument("--report", action="store_true", help="only write the report from the results there are")
    arguments = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    if not arguments.report:
        if not arguments.data:
            print("paper: no images: give --data DIR or set FDCODEC_DATA; nothing was run", file=sys.stderr)
            return 2
        images = Images(Path(arguments.data))
        if missing := images.missing():
            print(f"paper: {arguments.data} lacks {', '.join(missing)}; nothing was run", file=sys.stderr)
            return 2
        run_missing(images, RESULTS, arguments.only)
    from paper_lab.report import write_report

    write_report(RESULTS, REPORT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
