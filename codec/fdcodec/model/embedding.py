"""A class model inside a file: whole, or as what it differs in from the preset that it was learned from (ADR 0027)."""

from __future__ import annotations

import os
import zlib
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from fdcodec.errors import TransformNotFoundError, damaged
from fdcodec.model.body import inflate, parse_body
from fdcodec.model.class_model import ClassModel
from fdcodec.model.registry import find, is_installed, presets, resolve
from fdcodec.model.relative import build_relative, parent_of, parse_relative

if TYPE_CHECKING:
    from fdcodec.container import File


@lru_cache(maxsize=2)
def embedding(model: ClassModel, embed: bool | Literal["auto"]) -> bytes:
    """Return the bytes of a model that a file embeds; for "auto", what it differs in from the preset it came from."""
    parent = next((preset for preset in presets() if preset.hash.hex() == model.recipe.get("parent")), None)
    if parent is None or embed != "auto":
        return model.to_bytes()
    return zlib.compress(build_relative(model.canonical, parent.canonical, parent.hash), 9)


@lru_cache(maxsize=2)
def embedded(data: bytes, own: ClassModel | None = None) -> ClassModel:
    """Return the model of `embedding`, its parent found as by `find`; kept, as the chunks of a store have the same."""
    body = inflate(data)
    if (reference := parent_of(body)) is not None:
        body = parse_relative(body, _parent(reference, own).canonical)
    return ClassModel("embedded", *parse_body(body))


def model_of(file: File, own: ClassModel | None = None) -> ClassModel:
    """Return the class model of a lossy file: embedded, or `own` or an installed one where its hash is named."""
    if file.model_bytes is not None:
        return embedded(file.model_bytes, own)
    if file.model_ref is None:
        raise damaged("the file neither names nor holds a class model")
    return find(file.model_ref, own)


def absence(model: str | os.PathLike[str] | ClassModel, readable: str) -> str:
    """Return the warning of a class model that is named and not embedded; empty where `decode` would find it here.

    Parameters
    ----------
    model
        What was given for it: a name, a path, or a model.
    readable
        What cannot be read without it, for the message.
    """
    if model == "auto" or is_installed(resolve(model)):
        return ""
    name = model.name if isinstance(model, ClassModel) else model
    return (
        f"embed: class model {name} is not installed, and without it nobody can read {readable}; put it into a "
        "directory that FDCODEC_MODEL_PATH names, for readers too, or leave embed=False out"
    )


def _parent(reference: bytes, own: ClassModel | None) -> ClassModel:
    """Return the model that an embedded one differs from; TransformNotFoundError says that it is that."""
    try:
        return find(reference, own)
    except TransformNotFoundError:
        raise TransformNotFoundError(
            f"the file embeds what its class model differs in from {reference.hex()}, which is not known; give the "
            ".fdt file of that as `transform` (-t), or decode with the version of fdcodec that has it as a preset"
        ) from None
