"""A whole comparison: load the images, run the codecs, cut details, store everything, write the report."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Literal

from fdcodec.compare import INSTALL, codecs, crops, environment, report, subjects
from fdcodec.compare.aggregate import anchor_of, average_bd_rates
from fdcodec.compare.base import Codec
from fdcodec.compare.bd_rate import MIN_POINTS, BDRate
from fdcodec.compare.metrics import METRICS, installed, metrics_of
from fdcodec.compare.records import Comparison
from fdcodec.compare.sweep import sweep
from fdcodec.errors import ParameterError, UnsupportedError
from fdcodec.paths import holds

Track = Callable[..., Iterable[Any]]
RESULTS = "results"


def untracked(steps: Iterable[Any], description: str, total: int) -> Iterable[Any]:
    """Return the steps, whose progress nobody sees."""
    return steps


def compare(
    paths: Sequence[Path],
    folder: Path,
    names: Sequence[str] = codecs.NAMES,
    transforms: Sequence[str] = ("auto", "dct"),
    qualities: Sequence[float] | None = None,
    gray: bool = False,
    metrics: Sequence[str] | None = None,
    tune: Literal["psnr", "visual"] = "psnr",
    embed: Literal[False, "auto"] = "auto",
    accepted: Callable[[Sequence[subjects.Subject]], None] = lambda images: None,
    track: Track = untracked,
) -> Comparison:
    """Compare codecs on images; write ``index.html``, plots, crops and ``results/`` into `folder`.

    Parameters
    ----------
    paths
        Image files, or directories of losslessly stored images.
    names, transforms, tune, embed
        As `fdcodec.compare.codecs.select` takes them.
    qualities
        Qualities 0..100 instead of each codec's own; at least four, as BD-rate needs.
    gray
        Reduce colour images to gray.
    metrics
        Of psnr, ms-ssim, ssimulacra2; by default all that are installed.
    accepted
        Called with the images once nothing is left that could be refused, before the work.
    track
        Called with an iterable of steps, a description and their number; returns the iterable with progress shown.
    """
    chosen, skipped = codecs.select(tuple(names), tuple(transforms), tune, embed)
    _check(chosen, qualities, metrics)
    images = subjects.load_all(subjects.find(paths), gray)
    depth = images[0].depth
    chosen, shallow = _of_depth(chosen, metrics, depth)
    skipped |= shallow
    steps = sweep(images, chosen, metrics or metrics_of(depth), qualities)
    check_writable(folder)
    accepted(images)
    records = list(track(steps, description="Coding", total=len(images) * len(chosen)))
    measured = Comparison(environment.describe(), skipped, records)
    details = crops.cut(measured, images, chosen, folder)
    shown = list(track(details, description="Details", total=len(images) * (len(chosen) + 1)))
    comparison = Comparison(measured.environment, skipped, records, shown)
    comparison.save(folder / RESULTS)
    report.write(comparison, folder)
    return comparison


def bd_rates(comparison: Comparison) -> dict[str, dict[str, BDRate]]:
    """Return the BD-rates of the average curves by measure and codec."""
    anchor = anchor_of(comparison)
    return {measure: average_bd_rates(comparison, measure, anchor) for measure in comparison.measures}


def _of_depth(chosen: Sequence[Codec], metrics: Sequence[str] | None, depth: int) -> tuple[list[Codec], dict[str, str]]:
    """Return the codecs that code images of this many bits, and what each of the others needs."""
    able = [codec for codec in chosen if depth == 8 or codec.is_deep]
    if not able:
        raise UnsupportedError(f"codecs: none of those chosen codes {depth} bits a sample; take fdc, jxl or jp2")
    left_out = [metric for metric in metrics or () if metric not in metrics_of(depth)]
    if left_out:
        raise ParameterError(f"metrics: {left_out[0]!r} is defined for 8 bits a sample only; leave it out")
    return able, {codec.label: "images of 8 bits a sample" for codec in chosen if codec not in able}


def check_writable(folder: Path) -> None:
    """Raise an OSError now, and not after the work, if a folder cannot be written into; it is left as it was."""
    absent = [path for path in (folder, *folder.parents) if not holds(path.exists)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()
    finally:
        for path in absent:
            with suppress(OSError):  # it could not be made
                path.rmdir()


def _check(chosen: Sequence[Codec], qualities: Sequence[float] | None, metrics: Sequence[str] | None) -> None:
    if not chosen:
        raise UnsupportedError(f"codecs: none of those chosen is installed; {INSTALL}")
    if qualities is not None and len(set(qualities)) < MIN_POINTS:
        raise ParameterError(
            f"qualities: {len(set(qualities))} given, of which BD-rate needs {MIN_POINTS}; give {MIN_POINTS} or more"
        )
    allowed = installed()
    unknown = [metric for metric in metrics or () if metric not in allowed]
    if unknown:
        known = f"of {', '.join(METRICS)}, these are installed: {', '.join(allowed)}"
        raise ParameterError(f"metrics: {unknown[0]!r} cannot be computed; {known}")
