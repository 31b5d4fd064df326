"""The class model: learned transforms, start states and filter of a kind of image, and its `.fdt` file."""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fdcodec.kernels.reconstruction.learned_tables import LearnedMode
from fdcodec.model.body import FILTER_SHAPE, Transforms, build_body, inflate, parse_body
from fdcodec.model.fdt_file import ModelFile, build_file, read_file
from fdcodec.paths import checked_path

if TYPE_CHECKING:
    from fdcodec.kernels.reconstruction.tables import Tables


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

    @cached_property
    def filter_weights(self) -> NDArray[np.int32]:
        """The filter's weights as its kernels read them, by plane kind and step bucket; zeros where there is none."""
        from fdcodec.kernels.filters.corrections import laid_out

        weights: NDArray[np.int32] = laid_out(np.zeros(FILTER_SHAPE, np.int8) if self.filters is None else self.filters)
        return weights

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

    def save(self, path: str | os.PathLike[str], *, may_replace: bool = True) -> None:
        """Write the model as an `.fdt` file (SPEC 8), atomically; an existing one is replaced if it `may_replace` it.

        Raises
        ------
        ParameterError
            `path` is not a path, or the name of the file is that of a preset, which would be found in its place.
        OSError
            The file cannot be written; FileExistsError where it is kept.
        """
        from fdcodec.image.files import replace_file
        from fdcodec.model.registry import check_name, is_preset

        target = checked_path("path", path)
        if not (is_preset(self) and target.stem == self.name):
            check_name(target, "path")
        data = build_file(ModelFile(os.fsencode(self.name), self.recipe, self.to_bytes()))
        replace_file(target, data, may_replace=may_replace)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ClassModel:
        """Read an `.fdt` file, whose name without the suffix is that of the model.

        Raises
        ------
        FormatError
            It is not one; TruncatedError where it ends too early, ChecksumError where it is damaged.
        LimitError
            It is longer than 16 MiB.
        ParameterError
            `path` is not a path.
        """
        file = read_file(checked_path("path", path))
        return cls.from_bytes(file.model, Path(path).stem, file.recipe)
