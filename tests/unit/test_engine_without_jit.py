"""The lossy engine gives the same bytes and samples with and without compilation."""

import os
import subprocess
import sys
from hashlib import sha256

from tests.images import noise, ramp

import fdcodec

SCRIPT = """
from tests.unit.test_engine_without_jit import digests
print("\\n".join(digests()))
"""
IMAGES = [ramp(16, 20, 3), noise(12, 12, 1, seed=6)[:, :, 0]]
CASES = [(image, "psnr") for image in IMAGES] + [(ramp(12, 36, 1), "visual")]


def digests():
    """Return a digest of the file and one of the samples of each image."""
    out = []
    for image, tune in CASES:
        data = fdcodec.encode(image, transform="photo", effort=1, tune=tune)
        out += [sha256(data).hexdigest(), sha256(fdcodec.decode(data).tobytes()).hexdigest()]
    return out


def test_compiled_and_plain_agree():
    """Kernels run by the interpreter write the same files and decode them to the same samples."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert not run.stderr
    assert digests() == run.stdout.split()
