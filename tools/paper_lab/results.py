"""The results of the experiments, read from their files."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any


class Results:
    """All results of a directory by the name of the experiment.

    Parameters
    ----------
    directory
        Holds one JSON file an experiment.
    """

    def __init__(self, directory: Path) -> None:
        self.runs: dict[str, dict[str, Any]] = {
            path.stem: json.loads(path.read_text()) for path in sorted(directory.glob("*.json"))
        }

    def get(self, name: str) -> dict[str, Any] | None:
        """Return one result, or None."""
        return self.runs.get(name)

    def error(self, name: str) -> float | None:
        """Return the relative error of one result, or None."""
        run = self.get(name)
        return None if run is None else float(run["error"])

    def by_size(self, prefix: str, most: int = 1 << 30) -> dict[int, float]:
        """Return the errors of the results `prefix` + number, by rising number up to `most`."""
        pattern = re.compile(re.escape(prefix) + r"(\d+)")
        found = {int(match[1]): run for name, run in self.runs.items() if (match := pattern.fullmatch(name))}
        return {size: float(found[size]["error"]) for size in sorted(found) if size <= most}

    def by_operations(self, prefix: str) -> dict[int, float]:
        """Return the errors of the results `prefix` + number, by operations of the transform."""
        runs = [self.runs[f"{prefix}{size}"] for size in self.by_size(prefix)]
        return {int(run["operations"]): float(run["error"]) for run in runs}

    def write_table(self, path: Path) -> None:
        """Write name, learner, error, operations and seconds of every single fit as CSV."""
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["experiment", "learner", "relative_error", "operations", "seconds"])
            for name, run in self.runs.items():
                if "learner" in run:
                    seconds = round(run["seconds"], 3)
                    writer.writerow([name, run["learner"], f"{run['error']:.6f}", run["operations"], seconds])
