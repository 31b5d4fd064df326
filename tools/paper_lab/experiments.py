"""Every experiment as a name and a function from the images to a JSON-ready dictionary."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from fdcodec.learning import DCT, QDLA, SKSVD, GmDLA, HouseholderDLA, RmDLA, SparseKSVD, StructuredDLA
from fdcodec.learning.learner import TransformLearner
from fdcodec.transform import FactorProduct, dct_product
from paper_lab.data import TRIPLES, FloatArray, Images, transposed_patches
from paper_lab.timing import growth, median_seconds, peak_memory

Result = dict[str, Any]
Experiment = Callable[[Images], Result]

SPARSITIES = (4, 8, 12)
G_SIZES = (42, 64, 85, 128, 170, 256, 341, 682)
R_SIZES = (42, 50, 64, 85, 128, 170, 256, 341, 682, 1364)
REFLECTORS = (1, 2, 3, 4, 6, 8, 16)
ATOM_SPARSITIES = (2, 3, 4, 6, 8)
ROUNDS = 1600
"""Rounds of the search up to m = 128; fewer for larger m, whose rounds take longer. Each result says its own."""
STEP = 20.0 / 255.0
LAYOUTS = {32: [(16, 1)], 64: [(16, 2)], 144: [(16, 2), (32, 1)], 416: [(16, 2), (32, 2), (64, 1)]}
THREADS = 2


def fitted(learner: TransformLearner, Y: FloatArray) -> Result:
    """Fit and return the error of the result, the curve, the operations and the seconds."""
    start = time.perf_counter()
    learner.fit(Y)
    seconds = time.perf_counter() - start
    return {
        "learner": repr(learner),
        "error": learner.error_,
        "operations": learner.n_operations_,
        "seconds": seconds,
        "curve": learner.error_curve_.tolist(),
    }


def on_paper_images(learner: TransformLearner, images: Images) -> Result:
    """Fit on couple + peppers + boat."""
    return fitted(learner, images.patches())


def g_paper(m: int, s: int, images: Images) -> Result:
    """Algorithm 1, K = 150, with the curve of its construction."""
    learner = GmDLA(m, s, 150, n_jobs=THREADS)
    result = fitted(learner, images.patches())
    return {**result, "construction": learner.construction_curve_.tolist()}


def g_search(m: int, s: int, images: Images) -> Result:
    """Run the search; keep the bytes of the product it found."""
    learner = GmDLA(m, s, ROUNDS * 128 // max(m, 128), method="search", n_jobs=THREADS)
    result = fitted(learner, images.patches())
    return {**result, "product": product_text(learner.transform_)}


def g_seeds(images: Images) -> Result:
    """Run the search for G_128 with four seeds: how much is luck."""
    Y = images.patches()
    learners = {seed: GmDLA(128, 4, ROUNDS, method="search", random_state=seed, n_jobs=THREADS) for seed in range(4)}
    return {"errors": {str(seed): fitted(learner, Y)["error"] for seed, learner in learners.items()}}


def product_text(product: FactorProduct | FloatArray) -> str:
    """Return a product's bytes as text."""
    return base64.b64encode(product.to_bytes()).decode() if isinstance(product, FactorProduct) else ""


def best_of_starts(m: int) -> RmDLA:
    """Return R_m-DLA with the best of four choices of the singular vectors' signs."""
    return RmDLA(m, 4, n_starts=4, n_jobs=THREADS)


def line_dct_by_columns(s: int, images: Images) -> Result:
    """Code by the 64-point DCT of the patches vectorized column by column, as Matlab does."""
    return fitted(DCT(s, separable=False), transposed_patches(images.patches()))


def on_triple(names: tuple[str, ...], means: str, images: Images) -> Result:
    """G_85 of both optimizers against every reading of "DCT", on one set of images."""
    Y = images.patches(names, means=means)
    errors = {
        "dct_8x8": fitted(DCT(4), Y)["error"],
        "dct_64_rows": fitted(DCT(4, separable=False), Y)["error"],
        "dct_64_columns": fitted(DCT(4, separable=False), transposed_patches(Y))["error"],
        "g85_paper": fitted(GmDLA(85, 4, 150, n_jobs=THREADS), Y)["error"],
        "g85_best_of_8_starts": fitted(GmDLA(85, 4, 150, n_starts=8, n_jobs=THREADS), Y)["error"],
        "g85_random_order": fitted(GmDLA(85, 4, 150, order="random", n_jobs=THREADS), Y)["error"],
        "g85_search": fitted(GmDLA(85, 4, 60, method="search", n_jobs=THREADS), Y)["error"],
        "g128_search": fitted(GmDLA(128, 4, 60, method="search", n_jobs=THREADS), Y)["error"],
    }
    return {"images": list(names), "means": means, "n_samples": len(Y), "errors": errors}


