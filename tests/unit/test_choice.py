"""What the encoder chooses for a whole picture."""

import numpy as np
import pytest
from tests.images import photo

import fdcodec
from fdcodec import choice, codec, container
from fdcodec.choice import FINALISTS, QUARTER_WINDOW, choose_models, choose_parameters, quarter_samples
from fdcodec.coding.settings import EncoderSettings
from fdcodec.model import get

SMALL, LARGE = photo(64, 80), np.tile(photo(64, 80), (5, 4, 1))


def chosen(samples, **settings):
    """Return the models that a picture is coded with."""
    settings = EncoderSettings(**settings)
    return choose_models(samples, settings, choose_parameters(samples, settings))


@pytest.mark.parametrize("shape", [(1, 1), (95, 96), (97, 400), (385, 130)])
def test_quarters_are_sampled_inside_the_picture(shape):
    """Each quarter gives a window as large as the picture allows, around its middle."""
    numbers = np.arange(shape[0] * shape[1]).reshape(*shape, 1)
    parts = quarter_samples(numbers)
    assert {part.shape[:2] for part in parts} == {tuple(min(side, QUARTER_WINDOW) for side in shape)}
    if min(shape) > QUARTER_WINDOW:
        assert len({int(part[0, 0, 0]) for part in parts}) == 4


@pytest.mark.parametrize(
    ("samples", "effort", "count"), [(SMALL, 3, 1), (SMALL, 5, FINALISTS), (LARGE, 5, 1), (LARGE, 6, FINALISTS)]
)
def test_small_pictures_are_coded_with_each_finalist(samples, effort, count):
    """How many models a picture is coded with goes by its size and the effort."""
    assert len(chosen(samples, effort=effort)) == count


def test_a_named_model_is_the_only_one():
    """A transform that is asked for is not compared with others."""
    assert chosen(SMALL, model="map") == [get("map")]


def test_cheapest_attempt_is_kept(monkeypatch):
    """Of the finalists the one whose file and error cost least is in the file, wherever it stands among them."""
    models = chosen(SMALL)
    costs = {}
    for model in models:
        monkeypatch.setattr(choice, "choose_models", lambda *ignored, one=model: [one])
        [attempt] = attempts_of(monkeypatch, SMALL)
        costs[model.hash] = choice.total_cost(attempt.errors, sum(map(len, attempt.payloads)), step_of(SMALL))
    best = min(costs, key=costs.get)
    for order in (models, models[::-1]):
        monkeypatch.setattr(choice, "choose_models", lambda *ignored, order=order: order)
        assert best.startswith(container.read(fdcodec.encode(SMALL)).model_ref)


def step_of(samples):
    """Return the step index of a picture at the default settings."""
    return choose_parameters(samples, EncoderSettings()).step_index


def attempts_of(monkeypatch, samples):
    """Return what the encoder tried for a picture."""
    attempts, original = [], codec._encode_with

    def record(*arguments, **named):
        attempts.append(original(*arguments, **named))
        return attempts[-1]

    with monkeypatch.context() as patched:
        patched.setattr(codec, "_encode_with", record)
        fdcodec.encode(samples)
    return attempts
