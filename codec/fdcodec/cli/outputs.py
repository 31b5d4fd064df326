"""Whether an output can be written, before any work is done for it."""

import os
from pathlib import Path

from fdcodec.cli.inputs import STREAM
from fdcodec.cli.jobs import Job
from fdcodec.container.constants import COMPACT_SIGNATURE, SIGNATURE
from fdcodec.errors import ParameterError


def check_model_path(target: Path, force: bool) -> None:
    """Raise an error if a class model cannot be written to a path, or would not be found there."""
    from fdcodec.model.registry import SUFFIX, has_suffix

    _check_directory(target)
    if not has_suffix(target):
        raise ParameterError(f"output: {target} is no name that ends in {SUFFIX}; give one such as scans{SUFFIX}")
    if target.exists() and not force:
        raise FileExistsError(f"{target} exists; add --force to replace it")
    _check_writable(target)


def check_target(job: Job) -> None:
    """Raise an error if the output is another input's, the input itself, cannot be written, or exists and is kept."""
    if not job.make_directory and (job.source == STREAM or job.source.exists()):
        _check_directory(job.target)
    if job.rival is not None:
        raise ParameterError(
            f"would be written to {job.target}, like {job.rival}; rename one of them, "
            "or give it a run of its own with another --out-dir"
        )
    if job.source != STREAM and job.target.exists() and job.source.samefile(job.target):
        raise _is_itself(job)
    if job.target.is_dir():
        raise IsADirectoryError(f"{job.target} is a directory; name a file in it, or give it with --out-dir")
    if not job.may_replace and job.target.is_file():
        raise FileExistsError(f"{job.target} exists; add --force to replace it")
    _check_writable(job.target, " with --out-dir or -o")


def _is_itself(job: Job) -> ParameterError:
    """Return the error of an output that is the input; if nobody named it, the opposite command is meant."""
    told = "the output is the input itself"
    if job.is_named:
        return ParameterError(f"{told}; name another")
    with job.source.open("rb") as file:
        is_encoded = file.read(len(SIGNATURE)).startswith((SIGNATURE, COMPACT_SIGNATURE))
    encodes = job.target.suffix == ".fdc"
    if encodes == is_encoded:
        told = f"this is {'an .fdc file already' if is_encoded else 'no .fdc file'}, and {told}"
    return ParameterError(f"{told}; name another, or did you mean {'decode' if encodes else 'encode'}?")


def _check_directory(target: Path) -> None:
    """Raise an error if the directory of an output does not exist."""
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{target} would be in a directory that does not exist; create {target.parent} first")


def _check_writable(target: Path, option: str = "") -> None:
    """Raise an error if the directory of an output is read-only; `option` says how to name another."""
    directory = Path(os.path.realpath(target)).parent
    needs_place = target.is_file() or not target.exists()  # as devices and pipes do not
    if needs_place and directory.is_dir() and not os.access(directory, os.W_OK):
        raise PermissionError(f"{directory} cannot be written to; name another directory{option}")