def greedy_and_structured(m: int, images: Images) -> Result:
    """Mean log-rate after m rotations of the DCT: greedy pairs against the hypercube, and their depths."""
    product, order = dct_product(8)
    coefficients = np.ascontiguousarray(product.apply_transpose(images.patches())[:, order])
    greedy = GmDLA(m, 4, 60, objective="rate", step=STEP, init="identity", n_jobs=THREADS).fit(coefficients)
    joint = StructuredDLA(LAYOUTS[m], 4, 400, step=STEP, angle_levels=1024, n_starts=8, n_jobs=THREADS).fit(
        coefficients
    )
    return {
        "dct": StructuredDLA(0, 4, 0, step=STEP).fit(coefficients).error_,
        "greedy": greedy.error_,
        "structured": joint.error_,
        "greedy_layers": layer_count(greedy),
        "structured_layers": layer_count(joint),
    }


def layer_count(learner: TransformLearner) -> int:
    """Return the number of layers of disjoint factors of a learned product."""
    return len(learner.transform_.layers) if isinstance(learner.transform_, FactorProduct) else 0


def remark_5(images: Images) -> Result:
    """One factor at a time against 8 or 32 at once, and the random order, at m = 128."""
    variants = {"one by one": {}, "8 at once": {"layer_size": 8}, "32 at once": {"layer_size": 32}}
    variants["random order"] = {"order": "random"}
    Y = images.patches()
    return {
        name: fitted(GmDLA(128, 4, 150, n_jobs=THREADS, **options), Y)["error"] for name, options in variants.items()
    }


def times(images: Images) -> Result:
    """Median seconds and peak memory of G_128 and R_128 with the paper's settings."""
    Y = images.patches()
    learners = {"G_128": GmDLA(128, 4, 150, n_jobs=THREADS), "R_128": RmDLA(128, 4, 150, n_jobs=THREADS)}
    return {
        "seconds": {name: median_seconds(learner, Y) for name, learner in learners.items()},
        "memory_bytes": {name: peak_memory(learner, Y) for name, learner in learners.items()},
        "threads": THREADS,
    }


def all_experiments() -> dict[str, Experiment]:
    """Return the experiments by name, in the order in which they run."""
    runs: dict[str, Experiment] = {}
    for s in SPARSITIES:
        runs[f"dct-s{s}"] = partial(on_paper_images, DCT(s))
        runs[f"dct-line-rows-s{s}"] = partial(on_paper_images, DCT(s, separable=False))
        runs[f"dct-line-columns-s{s}"] = partial(line_dct_by_columns, s)
        runs[f"q-s{s}"] = partial(on_paper_images, QDLA(s, n_jobs=THREADS))
        runs |= {f"g-paper-s{s}-m{m}": partial(g_paper, m, s) for m in G_SIZES}
        r_sizes = R_SIZES if s == 4 else R_SIZES[:-1]
        runs |= {f"r-s{s}-m{m}": partial(on_paper_images, RmDLA(m, s, n_jobs=THREADS)) for m in r_sizes}
    runs |= {f"r-starts-s4-m{m}": partial(on_paper_images, best_of_starts(m)) for m in R_SIZES[1:-1]}
    runs |= {f"h-s4-p{p}": partial(on_paper_images, HouseholderDLA(p, 4, n_jobs=THREADS)) for p in REFLECTORS}
    runs["sksvd-s4"] = partial(on_paper_images, SKSVD(4, n_jobs=THREADS))
    for base in ("dct", "dct-line"):
        for p in ATOM_SPARSITIES:
            runs[f"sparse-ksvd-{base}-s4-p{p}"] = partial(on_paper_images, SparseKSVD(p, 4, base=base, n_jobs=THREADS))
    runs["remark-5"] = remark_5
    runs |= {f"structured-m{m}": partial(greedy_and_structured, m) for m in LAYOUTS}
    for names in TRIPLES:
        for means in ("patch", "feature"):
            runs[f"triple-{'-'.join(names)}-{means}"] = partial(on_triple, names, means)
    runs["times"] = times
    runs["growth"] = growth
    runs |= {f"g-search-s{s}-m{m}": partial(g_search, m, s) for s in SPARSITIES for m in G_SIZES}
    runs["seeds-s4-m128"] = g_seeds
    return runs
