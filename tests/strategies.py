"""Hypothesis strategies shared by the property tests."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fdcodec.format.constants import ANGLE_LEVELS, FILTER_BUCKETS, FILTER_CLASSES, FILTER_WEIGHTS, N_GROUPS
from fdcodec.format.contexts import KINDS, N_CONTEXTS, N_SIZES
from fdcodec.kernels.reconstruction.learned_tables import LearnedMode, n_inputs, n_outputs
from fdcodec.model import ClassModel
from fdcodec.model.body import ZONE_SIZES, GroupTransform

FILTER_SHAPE = (KINDS, FILTER_BUCKETS, FILTER_CLASSES, FILTER_WEIGHTS)
keys = st.tuples(st.integers(0, N_SIZES - 1), st.integers(0, N_GROUPS - 1))


@st.composite
def group_transforms(draw, size):
    """Return any transform of a size class."""
    zone = ZONE_SIZES[size]
    pair = st.lists(st.integers(0, zone - 1), min_size=2, max_size=2, unique=True).map(sorted)
    rotations = draw(st.lists(st.tuples(pair, st.integers(0, ANGLE_LEVELS - 1)), max_size=6))
    pairs = np.array([pair for pair, _ in rotations], np.uint8).reshape(-1, 2)
    angles = np.array([angle for _, angle in rotations], np.uint16)
    order = np.random.default_rng(draw(st.integers(0, 99))).permutation(zone).astype(np.uint8)
    return GroupTransform(pairs, angles, order)


def learned_mode(rng, log2_size):
    """Return a learned mode of random weights, the extremes of int16 among them."""
    weights = rng.integers(-(1 << 15), 1 << 15, (n_inputs(log2_size), n_outputs(log2_size))).astype(np.int16)
    weights[0, :2] = -(1 << 15), (1 << 15) - 1
    return LearnedMode(log2_size, int(rng.integers(4)), int(rng.integers(4)), weights)


@st.composite
def class_models(draw):
    """Return any class model."""
    transforms = {key: draw(group_transforms(key[0])) for key in draw(st.lists(keys, max_size=4, unique=True))}
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    states = np.stack([rng.integers(2, 254, N_CONTEXTS), rng.integers(0, 64, N_CONTEXTS)], axis=1).astype(np.uint8)
    weights = draw(arrays(np.int8, FILTER_SHAPE, elements=st.integers(-128, 127), fill=st.integers(-128, 127)))
    return ClassModel(
        draw(st.text(max_size=20)),
        transforms,
        states if draw(st.booleans()) else None,
        weights if draw(st.booleans()) else None,
        tuple(learned_mode(rng, size) for size in sorted(draw(st.lists(st.integers(2, 4), max_size=8)))),
        {"seed": draw(st.integers(0, 9))},
    )
