"""What quality and effort mean to the encoder's search: the numbers of `Options`. A decoder needs none of them."""

from fdcodec.coding.settings import EncoderSettings
from fdcodec.kernels.reconstruction.tables import HALF_STEPS
from fdcodec.kernels.search.costs import ONE_BIT
from fdcodec.kernels.search.quantization import INFINITE
from fdcodec.kernels.search.state import Options, OptionsPair

LAGRANGIAN = 0.085  # squared steps a bit is worth
SCREEN_LAGRANGIAN = 0.1  # the same where the screen tools are on
THRIFT = 1.6  # times that in trees coded with thrift: where all are, sizes fall by some 14 %
_DEARER = (1, 1, 1, 1, 1, 1.02, 1.02, 1.025, 1.03)  # bits by effort: what a longer search finds goes into smaller files
SATD_LAGRANGIAN = 1.26  # of the square root of it, for sums of absolute Hadamard coefficients
FLAT_ERROR = 0.012  # squared steps of error a sample below which an empty square is not cut
_ALWAYS, _NEVER = 0, int(INFINITE)
# By effort 1..9, the bits that a square of 8, 16 and 32 must cost, distortion counted, to be cut in quarters or halves.
_QUARTER_BITS = (
    (_NEVER, 60, 80),
    (170, 60, 80),
    (130, 60, 80),
    (56, 40, 50),
    (56, 40, 50),
    *4 * [(_ALWAYS, _ALWAYS, _ALWAYS)],
)
_HALVE_BITS = (
    *3 * [(_NEVER, _NEVER, _NEVER)],
    *2 * [(20, 36, _NEVER)],
    *4 * [(_ALWAYS, _ALWAYS, _ALWAYS)],
)
_CANDIDATES = (1, 1, 2, 2, 5, 5, 5, 6, 8)  # modes tried in full, at most, by effort 1..9; one less at 4x4
_LEARNED = (1, 1, 1, 2, 5, 5, 5, 6, 8)  # learned modes tried in full besides
_CANDIDATE_MARGINS = (3, 3, 3, 3, 3, 4, 6, 8, 12)  # 32nds by which the price of a mode tried in full exceeds the least
_HALVES = (1, 1, 1, 1, 2, 2, 2, 3, 4)  # modes tried in full in half a square
_ANGLE_STRIDES = (16, 16, 16, 8, 4, 4, 2, 2, 1)  # between angles priced in blocks of 16 and more, twice that below


def search_options(
    settings: EncoderSettings, step_index: int, bounds: list[tuple[int, int]], screen: bool = False
) -> list[OptionsPair]:
    """Return the search options of each plane, without and with thrift; `screen` is whether the screen tools are on."""
    worth = SCREEN_LAGRANGIAN if screen else LAGRANGIAN
    plain, thrifty = (_plane_options(settings, step_index, bounds, worth * thrift) for thrift in (1.0, THRIFT))
    return list(zip(plain, thrifty, strict=True))


def _plane_options(
    settings: EncoderSettings, step_index: int, bounds: list[tuple[int, int]], worth: float
) -> list[Options]:
    half_step, row = int(HALF_STEPS[step_index]), settings.effort - 1  # of the tables by effort
    step = half_step / 32  # in sample units
    price = worth * _DEARER[row]
    lagrangian = max(1, round(price * half_step**2 / 4))
    candidates, stride = _CANDIDATES[row], _ANGLE_STRIDES[row]
    shared = {
        "half_step": half_step,
        "lagrangian": lagrangian,
        "satd_lagrangian": max(1, round(SATD_LAGRANGIAN * price**0.5 * step)),
        "n_candidates": (0, 0, max(candidates - 1, 1), candidates, candidates, candidates),
        "n_learned": _LEARNED[row],
        "candidate_margin_32nds": _CANDIDATE_MARGINS[row],
        "angle_strides": (0, 0, 2 * stride, 2 * stride, stride, stride),
        "n_halves": _HALVES[row],
        "both_cuts": settings.effort >= 5,
        "sparsity": settings.sparsity or 0,
        "flat_error": round(FLAT_ERROR * step**2 * 1024),
        "quarter_prices": _prices(_QUARTER_BITS[row], lagrangian),
        "halve_prices": _prices(_HALVE_BITS[row], lagrangian),
        "thrifty_share": round(1024 * settings.thrifty_share),
    }
    return [Options(low=low, high=high, **shared) for low, high in bounds]


def _prices(bits: tuple[int, int, int], lagrangian: int) -> tuple[int, ...]:
    """Return by log2 of a square's side what so many bits cost; squares of 4 are not cut."""
    return (0, 0, 0, *(min(lagrangian * ONE_BIT * count, _NEVER) for count in bits))


def bit_price(step_index: int) -> float:
    """Return the squared error, in sample units, that a bit is worth."""
    return LAGRANGIAN * (int(HALF_STEPS[step_index]) / 32) ** 2
