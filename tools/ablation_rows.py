"""The rows of the ablation: each switches one tool of the codec off, or to its alternative, within its own process.

A row patches constants and functions of the package before any kernel is compiled. Encoder and decoder are patched
alike, so every file is decoded; such files are no `.fdc` files, and no other process reads them.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import ablation_kernels as kernels
from fdcodec import choice, codec
from fdcodec.coding import tuning
from fdcodec.format.constants import N_GROUPS
from fdcodec.kernels.reconstruction import prediction, quantizer, references
from fdcodec.kernels.search import blocks, modes
from fdcodec.kernels.search import planes as search
from fdcodec.model import ClassModel

EFFORTS = 9


class NothingToRemoveError(Exception):
    """The full codec does not have what a row takes away."""


@dataclass
class Setup:
    """What is measured: the class model, and arguments of `fdcodec.encode`."""

    model: ClassModel
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """One row of the table.

    Parameters
    ----------
    label
        What is different.
    research
        The effect that research code had, in percent of the rate; empty where it was not measured.
    apply
        Makes the difference.
    compiled
        Whether kernels are patched, which then need a cache of machine code of their own.
    colour
        Whether it is measured on RGB images, not on gray ones.
    """

    label: str
    research: str
    apply: Callable[[Setup], None]
    compiled: bool = False
    colour: bool = False


def put(original: Any, replacement: Any) -> None:
    """Put a function or an array in the place of another in every module of the package."""
    places = [
        (module, name)
        for key, module in list(sys.modules.items())
        if key.startswith("fdcodec")
        for name, value in vars(module).items()
        if value is original
    ]
    if not places:
        raise RuntimeError(f"{original} is in no module")
    for module, name in places:
        setattr(module, name, replacement)


def nothing(setup: Setup) -> None:
    """Leave the codec as it is."""


def block_sides(smallest_log2: int, largest_log2: int) -> Callable[[Setup], None]:
    """Bound the sides of squares that are coded whole."""

    def apply(setup: Setup) -> None:
        kernels.SMALLEST_LOG2, kernels.LARGEST_LOG2 = smallest_log2, largest_log2
        put(search._open_node, kernels.open_bounded_node)
        put(search._search_cuts, kernels.search_bounded_cuts)

    return apply


def no_halves(setup: Setup) -> None:
    """Cut squares in quarters only."""
    tuning._HALVE_BITS = ((tuning._NEVER,) * 3,) * EFFORTS


def planar_and_dc(setup: Setup) -> None:
    """Predict by planar and DC only, without angles and learned modes."""
    put(modes._price_residuals, kernels.price_without_angles)
    if setup.model.learned:
        no_learned_modes(setup)


def no_smoothing(setup: Setup) -> None:
    """Predict from the decoded samples as they are, always by the cubic filter."""
    put(prediction.SMOOTHING_DISTANCE, np.full_like(prediction.SMOOTHING_DISTANCE, 99))
    put(references.smooth_references, kernels.copy_references)


def no_blends(setup: Setup) -> None:
    """Pull no prediction towards the edges."""
    put(prediction._blend_edges, kernels.blend_no_edges)
    put(prediction._blend_side, kernels.blend_no_side)


def candidates(count: int) -> Callable[[Setup], None]:
    """Try so many modes in full."""

    def apply(setup: Setup) -> None:
        tuning._CANDIDATES = (count,) * EFFORTS

    return apply


def scalar_quantizer(setup: Setup) -> None:
    """Stay in the first state of the dependent quantizer, a uniform one, and choose levels without a trellis."""
    put(quantizer.next_state, kernels.first_state)
    put(blocks._quantize, kernels.quantize_by_rate)


def dead_zone(setup: Setup) -> None:
    """Quantize each coefficient alone, uniformly with a dead zone."""
    scalar_quantizer(setup)
    put(kernels.quantize_by_rate, kernels.quantize_by_dead_zone)


def no_start_states(setup: Setup) -> None:
    """Start every context with even odds."""
    setup.model = replace(setup.model, start_states=None)


def no_transforms(setup: Setup) -> None:
    """Code with the plain DCT and DST."""
    setup.model = replace(setup.model, transforms={})


def no_learned_modes(setup: Setup) -> None:
    """Code without the learned modes and their transforms, which have the groups past those of the other modes."""
    if not setup.model.learned:
        raise NothingToRemoveError("the model has no learned modes")
    transforms = {key: transform for key, transform in setup.model.transforms.items() if key[1] < N_GROUPS}
    setup.model = replace(setup.model, transforms=transforms, learned=())


def deblocking_only(setup: Setup) -> None:
    """Filter without the trained correction."""
    setup.model = replace(setup.model, filters=None)


def no_filter(setup: Setup) -> None:
    """Filter nothing."""
    put(codec.best_strengths, lambda errors: (0, 0))


def no_chroma_from_luma(setup: Setup) -> None:
    """Predict chroma from chroma only."""
    put(modes._price_rates, kernels.price_without_chroma_from_luma)


def opponent_colour(setup: Setup) -> None:
    """Code every image in the opponent colour transform."""
    put(choice.choose_colour, lambda samples, step: None)


def small_tiles(setup: Setup) -> None:
    """Code in tiles of 256x256, each with contexts of its own."""
    setup.settings["tile"] = 256


ROWS = {
    "full": Row("the full codec", "", nothing),
    "full-colour": Row("the full codec, RGB", "", nothing, colour=True),
    "blocks-8": Row("blocks of 8x8 only", "+10", block_sides(3, 3), compiled=True),
    "blocks-max-16": Row("blocks of at most 16x16", "+0.5", block_sides(2, 4), compiled=True),
    "blocks-min-8": Row("blocks of at least 8x8", "+5.5", block_sides(3, 5), compiled=True),
    "no-halves": Row("squares only, no halves", "+2.3 (open loop)", no_halves),
    "planar-dc": Row("planar and DC prediction only", "+11.9 (DC only)", planar_and_dc, compiled=True),
    "no-smoothing": Row("references not smoothed", "", no_smoothing, compiled=True),
    "no-blends": Row("predictions not blended with the edges", "+1.0", no_blends, compiled=True),
    "candidates-1": Row("at most 1 mode tried in full", "+1.1", candidates(1)),
    "candidates-2": Row("at most 2 modes tried in full", "+0.3", candidates(2)),
    "candidates-3": Row("at most 3 modes tried in full", "0", candidates(3)),
    "candidates-8": Row("at most 8 modes tried in full", "-0.3", candidates(8)),
    "scalar": Row("uniform quantizer, levels by rate and distortion", "+2.7", scalar_quantizer, compiled=True),
    "dead-zone": Row(
        "uniform quantizer with a dead zone", "+5.9 (3 more than the row above)", dead_zone, compiled=True
    ),
    "no-start-states": Row("contexts start with even odds", "+1.2", no_start_states),
    "no-transforms": Row("DCT and DST in place of the learned transforms", "+2.3 (dense: +3.2)", no_transforms),
    "no-learned-modes": Row("no learned modes", "+0.2", no_learned_modes),
    "deblocking-only": Row("deblocking without the trained filter", "", deblocking_only),
    "no-filter": Row("no filter", "+3 to +3.5", no_filter),
    "no-chroma-from-luma": Row("no chroma from luma", "+2.3", no_chroma_from_luma, compiled=True, colour=True),
    "opponent": Row("opponent colour transform only", "+2.4", opponent_colour, colour=True),
    "tiles-256": Row("tiles of 256x256", "+1.1", small_tiles),
}
"""The rows by name; research figures are for 6 gray Kodak images, as the rate without the tool."""


def baseline(name: str) -> str:
    """Return the row of the full codec that a row is compared with."""
    return "full-colour" if ROWS[name].colour else "full"
