"""The class model: learned transforms, start states and filter of a kind of image, and its `.fdt` file."""

from __future__ import annotations

import json
import os
import zlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fdcodec.errors import ChecksumError, FormatError, TruncatedError
from fdcodec.kernels.reconstruction.learned_tables import LearnedMode
from fdcodec.limits import MAX_MODEL_BYTES
from fdcodec.model.body import Transforms, build_body, inflate, parse_body
from fdcodec.paths import checked_path

if TYPE_CHECKING:
    from fdcodec.kernels.reconstruction.tables import Tables

MAGIC = b"\x8bFDT"
_HEAD_BYTES = len(MAGIC) + 8


@dataclass(frozen=True, eq=False, repr=False)
class ClassModel:
    """Everything the codec learns for a kind of image; equal models have equal hashes.

    Parameters
    ----------
    name
        What people call it, of a model from a file the name of that; no part of its identity.
    transforms
        {(size class 0..6, mode group 0..9, or 10 + i for learned mode i): GroupTransform}; empty for the plain DCT.
    start_states
        Shape (n_contexts, 2), uint8: start probability in 1/256 and its confidence as update count; None for even odds.
    filters
        Shape (plane kinds, step buckets, classes, weights), int8: the decoder's filter; None for deblocking only.
    learned
        The learned modes, by ascending log2 size; at most 8 of a size.
    recipe
        How it was made: sources, hashes, error curves. No part of its identity.
    """

    name: str
    transforms: Transforms = field(default_factory=dict)
    start_states: NDArray[np.uint8] | None = None
    filters: NDArray[np.int8] | None = None
    learned: tuple[LearnedMode, ...] = ()
    recipe: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def canonical(self) -> bytes:
        """The bytes that decide what the model does, and nothing else."""
        return build_body(self.transforms, self.start_states, self.filters, self.learned)

    @cached_property
    def hash(self) -> bytes:
        """SHA-256 of the canonical bytes: the model's identity."""
        return sha256(self.canonical).digest()

    @cached_property
    def tables(self) -> Tables:
        """The tables that the block kernels read."""
        from fdcodec.kernels.reconstruction.tables import build_tables

        return build_tables(self.transforms, self.learned)

    def __repr__(self) -> str:
        """Return name, identity and what there is; the arrays would fill a notebook."""
        parts = f"{len(self.transforms)} transforms, {len(self.learned)} learned modes"
        return f"<ClassModel {self.name!r} {self.hash.hex()[:16]}: {parts}>"

    def to_bytes(self) -> bytes:
        """Return the canonical bytes, deflated: what an `.fdc` file embeds."""
        return zlib.compress(self.canonical, 9)

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "embedded", recipe: dict[str, Any] | None = None) -> ClassModel:
        """Return the model of `to_bytes`; FormatError where the bytes are not those of a model."""
        return cls(name, *parse_body(inflate(data)), recipe=recipe or {})

    def renamed(self, name: str) -> ClassModel:
        """Return the same model under another name."""
        return replace(self, name=name)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as an `.fdt` file, atomically.

        Raises
        ------
        ParameterError
            `path` is not a path, or the name of the file is that of a preset, which would be found in its place.
        OSError
            The file cannot be written.
        """
        from fdcodec.image.files import replace_file
        from fdcodec.model.registry import check_name, is_preset

        target = checked_path("path", path)
        if not (is_preset(self) and target.stem == self.name):
            check_name(target, "path")
        name, recipe = os.fsencode(self.name), zlib.compress(json.dumps(self.recipe, sort_keys=True).encode(), 9)
        body = self.to_bytes()
        parts = b"".join(len(part).to_bytes(4, "little") + part for part in (name, recipe, body))
        replace_file(
            target,
            MAGIC + zlib.crc32(parts).to_bytes(4, "little") + len(parts).to_bytes(4, "little") + parts,
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ClassModel:
        """Read an `.fdt` file, whose name without the suffix is that of the model.

        Raises
        ------
        FormatError
            It is not one; TruncatedError where it ends too early, ChecksumError where it is damaged.
        ParameterError
            `path` is not a path.
        """
        with checked_path("path", path).open("rb") as file:
            data = file.read(MAX_MODEL_BYTES)
        if data[: len(MAGIC)] != MAGIC:
            raise FormatError(f"{path}: not a class model (.fdt); make one with `fdcodec learn`")
        length = int.from_bytes(data[_HEAD_BYTES - 4 : _HEAD_BYTES], "little")
        parts = data[_HEAD_BYTES:]
        if len(parts) != length:
            raise TruncatedError(f"{path}: {len(parts)} bytes of class model, expected {length}; copy it again")
        if zlib.crc32(parts) != int.from_bytes(data[len(MAGIC) : len(MAGIC) + 4], "little"):
            raise ChecksumError(f"{path}: the class model is damaged; copy it again")
        _, recipe, body = _split_parts(parts)  # what the file was called when it was made, it may not be any more
        return cls.from_bytes(body, Path(path).stem, _parse_recipe(recipe))


def _split_parts(parts: bytes) -> list[bytes]:
    fields = []
    for _ in range(3):
        length = int.from_bytes(parts[:4], "little")
        if length > len(parts) - 4:
            raise TruncatedError("class model: a part is longer than the file")
        fields.append(parts[4 : 4 + length])
        parts = parts[4 + length :]
    return fields


def _parse_recipe(data: bytes) -> dict[str, Any]:
    """Return the recipe of deflated JSON; FormatError where it is no JSON object."""
    try:
        recipe = json.loads(inflate(data))
    except (ValueError, RecursionError) as error:
        reason = type(error).__name__
        raise FormatError(f"class model: the recipe is not JSON ({reason}); make the model again") from error
    if not isinstance(recipe, dict):
        raise FormatError(f"class model: the recipe is a {type(recipe).__name__}, not an object; make the model again")
    return recipe
