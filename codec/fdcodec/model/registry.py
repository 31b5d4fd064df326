"""Where class models are found: the presets of the package, then the directories of FDCODEC_MODEL_PATH."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from hashlib import sha256
from pathlib import Path
from reprlib import repr as shown

from fdcodec.errors import FdcError, ParameterError, TransformNotFoundError
from fdcodec.model.body import inflate
from fdcodec.model.class_model import ClassModel
from fdcodec.model.fdt_file import SIGNATURE, read_file
from fdcodec.paths import checked_path, expand_home, holds

SUFFIX = ".fdt"
PRESETS_DIR = Path(__file__).parent.parent / "presets"


def _directories() -> list[Path]:
    listed = os.environ.get("FDCODEC_MODEL_PATH", "")
    return [PRESETS_DIR, *(expand_home(part) for part in listed.split(os.pathsep) if part)]


def _files() -> list[Path]:
    """Return the files of all known models, those of the presets first."""
    return [path for directory in _directories() for path in _models_in(directory)]


def _models_in(directory: Path) -> list[Path]:
    """Return the class models in a directory, none where it cannot be reached; a pipe would be waited for."""
    with suppress(OSError):
        return [path for path in sorted(directory.iterdir()) if has_suffix(path) and holds(path.is_file)]
    return []


def has_suffix(path: Path) -> bool:
    """Tell whether a path ends as those of class models do, in letters of either case."""
    return path.suffix.lower() == SUFFIX


def paths() -> dict[str, Path]:
    """Return the path of each known model by name, and of what only ends as one; the presets win."""
    by_name: dict[str, Path] = {}
    for path in _files():
        by_name.setdefault(path.stem, path)
    return by_name


@cache
def _load(path: Path, _modified_ns: int) -> ClassModel:
    return ClassModel.load(path)


def _loaded(path: Path) -> ClassModel:
    return _load(path, path.stat().st_mtime_ns)


def _readable(files: Iterable[Path]) -> Iterator[ClassModel]:
    """Yield the models of the files that hold one: what cannot be read hides its own model only."""
    for path in files:
        with suppress(FdcError, OSError):
            yield _loaded(path)


def names() -> list[str]:
    """Return the names of all known models; of what is none by its first bytes there is no name."""
    return sorted(name for name, path in paths().items() if _begins_as_model(path))


def _begins_as_model(path: Path) -> bool:
    with suppress(OSError), path.open("rb") as file:
        return file.read(len(SIGNATURE)) == SIGNATURE
    return False


def hidden() -> list[Path]:
    """Return the files of models that no name finds, since that of another file comes first."""
    by_name = paths()
    return [path for path in _files() if by_name[path.stem] != path]


def check_name(path: Path, argument: str) -> None:
    """Raise ParameterError if a model of one's own could not be found by the name that it has at a path."""
    if path.parent != PRESETS_DIR and path.stem in {"auto", *(preset.stem for preset in _models_in(PRESETS_DIR))}:
        meant = "the choice among the presets" if path.stem == "auto" else "a preset"
        raise ParameterError(f"{argument}: {path.stem} means {meant}, not {path}; name the model otherwise")


def get(name: str, argument: str = "transform") -> ClassModel:
    """Return the model of that name; TransformNotFoundError names the argument and lists the models there are."""
    by_name = paths()
    if name not in by_name:
        raise _not_known(name, argument)
    return _loaded(by_name[name])


def _not_known(name: str, argument: str) -> TransformNotFoundError:
    """Return the error of a name that no model has: which there are, what is likely meant, and what to do."""
    known, file = names(), Path(f"{name}{SUFFIX}")
    absent = [str(directory) for directory in _directories() if not holds(directory.is_dir)]
    fault = f"; {', '.join(absent)} in FDCODEC_MODEL_PATH is no directory" if absent else ""
    meant = [f"the file {file}"] if holds(file.is_file) else get_close_matches(name, known, 1)
    advice = "give the path of its .fdt file, or set FDCODEC_MODEL_PATH to the directory of that"
    return TransformNotFoundError(
        f"{argument}: class model {shown(name)} is not known; known are {', '.join(known)}{fault}; "
        + (f"did you mean {meant[0]}? Or {advice}" if meant else advice)
    )


