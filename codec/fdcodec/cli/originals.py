"""Where the images are that encoded files were made from."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import click

from fdcodec.cli.inputs import STREAM, Found, find_files
from fdcodec.cli.likeness import Original
from fdcodec.errors import ParameterError
from fdcodec.paths import holds
from fdcodec.words import first_of


class Originals(NamedTuple):
    """One image or a directory with the originals of encoded files, and which images there may be that of each."""

    place: Path
    images: dict[Path, list[Original]]

    @classmethod
    def of(cls, files: list[Found], place: Path) -> Originals:
        """Find the originals of files: below a directory, those of their relative paths but for suffix and frame.

        Raises
        ------
        click.UsageError
            The place is standard input, or no directory though there are several files, or one without images.
        """
        from fdcodec.image.reading import READABLE_SUFFIXES

        if place == STREAM:
            raise click.UsageError("--against takes a file, and - is standard input; save the original to a file first")
        if not holds(place.is_dir):
            if len(files) > 1:
                raise click.UsageError(f"{place} is not a directory; for several inputs name that of their originals")
            return cls(place, {file.path: [Original(place)] for file in files})
        below = defaultdict[Path, list[Path]](list)
        for image in find_files((str(place),), READABLE_SUFFIXES, recursive=True).inputs:
            if not image.fault:
                below[image.relative.with_suffix("")].append(image.path)
        count = cache(_frame_count)  # asked for each of its frames
        found = ((file.path, _images_of(file.relative, below, count)) for file in files if not file.fault)
        return cls(place, {path: images for path, images in found if images})

    def original_of(self, encoded: Path) -> Original:
        """Return the one original of a file; FileNotFoundError where there is none, ParameterError of several."""
        images = self.images.get(encoded)
        if not images:
            raise FileNotFoundError(
                f"{self.place} has no image of its name and place; name its original with --against"
            )
        if len(images) > 1:
            names = ", ".join(first_of([image.path.name for image in images]))
            raise ParameterError(f"its original may be any of {names}; name one with --against, for this file alone")
        return images[0]


def _frame_count(image: Path) -> int:
    from fdcodec.image.frames import frame_count

    return frame_count(image)


def _images_of(encoded: Path, images: Mapping[Path, list[Path]], count: Callable[[Path], int]) -> list[Original]:
    """Return the images, by relative paths without suffix, of a file's name; else stacks that have it as a frame's."""
    name = encoded.with_suffix("")
    numbered = re.fullmatch(r"(.+)-(\d+)", name.name)
    if name in images or numbered is None:
        return [Original(image) for image in images.get(name, [])]
    frame, stacks = int(numbered[2]), images.get(name.with_name(numbered[1]), [])
    return [Original(stack, frame) for stack in stacks if 1 <= frame <= count(stack) > 1]
