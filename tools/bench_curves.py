"""Rate and distortion of one image with one model, and BD-rates between such curves."""

import warnings
from dataclasses import dataclass
from typing import Any

import fdcodec
from fdcodec import container
from fdcodec.aliases import Samples
from fdcodec.compare.aggregate import spread
from fdcodec.compare.bd_rate import bd_rate
from fdcodec.errors import EmbeddingWarning
from fdcodec.image.psnr import psnr
from fdcodec.model import ClassModel
from fdcodec.model.embedding import embedding

QUALITIES = (25, 50, 75, 90)  # a BD-rate needs four points


@dataclass(frozen=True)
class Curve:
    """One image coded with one model: file sizes with the model by reference and embedded, and PSNR, by quality.

    Embedded is a model as files embed one of a user's own: what it differs in from the preset it was learned from. That
    preset is there, and stays named.
    """

    by_reference: list[int]
    embedded: list[int]
    psnr_db: list[float]


def measure(image: Samples, model: ClassModel, **settings: Any) -> Curve:
    """Code an image at each quality, with further arguments of `fdcodec.encode`; the files are decoded."""
    by_reference, embedded, psnr_db = [], [], []
    for quality in QUALITIES:
        with warnings.catch_warnings(action="ignore", category=EmbeddingWarning):  # `decode` has the model
            data = fdcodec.encode(image, quality=quality, transform=model, embed=False, **settings)
        by_reference.append(len(data))
        embedded.append(_embedded_size(data, model))
        psnr_db.append(psnr(image, fdcodec.decode(data, transform=model)))
    return Curve(by_reference, embedded, psnr_db)


def _embedded_size(data: bytes, model: ClassModel) -> int:
    if model.recipe.get("parent") is None:
        return len(data)
    file = container.read(data)
    return len(container.write(container.File(file.header, file.payloads, model_bytes=embedding(model, "auto"))))


def rates(test: list[Curve], anchor: list[Curve], sizes: str = "by_reference") -> dict[str, Any]:
    """Return the BD-rate of one model against another: the spread over images, and that of each."""
    percents = [
        bd_rate(getattr(a, sizes), a.psnr_db, getattr(t, sizes), t.psnr_db).percent
        for t, a in zip(test, anchor, strict=True)
    ]
    return spread(percents)._asdict() | {"percents": percents}
