"""Times and memory of learning, after warm-up."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from typing import Any

import numpy as np

from fdcodec.learning import GmDLA, RmDLA
from fdcodec.learning.learner import TransformLearner
from paper_lab.data import FloatArray, Images

REPEATS = 5

_CHILD = """
import pickle, resource, sys
learner, Y = pickle.load(sys.stdin.buffer)
learner.fit(Y)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def median_seconds(learner: TransformLearner, Y: FloatArray, repeats: int = REPEATS) -> float:
    """Return the median time of `repeats` fits after one that is not counted."""
    learner.fit(Y[:64])
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        learner.fit(Y)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def peak_memory(learner: TransformLearner, Y: FloatArray) -> int:
    """Return the peak resident bytes of a process of its own that only fits the learner, imports and JIT included."""
    import pickle

    child = subprocess.run(
        [sys.executable, "-c", _CHILD], input=pickle.dumps((learner, Y)), capture_output=True, check=True
    )
    return int(child.stdout)


def growth(images: Images) -> dict[str, Any]:
    """Seconds an iteration of G_m-DLA and R_m-DLA as m, N and n grow, the others held."""
    Y = images.random_patches(8, 49152)
    result: dict[str, Any] = {"m": {}, "N": {}, "n": {}}
    for name, make in (("G", _g_learner), ("R", _r_learner)):
        result["m"][name] = {m: _an_iteration(make, m, Y[:12288]) for m in (32, 64, 128, 256, 512, 1024)}
        result["N"][name] = {count: _an_iteration(make, 128, Y[:count]) for count in (3072, 6144, 12288, 24576, 49152)}
        result["n"][name] = {
            side * side: _an_iteration(make, 128, images.random_patches(side, 4096)) for side in (8, 16, 32)
        }
    return result


def _g_learner(m: int, n_iterations: int) -> TransformLearner:
    return GmDLA(m, 4, n_iterations, n_jobs=2)


def _r_learner(m: int, n_iterations: int) -> TransformLearner:
    return RmDLA(m, 4, n_iterations, n_jobs=2)


def _an_iteration(make: Any, m: int, Y: FloatArray) -> float:
    """Return the time of 8 more iterations over 8."""
    seconds = [median_seconds(make(m, count), Y, 3) for count in (2, 10)]
    return float(np.diff(seconds)[0]) / 8.0
