"""Notes on an encode: how its target was missed, and what another would do better."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fdcodec.drawn import LIKELY_PATTERNS, has_few_patterns, tries_exact
from fdcodec.format.parameters import Parameters, finest_step_index
from fdcodec.words import SHOWN, first_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fdcodec import container
    from fdcodec.aliases import Samples
    from fdcodec.arguments import Target
    from fdcodec.coding.settings import EncoderSettings
    from fdcodec.errors import TargetWarning


def hint(
    file: container.File,
    size_bytes: int,
    settings: EncoderSettings,
    target: Target,
    miss: TargetWarning | None,
    samples: Samples,
) -> str:
    """Return why `--lossless` is likely better than the file made for a target, which has errors; empty if it is not.

    Parameters
    ----------
    file, size_bytes
        What was encoded, and its size.
    settings, target, miss
        What was asked for, and how it was missed, if it was.
    samples
        The picture's, shape (height, width, 1..4).
    """
    is_untried = settings.lossless == "auto" and (target.kind == "psnr_db" or not tries_exact(settings))
    coded_bytes = size_bytes - file.metadata.size_bytes
    if is_untried and has_few_patterns(samples, file.header, coded_bytes, LIKELY_PATTERNS):
        return "drawn pictures like this are often smaller with --lossless than with errors; decoding takes longer"
    if miss is not None and _is_finest(Parameters.from_bytes(file.header.parameters, file.header.depth)):
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


def note_on_exact(are_exact: Sequence[bool]) -> str:
    """Return how many of several files are exact; empty if none is, or for one file."""
    exact, files = sum(are_exact), len(are_exact)
    told = f"{exact} of {files} {'is' if exact == 1 else 'are'} exact; --lossless makes all so"
    return told if exact and files > 1 else ""


def _is_finest(parameters: Parameters) -> bool:
    """Tell whether no lossy file of the picture has a finer step or would gain from one."""
    short = parameters.sample_range
    return parameters.quality == 100 or (short is not None and parameters.step_index <= finest_step_index(short))
