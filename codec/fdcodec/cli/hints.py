"""Notes on an encode: how its target was missed, and what another would do better."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fdcodec.format.parameters import Parameters, finest_step_index
from fdcodec.image.sample_range import eight_bits
from fdcodec.image.screen import count_patterns, is_screen
from fdcodec.words import SHOWN, first_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fdcodec import container
    from fdcodec.aliases import Samples
    from fdcodec.arguments import Target
    from fdcodec.errors import TargetWarning

MOST_PATTERNS = 0.75
"""Most different patterns per byte of the file (without metadata) at which it is likely smaller without loss.

At qualities 30 to 85, 49 of 56 files of drawn pictures up to it were smaller, and 6 of 106 above it; at 92, 36 of 41
and 15 of 50. Pages with noise have 1.4 and more. Of 194 small pictures at quality 75, it finds 35 of the 100 that were
smaller, and 9 others; of those it misses, lines of one pixel apart, five lose more than 100 bytes.
"""


def hint(file: container.File, n_bytes: int, target: Target, miss: TargetWarning | None, samples: Samples) -> str:
    """Return why `--lossless` is likely better than the file made for a target; empty if it is not.

    Parameters
    ----------
    file, n_bytes
        What was encoded, and its size.
    target, miss
        What was asked for, and how it was missed, if it was.
    samples
        The picture's, shape (height, width, 1..4).
    """
    if target.kind == "lossless":
        return ""
    parameters = Parameters.from_bytes(file.header.parameters, file.header.depth)
    coded_bytes = n_bytes - sum(len(block or b"") for block in file.metadata)
    if _repeats(coded_bytes, file.header, parameters, samples):
        return "drawn pictures like this are often smaller with --lossless, and exact; decoding takes longer"
    if miss is not None and _is_finest(parameters):
        return "--lossless gives back every sample exactly"
    return ""


def told_miss(miss: TargetWarning | None, target: Target, bpp: float) -> str:
    """Return how the target was missed, with the bits per pixel if those were asked for; empty if it was met."""
    if miss is None:
        return ""
    asked = f"; that is {bpp:.4g} bits per pixel instead of {target.value:g}" if target.kind == "bpp" else ""
    return f"{miss}{asked}"


def note_on_models(names: Iterable[str | None]) -> str:
    """Return which class models `auto` took for many files, the most frequent first; empty for few, or without loss."""
    counts = Counter(filter(None, names))
    if counts.total() <= SHOWN:
        return ""
    listed = ", ".join(first_of([f"{name} for {count}" for name, count in counts.most_common()], "other models"))
    return f"auto took {listed}; naming one with -t encodes faster"


def _is_finest(parameters: Parameters) -> bool:
    """Tell whether no lossy file of the picture has a finer step or would gain from one."""
    short = parameters.sample_range
    return parameters.quality == 100 or (short is not None and parameters.step_index <= finest_step_index(short))


def _repeats(coded_bytes: int, header: container.Header, parameters: Parameters, samples: Samples) -> bool:
    """Tell whether a picture is drawn, and its tiles have so few patterns that they are likely smaller without loss."""
    if not (parameters.screen if header.depth == 8 else is_screen(eight_bits(samples, parameters.sample_range))):
        return False
    tiles = map(header.tile_rectangle, range(header.tile_count))
    patterns = sum(count_patterns(samples[y : y + height, x : x + width]) for x, y, width, height in tiles)
    return patterns <= MOST_PATTERNS * coded_bytes
