"""The first use of a version: what is needed last is compiled in a second process meanwhile (ADR 0019).

`python -m fdcodec.first_use` is that process; its standard input is a pipe from the first.
"""

import os
import subprocess
import sys
from contextlib import suppress
from threading import Thread

import numpy as np

from fdcodec.filtering.post import apply_filter
from fdcodec.image.colour import colour_matrix, from_planes, plane_bounds
from fdcodec.kernels.jit import compiled_elsewhere
from fdcodec.kernels.reconstruction_kernels import new_work, reconstruct_plane
from fdcodec.kernels.tables import HALF_STEPS, new_maps
from fdcodec.model import get

COMPILED_BESIDE = ("filter_plane", "deblock_plane", "reconstruct_plane", "restore_colour")
PATIENCE_SECONDS = 120
LOSSY_STARTERS = ("compose_rotations", "rotate_colour")  # which a lossy encode or decode compiles first


def compile_beside(first: str) -> None:
    """Start the second process if the first kernel to be compiled is of lossy coding, and there is a core for it."""
    if first not in LOSSY_STARTERS or _usable_cores() < 2 or not sys.executable:
        return
    with suppress(OSError):
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "fdcodec.first_use"],  # -P: no module of the user's directory is imported
            stdin=subprocess.PIPE,  # nothing is written: that it is closed tells that this process has ended
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        compiled_elsewhere(COMPILED_BESIDE, lambda: _wait_for(process))


def _usable_cores() -> int:
    """Return the number of cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _wait_for(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process has ended, and not for ever."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE_SECONDS)


def compile_kernels() -> None:
    """Compile the kernels of `COMPILED_BESIDE`, by decoding an empty picture without its payload."""
    model, planes, step_index = get("photo"), np.zeros((3, 4, 4), np.int32), 128
    matrix, maps = colour_matrix(None), [new_maps(4, 4) for _ in planes]
    bounds = plane_bounds(matrix)
    for each in maps:
        each.log2_widths[:], each.log2_heights[:] = 2, 2
    apply_filter(planes, maps, model, step_index, (2, 2), bounds)
    reconstruct_plane(
        planes[0], planes[0], maps[0], HALF_STEPS[np.full((1, 1), step_index)], bounds[0], model.tables, new_work()
    )
    from_planes(planes, matrix, 4, 4)


def end_with_parent(pipe: int) -> None:
    """End this process once the parent's end of a pipe is closed, as it is in whatever way the parent ends."""

    def watch() -> None:
        os.read(pipe, 1)  # not through sys.stdin, whose lock a waiting thread would hold at exit
        os._exit(1)

    Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    end_with_parent(sys.stdin.fileno())
    compile_kernels()
