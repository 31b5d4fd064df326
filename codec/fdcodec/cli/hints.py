"""Notes on an encode: how its target was missed, what another would do better, and what its class model costs."""

from __future__ import annotations

import os
from collections import Counter
from shlex import quote
from typing import TYPE_CHECKING

from fdcodec.drawn import LIKELY_PATTERNS, has_few_patterns, tries_exact
from fdcodec.format.parameters import Parameters, finest_step_index
from fdcodec.words import SHOWN, first_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from fdcodec import container
    from fdcodec.aliases import Samples
    from fdcodec.arguments import Target
    from fdcodec.cli.console import Console
    from fdcodec.coding.settings import EncoderSettings
    from fdcodec.errors import TargetWarning
    from fdcodec.model import ClassModel


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


def note_on_models(made: Iterable[Mapping[str, Any]]) -> str:
    """Return which class models `auto` took for many files, the most frequent first; empty for few, or without loss.

    `made` are the facts of the files.
    """
    counts = Counter(facts["transform_name"] for facts in made if facts["transform_name"])
    if counts.total() <= SHOWN:
        return ""
    listed = ", ".join(first_of([f"{name} for {count}" for name, count in counts.most_common()], "other models"))
    return f"auto took {listed}; naming one with -t encodes faster"


def note_on_exact(made: Sequence[Mapping[str, Any]]) -> str:
    """Return how many of several files are exact; empty if none is, or for one file."""
    exact, files = sum(facts["exact"] for facts in made), len(made)
    told = f"{exact} of {files} {'is' if exact == 1 else 'are'} exact; --lossless makes all so"
    return told if exact and files > 1 else ""


def note_on_deep(made: Iterable[Mapping[str, Any]]) -> str:
    """Return what the default quality does to samples of 16 bits; empty if no file has such with errors."""
    if not any(facts["depth_bits"] == 16 and not facts["exact"] for facts in made):
        return ""
    told = "at the default quality samples of 16 bits may be off by some percent of their range"
    return f"{told}; -q 97 keeps more, --lossless all"


def tell_of_model(model: ClassModel, transform: str, embed: bool | None, console: Console) -> None:
    """Say what a class model costs in each file unless it is a preset; if files only name it, warn if it is absent."""
    from fdcodec.model.embedding import embedding
    from fdcodec.model.registry import is_preset

    if embed is False:
        _warn_if_absent(model, transform, console)
    elif embed is None and not is_preset(model):
        console.say(
            f"note: {len(embedding(model, 'auto'))} bytes of each file are its class model; --no-embed leaves it out, "
            "for readers that have it in a directory that FDCODEC_MODEL_PATH names"
        )


def _warn_if_absent(model: ClassModel, transform: str, console: Console) -> None:
    """Warn of a class model that is not installed here, which files that only name it need."""
    from fdcodec.model.registry import is_installed

    if not is_installed(model):
        listed = os.environ.get("FDCODEC_MODEL_PATH", "").split(os.pathsep)
        place = next(filter(None, listed), "a directory, and name that in FDCODEC_MODEL_PATH")
        console.say(
            f"warning: keep {transform}: it is not installed, and without it nobody can decode these files. "
            f"To decode them, give -t {quote(transform)}, or install it: copy it to {place}. "
            "Or leave out --no-embed, and each file carries it"
        )


def _is_finest(parameters: Parameters) -> bool:
    """Tell whether no lossy file of the picture has a finer step or would gain from one."""
    short = parameters.sample_range
    return parameters.quality == 100 or (short is not None and parameters.step_index <= finest_step_index(short))
