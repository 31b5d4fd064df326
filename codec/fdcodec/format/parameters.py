"""The coding parameters of a lossy picture: the opaque block of the container's header (SPEC 3.1)."""

from dataclasses import dataclass
from functools import cache
from math import log2

from fdcodec.errors import damaged
from fdcodec.format.constants import COLOUR_ANGLE_BITS, MAX_STEP_INDEX, MAX_STRENGTH, STEPS_PER_OCTAVE
from fdcodec.words import counted

Angles = tuple[int, int, int]
_STEP_BITS = 9
_CUSTOM_COLOUR = 1 << 15
_STRENGTH_BITS = 3
_TOOLS = (b"", b"\1", b"\2")  # none, screen tools, adaptive steps
_RANGE_BYTES = 4

BASE_STEP = 96.0  # in pixel values, at quality 0 but for the low end
HALVING = 26.0  # quality that halves the step, up to HIGH_QUALITY
HIGH_QUALITY = 75.0  # from here on the step falls faster, as other codecs' scales do
HIGH_OCTAVES = 1.5  # by this many octaves more at quality 100
LOW_QUALITY = 20.0  # below it the step rises faster,
LOW_OCTAVES = 1.3  # by this many octaves more at quality 0
FINEST = 0.5  # of a 16-bit sample: at this step one in a thousand is off by 1, and lossless files are a fourth smaller
DEEP_OCTAVES = 3.3  # by which the step of 16-bit pictures falls more than HIGH_OCTAVES
FINER = 11  # step indices by which the lowest frequencies are finer with weights, so that a quality keeps its score


@dataclass(frozen=True)
class Parameters:
    """Everything that the lossy decoder needs beside the header's geometry and the class model.

    Parameters
    ----------
    step_index
        Quantization step, as of `step_of`.
    colour
        Three rotation angles of the colour transform in units of 2 pi / 512, or None for the opponent transform.
    strengths
        Strength of the filter, 0..7, in luma and in chroma (SPEC 6.4).
    screen
        Whether the screen tools are on (SPEC 5.9, 5.10).
    adaptive
        Whether trees have step offsets (SPEC 5.8) and coefficients weights (SPEC 4.2); not together with `screen`.
    sample_range
        Least and greatest of the 16-bit samples, the range that is coded (SPEC 3.2); None for 8 bits.
    """

    step_index: int
    colour: Angles | None = None
    strengths: tuple[int, int] = (0, 0)
    screen: bool = False
    adaptive: bool = False
    sample_range: tuple[int, int] | None = None

    @property
    def quality(self) -> float | None:
        """A quality that gives this step: a whole number where one does, else in tenths; None where none does."""
        return _qualities(self.sample_range is not None).get(self.step_index + FINER * self.adaptive)

    def to_bytes(self) -> bytes:
        """Return the block: step and strengths, angles if there are any, the tools that are on, a range if any."""
        tools = _TOOLS[self.screen + 2 * self.adaptive] + _range_bytes(self.sample_range)
        head = self.step_index | self.strengths[0] << _STEP_BITS | self.strengths[1] << (_STEP_BITS + _STRENGTH_BITS)
        if self.colour is None:
            return head.to_bytes(2, "little") + tools
        a, b, c = self.colour
        packed = a | b << COLOUR_ANGLE_BITS | c << (2 * COLOUR_ANGLE_BITS)
        return (head | _CUSTOM_COLOUR).to_bytes(2, "little") + packed.to_bytes(4, "little") + tools

    @classmethod
    def from_bytes(cls, data: bytes, depth: int) -> "Parameters":
        """Parse the block of a picture of 8 or 16 bits; FormatError where its length or a field is not allowed."""
        head = int.from_bytes(data[:2], "little")
        length = 6 if head & _CUSTOM_COLOUR else 2
        if len(data) < length:
            raise damaged(f"coding parameters: {counted(len(data), 'byte')}, expected {length} or more")
        angles, rest = data[2:length], data[length:]
        tools, sample_range = rest[: len(rest) % _RANGE_BYTES], _parse_range(rest[len(rest) % _RANGE_BYTES :])
        if tools not in _TOOLS:
            raise damaged(f"coding parameters: tools {tools.hex(' ')}, expected none, 01 or 02")
        screen, adaptive, deep = tools == _TOOLS[1], tools == _TOOLS[2], sample_range is not None
        if deep != (depth == 16):
            raise damaged(f"coding parameters: a range of samples is {'there' if deep else 'missing'} at {depth} bits")
        if deep and screen:
            raise damaged("coding parameters: screen tools are on at 16 bits, expected at 8 only")
        step_index = head & ((1 << _STEP_BITS) - 1)
        if step_index > MAX_STEP_INDEX:
            raise damaged(f"coding parameters: step index {step_index}, expected 0..{MAX_STEP_INDEX}")
        strengths = (head >> _STEP_BITS & MAX_STRENGTH, head >> (_STEP_BITS + _STRENGTH_BITS) & MAX_STRENGTH)
        return cls(step_index, _parse_angles(angles), strengths, screen, adaptive, sample_range)


