"""The same bytes and the same samples with and without compilation."""

import hashlib
import os
import subprocess
import sys

import numpy as np

from fdcodec.coding.lossless import Plan, _encode, decode_planes

SCRIPT = """
import sys
from tests.unit.test_lossless_without_jit import digests
print("\\n".join(digests()))
"""


def digests():
    """Return digests of payloads and of what damaged payloads decode to, for tiny planes of every kind."""
    rng = np.random.default_rng(5)
    out = []
    for channels, dtype, high in ((1, np.uint8, 4), (3, np.uint8, 256), (4, np.uint16, 65536), (2, np.uint16, 3)):
        planes = rng.integers(0, high, (channels, 6, 7)).astype(dtype)
        planes[:, 3:] //= 2
        depth = 8 * planes.dtype.itemsize
        n_colours = len(np.unique(planes.reshape(channels, -1), axis=1).T)
        for count in (0, n_colours):
            payload = _encode(planes.astype(np.int32), depth, Plan(0, count))
            damaged = payload[:20] + bytes(255 - byte for byte in payload[20:]) + b"\xa5" * 2000
            decoded = decode_planes(damaged, *planes.shape, depth)
            out.append(hashlib.sha256(payload).hexdigest() + hashlib.sha256(decoded.tobytes()).hexdigest())
    return out


def test_compiled_and_plain_agree():
    """Kernels run by the interpreter write the same payloads and decode damaged ones to the same samples."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False
    )
    assert not run.stderr
    assert digests() == run.stdout.split()
