"""Which training images are held out: single ones, whole stacks, and parts of long ones."""

from pathlib import Path

import numpy as np
import pytest
from tests.images import noise
from tests.stacks import stack, with_tag

import fdcodec
from fdcodec import api_learn
from fdcodec.cli import learn
from fdcodec.errors import ParameterError
from fdcodec.model import ClassModel
from fdcodec.training import train
from fdcodec.training.held_out import Part, parts_of


def pattern(*lengths):
    """Return the parts of the images of stacks of these lengths as a word: h is held out, x skipped, and s seen."""
    letters = {Part.HELD_OUT: "h", Part.SKIPPED: "x", Part.SEEN: "s"}
    return "".join(letters[part] for part in parts_of(np.repeat(range(len(lengths)), lengths)))


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ([1] * 4, "ssss"),
        ([4], "ssss"),
        ([1] * 11, "hsssshssssh"),
        ([12], "hhhxssssssss"),
        ([5], "hxsss"),
        ([2] * 6, "hhsssssssshh"),
        ([3] * 5 + [3] * 5, "hhh" + "s" * 12 + "hhh" + "s" * 12),
        ([10, 1, 1], "hhhxssssssss"),
        ([1, 1, 10], "hsssxhhhxsss"),
        ([6, 6], "hhhxssssssss"),
    ],
)
def test_one_image_in_five_is_held_out_and_neighbours_of_one_stack_with_it(lengths, expected):
    """Stacks are held out as a whole, of those above a fifth a part whose neighbour is in neither share."""
    assert pattern(*lengths) == expected


@pytest.mark.parametrize("seed", range(20))
def test_no_image_that_is_seen_is_beside_one_that_is_not(seed):
    """Whatever the stacks are, near a fifth of the images is held out, and most of the others are seen."""
    lengths = np.random.default_rng(seed).integers(1, 40, 9)
    stacks = np.repeat(range(9), lengths)
    parts = parts_of(stacks)
    beside = [set(parts[k : k + 2]) for k in range(len(parts) - 1) if stacks[k] == stacks[k + 1]]
    assert {Part.HELD_OUT, Part.SEEN} not in beside
    assert 0.1 <= parts.count(Part.HELD_OUT) / len(parts) <= 0.4
    assert parts.count(Part.SKIPPED) <= 2 * 5


def test_stacks_need_not_be_in_a_row():
    """Images of two stacks that come in turns have the parts that they have one stack after the other."""
    assert parts_of(["a", "b"] * 6)[::2] == parts_of(["a"] * 6 + ["b"] * 6)[:6]


def test_learning_holds_out_by_stacks(monkeypatch):
    """`learn` hands on of which stack images are, and those that are left out are in no pass."""
    passed = []
    monkeypatch.setattr(train, "_first_pass", lambda middles, unseen, model, _: passed.append(unseen) or (model, {}))
    monkeypatch.setattr(train, "_second_pass", lambda middles, unseen, model, _: passed.append(middles) or (model, {}))
    images = [np.full((8, 8), k, np.uint8) for k in range(10)]
    fdcodec.learn(images, stacks=["one"] * 10)
    unseen, middles = passed
    assert unseen == [True, True] + 7 * [False]
    assert [int(middle[0, 0, 0]) for middle in middles] == [0, 1, 3, 4, 5, 6, 7, 8, 9]


def test_each_image_needs_a_stack():
    """Another number of stacks than of images is refused."""
    with pytest.raises(ParameterError, match="stacks: 3 for 2 images; give one for each"):
        fdcodec.learn([np.zeros((8, 8), np.uint8)] * 2, stacks=[1, 1, 2])


@pytest.mark.parametrize("stacks", [5, [[1], [2]], np.zeros((2, 2))])
def test_stacks_are_names_or_numbers(stacks):
    """What is no list, or a list of what cannot be told apart, is refused."""
    with pytest.raises(ParameterError, match="stacks: give a list of names or numbers"):
        fdcodec.learn([np.zeros((8, 8), np.uint8)] * 2, stacks=stacks)


def test_command_tells_of_which_file_frames_are(cli, monkeypatch):
    """`learn --frames` has the file of each frame as its stack, but for frames that cannot be read."""
    given = []
    monkeypatch.setattr(api_learn, "learn_from", lambda *arguments: given.extend(arguments) or ClassModel("any"))
    monkeypatch.setattr(learn, "report", lambda *_: [])
    Path("s.tif").write_bytes(with_tag(stack(noise(12, 16, 3, seed=1).transpose(2, 0, 1)), 1, 259, 999))
    cli("learn", "s.tif", "a.png", "--frames", "-o", "new.fdt")
    assert given[-1] == [Path("s.tif"), Path("s.tif"), Path("a.png")]


def test_stages_are_said_where_no_bar_shows_them(cli, monkeypatch):
    """Where stderr is no terminal `learn` has a line for each stage, once."""

    def learning(images, parent, progress, stacks):
        for step in (("blocks", 1, 2), ("blocks", 2, 2), ("rotations", 1, 1)):
            progress(*step)
        return ClassModel("any")

    monkeypatch.setattr(api_learn, "learn_from", learning)
    monkeypatch.setattr(learn, "report", lambda *_: [])
    lines = cli("learn", "a.png", "-o", "new.fdt").err.splitlines()
    assert lines[-2:] == ["learning: blocks", "learning: rotations"]
