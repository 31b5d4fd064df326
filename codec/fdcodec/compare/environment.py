"""Where and how figures were made, to be stored beside them."""

import os
import platform
import shlex
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("fdcodec", "numpy", "numba", "scipy", "pillow", "imagecodecs", "ssimulacra2", "matplotlib")


def describe() -> dict[str, object]:
    """Return command line without folders, machine, versions of what is installed, and the date (UTC)."""
    return {
        "command": shlex.join(_without_folders(argument) for argument in sys.argv),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": {"processor": _processor(), "cores": os.cpu_count(), "system": platform.platform()},
        "versions": {"python": platform.python_version()} | _versions(),
    }


def _without_folders(argument: str) -> str:
    """Return an argument, reduced to the last part if it is an absolute path, which means nothing elsewhere."""
    return Path(argument).name if Path(argument).is_absolute() else argument


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
