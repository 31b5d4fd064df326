"""What a learned model saves against the presets."""

from dataclasses import replace

import numpy as np
import pytest
from tests.images import photo

from fdcodec.choice import total_cost
from fdcodec.format.parameters import step_index_of
from fdcodec.model import ClassModel, get
from fdcodec.training.traces import STEPS
from fdcodec.training.worth import share_saved

IMAGE, PRESET = photo(64, 96), get("photo")


def saved(images, model):
    """Return the share saved, and how many encodes were told."""
    seen = []
    share, _ = share_saved(images, model, lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == [*range(1, len(seen) + 1)]
    return share, len(seen)


@pytest.fixture(autouse=True)
def one_preset(monkeypatch):
    """Let "auto" have one preset."""
    monkeypatch.setattr("fdcodec.choice.presets", lambda: [PRESET])


def test_preset_saves_nothing_against_itself():
    """What the best preset does is what others are measured by: itself saves nothing, a worse one costs."""
    assert saved([IMAGE], PRESET) == (0, len(STEPS))
    assert -1 < saved([IMAGE, IMAGE], ClassModel("plain"))[0] < -0.05


def test_saving_of_error_counts_as_bytes():
    """The filter makes no file smaller, and a model without it costs all the same."""
    assert -0.2 < saved([IMAGE], replace(PRESET, filters=None))[0] < -0.01


def test_a_tenth_of_the_bytes_at_equal_error_is_a_tenth(monkeypatch):
    """Costs are turned into bytes at the price of eight bits each, over all steps together."""

    def cost_and_size(samples, step, model):
        size, index = (90 if model.name == "nine tenths" else 100) * round(step), step_index_of(step)
        return total_cost(np.full((1, 2), 5000.0), size, index), size

    monkeypatch.setattr("fdcodec.training.worth._cost_and_size", cost_and_size)
    assert saved([IMAGE], ClassModel("nine tenths"))[0] == pytest.approx(0.1)


def test_best_of_the_presets_is_what_counts(monkeypatch):
    """With another preset beside it, one saves no more."""
    monkeypatch.setattr("fdcodec.choice.presets", lambda: [get("dct"), PRESET])
    assert -0.02 < saved([IMAGE], PRESET)[0] <= 0


def test_presets_that_were_the_best_are_named(monkeypatch):
    """Beside which presets a model was measured is told, of those tried the ones that were the best for an image."""
    noted = [(1, 0, "map"), (1, 0, "photo"), (1, 0, "photo"), (1, 0, "photo")]
    monkeypatch.setattr("fdcodec.training.worth._size_and_saved", lambda *_: noted.pop())
    assert share_saved([IMAGE], PRESET, lambda *_: None).presets == ["photo", "map"]


def test_without_images_nothing_is_known():
    """Where no image is held out, there is no share, and of images of one colour there may be none either."""
    assert saved([], PRESET) == (None, 0)
    assert saved([np.full((8, 8, 1), 128, np.uint8)], PRESET)[0] in (0, None)
