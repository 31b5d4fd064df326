"""The codecs that can be compared: fdcodec itself, and the rivals that are installed."""

import re
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import fdcodec
from fdcodec.aliases import Samples
from fdcodec.arguments import check_tune
from fdcodec.compare.base import Codec
from fdcodec.compare.rivals import RIVALS
from fdcodec.errors import EmbeddingWarning, ParameterError
from fdcodec.model import registry
from fdcodec.model.class_model import ClassModel

SHA256 = re.compile("[0-9a-f]{64}")
NAMES = (*RIVALS, "fdc")


class Fdc(Codec):
    """fdcodec itself, with a transform by name ("auto", a preset) or by the path of an .fdt file, tuned as it says.

    With `embed` False its files only name a class model of your own, which is not counted. No file is exact because
    that is smaller: a curve of errors has no place for it.
    """

    qualities = (0, 12, 25, 40, 55, 70, 82, 94)
    is_deep = True

    def __init__(
        self, transform: str, tune: Literal["psnr", "visual"] = "psnr", embed: Literal[False, "auto"] = "auto"
    ) -> None:
        self.transform, self.tune, self.embed = transform, tune, embed
        stem = Path(transform).stem
        self.name, self.label, self.settings = f"fdc-{stem}", f"fdcodec {stem}", f"transform={stem}"
        if tune != "psnr":
            self.name += f"-{tune}"
            self.label += f" {tune}"
            self.settings += f", tune={tune}"
        if embed is False:
            self.settings += ", models named"

    def missing(self) -> str:
        """Return nothing: the codec is this package."""
        return ""

    def version(self) -> str:
        """Return the version of the package, and the identity of a transform that was chosen."""
        models = ", ".join(f"model {model.hash.hex()[:16]}" for model in self._models() if self.transform != "auto")
        return ", ".join(filter(None, (f"fdcodec {fdcodec.__version__}", models)))

    def training_hashes(self) -> frozenset[str]:
        """Return the hashes in the recipes of all class models that the transform may choose from."""
        return frozenset(hash_ for model in self._models() for hash_ in _hashes_in(model.recipe))

    def encode(self, image: Samples, quality: float) -> bytes:
        """Encode with the public function."""
        with warnings.catch_warnings(action="ignore", category=EmbeddingWarning):  # `decode` has the model
            return fdcodec.encode(
                image, quality=quality, lossless=False, transform=self.transform, tune=self.tune, embed=self.embed
            )

    def decode(self, data: bytes, like: Samples) -> Samples:
        """Decode with the public function."""
        return fdcodec.decode(data, transform=None if self.transform == "auto" else self.transform)

    def _models(self) -> list[ClassModel]:
        return registry.presets() if self.transform == "auto" else [registry.resolve(self.transform, "transforms")]


def select(
    names: tuple[str, ...],
    transforms: tuple[str, ...],
    tune: Literal["psnr", "visual"] = "psnr",
    embed: Literal[False, "auto"] = "auto",
) -> tuple[list[Codec], dict[str, str]]:
    """Return the codecs that work here, and for each that does not what it misses.

    Parameters
    ----------
    names
        Keys of `RIVALS`, or "fdc" for fdcodec, which is taken once for each of `transforms`.
    transforms
        What ``fdcodec.encode(transform=...)`` takes.
    tune
        What ``fdcodec.encode(tune=...)`` takes.
    embed
        Whether files carry class models of your own.
    """
    check_tune(tune)
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise ParameterError(f"codecs: {', '.join(unknown)!r} is unknown; allowed are {', '.join(NAMES)}")
    _refuse_one_name(transforms)
    own = [Fdc(transform, tune, embed) for transform in dict.fromkeys(transforms)]
    wanted = [codec for name in dict.fromkeys(names) for codec in (own if name == "fdc" else [RIVALS[name]()])]
    return [c for c in wanted if not c.missing()], {c.label: c.missing() for c in wanted if c.missing()}


def _refuse_one_name(transforms: tuple[str, ...]) -> None:
    """Raise ParameterError if two transforms have the name by which results are kept."""
    owners: dict[str, str] = {}
    for transform in transforms:
        name = Path(transform).stem
        if (owner := owners.setdefault(name, transform)) != transform:
            raise ParameterError(
                f"transforms: {owner} and {transform} have one name, {name!r}; rename one, or compare them apart"
            )


def _hashes_in(recipe: object) -> Iterator[str]:
    """Yield every sha256 in hexadecimal, wherever in a recipe it stands."""
    if isinstance(recipe, str) and SHA256.fullmatch(recipe):
        yield recipe
    elif isinstance(recipe, Mapping):
        for part in (*recipe, *recipe.values()):
            yield from _hashes_in(part)
    elif isinstance(recipe, list | tuple):
        for part in recipe:
            yield from _hashes_in(part)