def _parse_angles(data: bytes) -> Angles | None:
    """Return the angles of the colour transform, None where there are none."""
    if not data:
        return None
    packed, mask = int.from_bytes(data, "little"), (1 << COLOUR_ANGLE_BITS) - 1
    if packed >> (3 * COLOUR_ANGLE_BITS):
        raise damaged(f"coding parameters: colour angles {packed:#x}, expected three of {COLOUR_ANGLE_BITS} bits")
    return packed & mask, packed >> COLOUR_ANGLE_BITS & mask, packed >> (2 * COLOUR_ANGLE_BITS)


def _range_bytes(sample_range: tuple[int, int] | None) -> bytes:
    return b"".join(end.to_bytes(2, "little") for end in sample_range or ())


def _parse_range(data: bytes) -> tuple[int, int] | None:
    """Return the range of 16-bit samples, None where there is none; FormatError for any other number of bytes."""
    low, high = int.from_bytes(data[:2], "little"), int.from_bytes(data[2:4], "little")
    if len(data) not in (0, _RANGE_BYTES) or low > high:
        raise damaged(
            f"coding parameters: a range of {counted(len(data), 'byte')}, {low}..{high}, expected 4, low <= high"
        )
    return (low, high) if data else None


def step_of(step_index: int) -> float:
    """Return the quantization step of an index, in pixel values (SPEC 4.3)."""
    return float(2.0 ** (step_index / STEPS_PER_OCTAVE - 4))


def step_index_of(step: float) -> int:
    """Return the step index nearest to a quantization step in pixel values."""
    return _index_of(log2(step))


def _index_of(octaves: float) -> int:
    """Return the step index nearest to a step that is so many octaves above 1."""
    return min(max(round(STEPS_PER_OCTAVE * (octaves + 4)), 0), MAX_STEP_INDEX)


def step_index_for(quality: float, deep: bool = False) -> int:
    """Return the step index of a quality 0..100; monotone: 236 at 0, 13 at 75, 2.4 at 100 in 255ths of the range.

    With `deep`, for 16-bit pictures, 0.24 at 100.
    """
    excess = max(quality - HIGH_QUALITY, 0.0) / (100.0 - HIGH_QUALITY)
    shortage = max(LOW_QUALITY - quality, 0.0) / LOW_QUALITY
    high_octaves = HIGH_OCTAVES + DEEP_OCTAVES * deep
    return _index_of(log2(BASE_STEP) - quality / HALVING - high_octaves * excess**2 + LOW_OCTAVES * shortage**2)


def finest_step_index(sample_range: tuple[int, int]) -> int:
    """Return the step index below which 16-bit samples of a range gain nothing."""
    low, high = sample_range
    return step_index_of(FINEST * 255 / max(high - low, 1))


def visual_step_index(quality: float, deep: bool = False) -> int:
    """Return the step index of a quality where coefficients have weights."""
    return max(step_index_for(quality, deep) - FINER, 0)


@cache
def _qualities(deep: bool) -> dict[int, float]:
    """Return a quality of each step index that has one; of 8 bits no step lies between two tenths."""
    return {step_index_for(quality, deep): quality for quality in (*(k / 10 for k in range(1001)), *range(101))}
