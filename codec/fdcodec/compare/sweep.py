"""Run codecs over images at their quality ladders and measure: whole-file bytes, quality, seconds."""

import time
from collections.abc import Iterator, Sequence

from fdcodec.aliases import Samples
from fdcodec.compare.base import Codec
from fdcodec.compare.metrics import METRICS
from fdcodec.compare.records import Record
from fdcodec.compare.subjects import Subject
from fdcodec.errors import ParameterError


def sweep(
    subjects: Sequence[Subject],
    codecs: Sequence[Codec],
    metrics: Sequence[str],
    qualities: Sequence[float] | None = None,
) -> Iterator[Record]:
    """Return an iterator that gives one record for each image and codec, images in the outer loop.

    Parameters
    ----------
    subjects, codecs
        What to run on what.
    metrics
        Keys of `fdcodec.compare.metrics.METRICS`.
    qualities
        Qualities 0..100 instead of each codec's own.

    Raises
    ------
    ParameterError
        At once: a transform was learned from one of the images.
    """
    refuse_training_images(subjects, codecs)
    return _records(subjects, codecs, metrics, qualities)


def _records(
    subjects: Sequence[Subject], codecs: Sequence[Codec], metrics: Sequence[str], qualities: Sequence[float] | None
) -> Iterator[Record]:
    for codec in codecs:
        warm_up(codec, subjects[0].samples)
    for subject in subjects:
        for codec in codecs:
            points = [_measure(subject, codec, quality, metrics) for quality in qualities or codec.qualities]
            results = {key: [point[key] for point in points] for key in points[0]}
            yield Record(
                codec.label,
                f"{codec.settings}; {codec.version()}",
                codec.name,
                subject.facts | {"planes": subject.planes},
                results,
            )


def refuse_training_images(subjects: Sequence[Subject], codecs: Sequence[Codec]) -> None:
    """Raise `ParameterError` if transforms to be compared were learned from some of the images; it names all."""
    told = []
    for codec in codecs:
        trained_on = codec.training_hashes()
        if learned := [subject.name for subject in subjects if subject.hashes & trained_on]:
            told.append(f"{codec.label} was learned from {', '.join(learned)}")
    if told:
        raise ParameterError(
            f"images: {', and '.join(told)}, on which figures would flatter; leave these out, or take other transforms"
        )


def timed_round_trip(codec: Codec, image: Samples, quality: float) -> tuple[bytes, Samples, float, float]:
    """Return the file, the decoded image, and the seconds that encoding and decoding took, one run each."""
    start = time.perf_counter()
    data = codec.encode(image, quality)
    middle = time.perf_counter()
    decoded = codec.decode(data, image)
    return data, decoded, middle - start, time.perf_counter() - middle


def warm_up(codec: Codec, image: Samples) -> None:
    """Load libraries and compile kernels before anything is timed."""
    corner = image[:64, :64].copy()
    codec.decode(codec.encode(corner, codec.qualities[0]), corner)


def _measure(subject: Subject, codec: Codec, quality: float, metrics: Sequence[str]) -> dict[str, float]:
    data, decoded, encode_s, decode_s = timed_round_trip(codec, subject.samples, quality)
    point: dict[str, float] = {f"{name}-{subject.planes}": METRICS[name](subject.samples, decoded) for name in metrics}
    point |= {"bpp": 8 * len(data) / subject.pixels, "encoding_time": encode_s, "decoding_time": decode_s}
    return point | {"quality": quality, "size_bytes": len(data)}
