"""The first use of a version: what is needed last is compiled in a second process meanwhile (ADR 0019).

`python -m fdcodec.first_use`, with `encode` where that is what the first does, is that process; its standard input is a
pipe from the first.
"""

import atexit
import os
import subprocess
import sys
from contextlib import suppress
from threading import Thread
from time import monotonic

import numpy as np

from fdcodec.coding.lossy import start_contexts
from fdcodec.filtering.post import trained_corrections
from fdcodec.image.colour import colour_matrix, from_planes, plane_bounds
from fdcodec.kernels.filters.deblocking import deblock_plane
from fdcodec.kernels.jit import compiled_elsewhere, while_waiting_for
from fdcodec.kernels.reconstruction.maps import Known, new_maps
from fdcodec.kernels.reconstruction.planes import new_work, reconstruct_plane
from fdcodec.kernels.reconstruction.tables import HALF_STEPS
from fdcodec.kernels.search.costs import new_costs
from fdcodec.kernels.search.trellis import trellis_levels
from fdcodec.kernels.syntax.interval import new_encoder
from fdcodec.kernels.syntax.trees import code_tree, new_code_work
from fdcodec.model import get
from fdcodec.parallel import usable_processors

BESIDE_DECODING = ("reconstruct_plane", "deblock_plane", "restore_colour")
BESIDE_ENCODING = ("trellis_levels", "code_tree", "filter_plane", *BESIDE_DECODING)
PATIENCE_SECONDS = 120
# Which a lossy encode or decode compiles first.
LOSSY_STARTERS = ("compose_rotations", "rotate_colour", "code_plane", "encode_plane")


def compile_beside(first: str, encodes: bool) -> None:
    """Start the second process if the first kernel to be compiled is of lossy coding, and there is a core for it."""
    if first not in LOSSY_STARTERS or usable_processors() < 2 or not sys.executable:
        return
    with suppress(OSError):
        process = subprocess.Popen(
            # -P: no module of the user's directory is imported
            [sys.executable, "-P", "-m", "fdcodec.first_use", *(["encode"] if encodes else [])],
            stdin=subprocess.PIPE,  # nothing is written: that it is closed tells that this process has ended
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        atexit.register(_end, process)
        end = monotonic() + PATIENCE_SECONDS
        names = BESIDE_ENCODING if encodes else BESIDE_DECODING
        compiled_elsewhere(names, lambda: process.poll() is None and monotonic() < end)
        if not encodes:
            while_waiting_for("reconstruct_plane", compile_filter)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the second process, and close what leads to it."""
    with process:
        process.kill()


def compile_for_encoding() -> None:
    """Compile the kernels that `BESIDE_ENCODING` has besides, by calls on an empty block."""
    model, maps, scratch = get("photo"), new_maps(4, 4), np.zeros((32, 32), np.int32)
    coded = (2, 2, 0, model.tables.scans[2, 2])
    trellis_levels(scratch, coded, 1, 1, new_costs(), np.zeros(1024, np.int16), np.zeros((1024, 4), np.int64))
    maps.log2_widths[:], maps.log2_heights[:] = 2, 2
    stream = (*new_encoder(64), start_contexts(model))
    code_tree(stream, Known(maps, maps, 0), 0, 0, new_code_work(model.tables), None)
    compile_filter()


def compile_filter() -> None:
    """Compile the filter, by a call on an empty block; a decoder does so itself while it waits for another kernel."""
    trained_corrections(np.zeros((4, 4), np.int32), new_maps(4, 4), get("photo"), 0, 0)


def compile_for_decoding() -> None:
    """Compile the kernels of `BESIDE_DECODING`, by decoding an empty picture without its payload."""
    model, planes, step_index = get("photo"), np.zeros((3, 4, 4), np.int32), 128
    matrix, maps = colour_matrix(None), new_maps(4, 4)
    maps.log2_widths[:], maps.log2_heights[:] = 2, 2
    low, high = plane_bounds(matrix)[0]
    half_steps = HALF_STEPS[np.full((1, 1), step_index)]
    reconstruct_plane(planes[0], planes[0], maps, half_steps, (low, high), model.tables, new_work())
    deblock_plane(planes[0], maps.cells, step_index)
    from_planes(planes, matrix, 4, 4)


def end_with_parent(pipe: int) -> None:
    """End this process once the parent's end of a pipe is closed, as it is in whatever way the parent ends."""

    def watch() -> None:
        os.read(pipe, 1)  # not through sys.stdin, whose lock a waiting thread would hold at exit
        os._exit(1)

    Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    end_with_parent(sys.stdin.fileno())
    if "encode" in sys.argv:
        compile_for_encoding()
    compile_for_decoding()
