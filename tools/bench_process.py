"""Run `bench_child.py` and commands, and read what they print."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

CHILD = Path(__file__).parent / "bench_child.py"


def child(*arguments: object, **environment: str) -> dict[str, Any]:
    """Run one action of `bench_child.py`; extra environment variables as keywords."""
    command = [sys.executable, str(CHILD), *map(str, arguments)]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def wall_seconds(*command: object) -> float:
    """Return how long a command takes from start to end."""
    start = time.perf_counter()
    subprocess.run([str(part) for part in command], check=True, capture_output=True)
    return time.perf_counter() - start


def fdcodec_command() -> list[str]:
    """Return the command line of fdcodec in this environment."""
    return [str(Path(sys.executable).parent / "fdcodec")]
