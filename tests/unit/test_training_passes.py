"""Which images have part in what, in the two passes of learning; what sums up traces is put in another's place."""

from types import SimpleNamespace

import pytest

from fdcodec.model import ClassModel
from fdcodec.training import train
from fdcodec.training.traces import STEPS
from fdcodec.training.worth import Worth

UNSEEN = [False, True, False]
ALL = [f"{image}{step}" for image in "abc" for step in range(len(STEPS))]
SEEN, HELD_OUT = [name for name in ALL if name[0] != "b"], [name for name in ALL if name[0] == "b"]


class Names:
    """Sums that are the names of what was added."""

    def __init__(self, *start):
        self.names = []

    def add(self, trace, *flags):
        """Add a trace, or its contexts, which are its name."""
        self.names.append(getattr(trace, "contexts", trace))

    def joined(self, others):
        """Return those of both."""
        both = Names()
        both.names = self.names + others.names
        return both

    def start_states(self):
        """Return the names in the place of start states."""
        return self.names

    def filters(self, parent):
        """Return the names in the place of filters."""
        return self.names

    def share_saved(self, filters):
        """Return what is judged, and what by."""
        return None if not self.names else 0.123456 if (self.names, filters) == (HELD_OUT, SEEN) else 0.0


@pytest.fixture(autouse=True)
def named(monkeypatch):
    """Let traces be names, and sums lists of these."""
    monkeypatch.setattr(
        train, "traces", lambda middles, model: (SimpleNamespace(contexts=name, size_bytes=7) for name in ALL)
    )
    for sums in ("StartStateSums", "FilterSums"):
        monkeypatch.setattr(train, sums, Names)


def test_first_pass_holds_traces_of_images_out(monkeypatch):
    """Rotations and learned modes are told which traces only judge; start states are of all."""
    flags, blocks = [], []
    monkeypatch.setattr(
        train, "ZoneSamples", lambda: SimpleNamespace(add=lambda trace, unseen: flags.append((trace.contexts, unseen)))
    )
    monkeypatch.setattr(
        train, "BlockSamples", lambda held_out: blocks.append(held_out) or SimpleNamespace(add=lambda trace: None)
    )
    monkeypatch.setattr(train, "train_transforms", lambda zones, parent, progress: ({}, {"4x4/0": 0.1}, 0.2))
    monkeypatch.setattr(train, "train_learned", lambda blocks, transforms, parent, progress: ((), {}, {"8": 0.3}))
    model, recipe = train._first_pass(list("abc"), UNSEEN, ClassModel("start"), lambda *told: None)
    assert flags == [(name, name[0] == "b") for name in ALL]
    assert blocks == [[name[0] == "b" for name in ALL]]
    assert model.start_states == ALL
    assert recipe == {
        "size_bytes_before": 7 * len(ALL),
        "cost_saved_by_group": {"4x4/0": 0.1},
        "share_saved_by_rotations": 0.2,
        "share_saved_by_learned_modes": {"8": 0.3},
    }


def test_blocks_are_traced_without_the_parents_learned_modes(monkeypatch):
    """What learned modes have to beat are the modes made by hand; those of the parent are tried beside new ones."""
    start = ClassModel("start", {(0, 9): "by hand", (0, 10): "of a learned mode"}, learned=("a learned mode",))
    seen = []
    monkeypatch.setattr(train, "traces", lambda middles, model: seen.append(model) or ())
    monkeypatch.setattr(
        train, "train_transforms", lambda zones, parent, progress: seen.append(parent) or (parent, {}, 0)
    )
    monkeypatch.setattr(
        train, "train_learned", lambda blocks, transforms, parent, progress: seen.append(parent) or (("new",), {}, {})
    )
    model, _ = train._first_pass([], [], start, lambda *told: None)
    traced, transforms, parent = seen
    assert (traced.transforms, traced.learned, transforms) == ({(0, 9): "by hand"}, (), {(0, 9): "by hand"})
    assert parent is start
    assert model.learned == ("new",)


def test_second_pass_judges_by_what_it_did_not_see(monkeypatch):
    """The model that is compared with the presets is of the images seen alone, and that which is made is of all."""
    judged = []

    def share_saved(images, model, progress):
        judged.append((images, model))
        return Worth(0.25678, ["photo"])

    monkeypatch.setattr(train, "share_saved", share_saved)
    model, recipe = train._second_pass(list("abc"), UNSEEN, ClassModel("start"), lambda *told: None)
    assert (model.start_states, model.filters) == (ALL, SEEN + HELD_OUT)
    ((images, compared),) = judged
    assert (images, compared.start_states, compared.filters) == (["b"], SEEN, SEEN)
    assert recipe == {
        "size_bytes_after": 7 * len(ALL),
        "share_saved_by_filter": 0.1235,
        "share_saved_against_presets": 0.2568,
        "presets_compared": ["photo"],
        "images_held_out": 1,
    }
