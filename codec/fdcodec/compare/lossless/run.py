"""A whole comparison of lossless codecs: load images, code each once, check every sample, store, write the report."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from fdcodec.compare import INSTALL, environment
from fdcodec.compare.base import Codec
from fdcodec.compare.lossless import report
from fdcodec.compare.lossless.codecs import CODECS, select
from fdcodec.compare.lossless.records import Comparison, Record, Result
from fdcodec.compare.run import RESULTS, Track, check_writable, untracked
from fdcodec.compare.subjects import Subject, find, load_whole
from fdcodec.compare.sweep import timed_round_trip, warm_up
from fdcodec.errors import UnsupportedError, VerificationError


def compare(
    paths: Sequence[Path],
    folder: Path,
    names: Sequence[str] = tuple(CODECS),
    accepted: Callable[[Sequence[Subject]], None] = lambda images: None,
    track: Track = untracked,
) -> Comparison:
    """Compare lossless codecs on images; write ``index.html`` and ``results/lossless.json`` into `folder`.

    Parameters
    ----------
    paths
        Image files, or directories of losslessly stored images; their samples are taken as they are stored.
    names
        Keys of `fdcodec.compare.lossless.codecs.CODECS`.
    accepted, track
        As `fdcodec.compare.run.compare` takes them.
    """
    chosen, skipped = select(names)
    if not chosen:
        raise UnsupportedError(f"codecs: none of those chosen is installed; {INSTALL}")
    images = load_whole(find(paths))
    check_writable(folder)
    accepted(images)
    records = list(track(measure(images, chosen), description="Coding", total=len(images)))
    labels = {codec.name: codec.label for codec in chosen}
    settings = {codec.name: "; ".join(filter(None, (codec.settings, codec.version()))) for codec in chosen}
    comparison = Comparison(environment.describe(), skipped, labels, settings, records)
    comparison.save(folder / RESULTS / "lossless.json")
    report.write(comparison, folder)
    return comparison


def measure(subjects: Sequence[Subject], codecs: Sequence[Codec]) -> Iterator[Record]:
    """Yield one record an image.

    Raises
    ------
    VerificationError
        A codec does not give every sample back.
    """
    for codec in codecs:
        with suppress(UnsupportedError):
            warm_up(codec, subjects[0].samples)
    for subject in subjects:
        results = {codec.name: result for codec in codecs if (result := _result(codec, subject)) is not None}
        form = {"channels": subject.samples.size // subject.pixels, "depth": subject.depth}
        yield Record(subject.facts | form, results)


def _result(codec: Codec, subject: Subject) -> Result | None:
    """Return what a codec makes of an image, None if its format has no such images."""
    try:
        data, decoded, encode_s, decode_s = timed_round_trip(codec, subject.samples, codec.qualities[0])
    except UnsupportedError:
        return None
    if not np.array_equal(decoded, subject.samples):
        raise VerificationError(f"{codec.label} does not give back every sample of {subject.name}; leave it out")
    return Result(len(data), encode_s, decode_s)
