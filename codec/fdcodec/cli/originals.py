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
from fdcodec.paths import holds


class Originals(NamedTuple):
    """One image or a directory with the originals of encoded files, and which images there may be that of each.

    Once a file was compared, `images` has the nearest of these. `count` returns the number of frames of an image,
    `expected` are the images of which there should be files, with directories that cannot be read, and `others` the
    files below the directory that are no images.
    """

    place: Path
    images: dict[Path, list[Path]]
    count: Callable[[Path], int]
    expected: list[Path]
    others: list[Path]

    @classmethod
    def of(cls, files: list[Found], place: Path) -> Originals:
        """Find the originals of files: below a directory, those of their relative paths but for suffix and frame.

        Raises
        ------
        click.UsageError
            The place is standard input, or a directory without images, or an image and the files are several that
            are not its frames.
        """
        from fdcodec.image.frames import frame_count
        from fdcodec.image.reading import READABLE_SUFFIXES

        count = cache(frame_count)  # asked for each frame
        if place == STREAM:
            raise click.UsageError("--against takes a file, and - is standard input; save the original to a file first")
        if not holds(place.is_dir):
            if len(files) > 1 and not all(_frame_named(file.path, place) for file in files):
                raise click.UsageError(
                    f"{place} is not a directory; for several inputs that are not its frames, name the directory of "
                    "their originals"
                )
            return cls(place, {file.path: [place] for file in files}, count, [place] if len(files) > 1 else [], [])
        below = defaultdict[Path, list[Path]](list)
        inputs, others = find_files((str(place),), READABLE_SUFFIXES, recursive=True)
        for image in inputs:
            if not image.fault:
                below[image.relative.with_suffix("")].append(image.path)
        pairs = ((file.path, _images_of(file.relative, below, count)) for file in files if not file.fault)
        found = {path: images for path, images in pairs if images}
        return cls(place, found, count, [image.path for image in inputs], others)

    def without_file(self) -> list[str]:
        """Name images that are the original of no file, and where files are named after frames, those without one."""
        frames = _frames_of_files(self.images)
        names: list[str] = []
        for image in self.expected:
            if not frames[image]:
                names.append(str(image))
            elif frames[image] != {0}:
                names += [f"{image} frame {k}" for k in range(1, self.count(image) + 1) if k not in frames[image]]
        return names

    def with_one_frame(self) -> list[str]:
        """Name images of several frames of which one has a file, whose name does not tell which."""
        frames = _frames_of_files(self.images)
        return [str(image) for image in self.expected if frames[image] == {0} and self.count(image) > 1]

    def originals_of(self, encoded: Path) -> list[Original]:
        """Return what may be the original of a file, at least one image; FileNotFoundError where there is none."""
        images = self.images.get(encoded)
        if not images:
            raise FileNotFoundError(
                f"{self.place} has no image of its name and place; name its original with --against"
            )
        originals = [Original(image, self.count(image), _frame_named(encoded, image)) for image in images]
        several = len(originals) > 1
        return [each._replace(called=each.path.name) for each in originals] if several else originals


def _frame_named(encoded: Path, original: Path) -> int:
    """Return which frame of an original a file is by its name: 2 for b-2.fdc of b.tif; 0 if its name tells none."""
    numbered = re.fullmatch(re.escape(original.stem) + r"-(\d+)", encoded.stem)
    return int(numbered[1]) if numbered else 0


def _images_of(encoded: Path, images: Mapping[Path, list[Path]], count: Callable[[Path], int]) -> list[Path]:
    """Return the images, by relative paths without suffix, of a file's name; else stacks of its name as a frame's."""
    name = encoded.with_suffix("")
    whole = name.with_name(re.sub(r"(?<=.)-\d+$", "", name.name))
    return images.get(name) or [image for image in images.get(whole, []) if count(image) > 1]


def _frames_of_files(found: Mapping[Path, list[Path]]) -> defaultdict[Path, set[int]]:
    """Return, by original, which of its frames the files are by their names; 0 is a name that tells none."""
    frames = defaultdict[Path, set[int]](set)
    for encoded, originals in found.items():
        for original in originals:
            frames[original].add(_frame_named(encoded, original))
    return frames