def find(reference: bytes, own: ClassModel | None = None) -> ClassModel:
    """Return the model whose hash begins with `reference`: the caller's own, or a known one."""
    if own is not None and own.hash.startswith(reference):
        return own
    shipped = list(_readable(path for identity, path in _shipped().items() if identity.startswith(reference)))
    if len(shipped) == 1 and shipped[0].hash.startswith(reference):  # its file may have been replaced since
        return shipped[0]
    last_wins = [*hidden(), *paths().values()]  # a model has a name that finds it, if there is one
    models = {model.hash: model for model in _readable(last_wins) if model.hash.startswith(reference)}
    if len(models) == 1:
        return models.popitem()[1]
    if models:
        raise TransformNotFoundError(
            f"the file's class model {reference.hex()} could be any of {', '.join(m.name for m in models.values())}; "
            "give the .fdt file that it was encoded with as `transform` (-t)"
        )
    searched = ", ".join(f"{each}{'' if holds(each.is_dir) else ' (is no directory)'}" for each in _directories())
    if own is not None:
        raise TransformNotFoundError(
            f"transform: the class model {own.name} has the hash {own.hash.hex()[:16]}, but the file names "
            f"{reference.hex()[:16]}, which is not in {searched} either; give the .fdt file that it was encoded with"
        )
    raise TransformNotFoundError(
        f"the file needs the class model {reference.hex()}, which is not here; it was searched for in {searched}: "
        "give its .fdt file as `transform` (-t), or set FDCODEC_MODEL_PATH to where it is"
    )


def is_installed(model: ClassModel) -> bool:
    """Tell whether a model is found by its hash, so that files may name it."""
    with suppress(TransformNotFoundError):
        return find(model.hash) is not None
    return False


def is_preset(model: ClassModel) -> bool:
    """Tell whether a model is one of those that the package ships."""
    return model in presets() or any(preset.hash == model.hash for preset in presets())


@cache
def _shipped() -> dict[bytes, Path]:
    """Return the presets by hash, as the process first finds them: most decodes look no further, and parse one.

    A preset's file holds the canonical bytes, so that their hash is the model's.
    """
    found: dict[bytes, Path] = {}
    for path in _models_in(PRESETS_DIR):
        with suppress(FdcError, OSError):
            found[sha256(inflate(read_file(path).model)).digest()] = path
    return found


def presets() -> list[ClassModel]:
    """Return the models that the package ships, by name."""
    return [_loaded(path) for path in _models_in(PRESETS_DIR)]


def resolve(model: str | os.PathLike[str] | ClassModel, argument: str = "transform") -> ClassModel:
    """Return the model that an argument means: a model, a known name, or the path of an `.fdt` file.

    Parameters
    ----------
    model
        What was given.
    argument
        Name of the argument, for messages.

    Raises
    ------
    TransformNotFoundError
        No known model has that name, or there is no such file.
    ParameterError
        The file is no `.fdt` file, or the path cannot be one.
    """
    if isinstance(model, ClassModel):
        return model
    if isinstance(model, str) and (model in paths() or not _is_path(model)):
        return get(model, argument)
    path = checked_path(argument, model)
    if has_suffix(path) and path.is_file():
        return ClassModel.load(path)
    if not path.exists():
        raise TransformNotFoundError(
            f"{argument}: there is no file {path}; check the path of the class model, or give a preset's name"
        )
    raise ParameterError(f"{argument}: {model} is not an .fdt file; give a preset's name or a path")


def _is_path(text: str) -> bool:
    """Tell whether a text is the path of a file, and no name of a model."""
    return has_suffix(Path(text)) or holds(Path(text).is_file)
