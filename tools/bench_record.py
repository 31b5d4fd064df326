"""How benchmarks store results: JSON with the command, the versions, the machine and the commit that was measured."""

import subprocess
from pathlib import Path
from typing import Any

from fdcodec.compare.environment import describe
from fdcodec.compare.records import write_json

RESULTS = Path(__file__).parent / "results"


def store(name: str, output: Path | None, results: dict[str, Any]) -> None:
    """Write results beside how they were made."""
    path = output or RESULTS / f"{name}.json"
    write_json(path, {"environment": describe() | {"commit": commit()}, **results})
    print(f"wrote {path}", flush=True)


def commit() -> str:
    """Return the commit that was measured, marked if files differ from it."""
    done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=RESULTS, capture_output=True, text=True)
    return done.stdout.strip()
