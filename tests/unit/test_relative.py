"""Class models as what they differ in from a parent."""

import zlib
from dataclasses import replace

import numpy as np
import pytest
from tests.images import photo

import fdcodec
from fdcodec import container
from fdcodec.errors import EmbeddingWarning, FdcError, FormatError, TransformNotFoundError
from fdcodec.format.constants import PARENT_BYTES
from fdcodec.inspection import facts_and_fault
from fdcodec.model import ClassModel, get
from fdcodec.model.embedding import embedded, embedding, model_of
from fdcodec.model.registry import presets
from fdcodec.model.relative import _RELATIVE, build_relative, parent_of, parse_relative

PARENT, EMPTY = get("photo"), ClassModel("empty")
IMAGE = photo(24, 40)


def relative(model, parent=PARENT):
    """Return what a model differs in from a parent."""
    return build_relative(model.canonical, parent.canonical, parent.hash)


def child(**parts):
    """Return a model that was made from the parent, with other parts."""
    return replace(PARENT, name="child", recipe={"parent": PARENT.hash.hex()}, **parts)


CHILDREN = {
    "nothing": EMPTY,
    "the parent": PARENT,
    "without filters": child(filters=None),
    "without start states": child(start_states=None),
    "without learned modes": child(learned=(), transforms={k: t for k, t in PARENT.transforms.items() if k[1] < 10}),
    "other order of modes": child(learned=(PARENT.learned[1], PARENT.learned[0], *PARENT.learned[2:])),
    "other confidences": child(start_states=PARENT.start_states ^ np.array([0, 1], np.uint8)),
    "far filters": child(filters=(PARENT.filters.astype(np.int16) + 128).astype(np.int8)),
    "fewer groups": child(transforms=dict(list(PARENT.transforms.items())[::2])),
    **{preset.name: preset for preset in presets()},
}


@pytest.mark.parametrize("model", CHILDREN.values(), ids=CHILDREN)
@pytest.mark.parametrize(
    "parent", [PARENT, EMPTY, get("dct"), CHILDREN["fewer groups"]], ids=["photo", "empty", "dct", "fewer groups"]
)
def test_models_come_back(model, parent):
    """Whatever a model has in common with its parent, its canonical bytes come back."""
    assert parse_relative(relative(model, parent), parent.canonical) == model.canonical


def test_parent_takes_next_to_nothing():
    """A model equal to its parent is the parent's hash, a byte for each learned mode, and zeros."""
    body = relative(PARENT)
    assert (body[0], parent_of(body)) == (1, PARENT.hash[:PARENT_BYTES])
    assert set(body[1 + PARENT_BYTES :]) <= {*range(len(PARENT.learned) + 1), 0x80, 0x25, *len_bytes()}
    assert len(zlib.compress(body, 9)) < 100


def len_bytes():
    """Return the bytes of the numbers of start states and filter weights."""
    return {*len(PARENT.start_states).to_bytes(2, "little"), *PARENT.filters.size.to_bytes(4, "little")}


def test_one_weight_is_one_byte():
    """A filter weight that differs by -1 is a 1 where the parent's has a 0."""
    filters = PARENT.filters.copy()
    filters[0, 0, 0, 0] -= 1
    before, after = np.frombuffer(relative(PARENT), np.uint8), np.frombuffer(relative(child(filters=filters)), np.uint8)
    assert [(int(a), int(b)) for a, b in zip(before, after, strict=True) if a != b] == [(0, 1)]


def test_angles_are_signed_and_by_byte():
    """The angles of a group are folded, -1 as 1 and 1 as 2, low bytes first."""
    key, transform = next(iter(PARENT.transforms.items()))
    one = transform._replace(pairs=transform.pairs[:3], angles=np.array([1023, 1, 512], np.uint16))
    model = child(transforms={**PARENT.transforms, key: one})
    assert bytes([3, 0]) + one.pairs.tobytes() + bytes([1, 2, 255, 0, 0, 3]) in relative(model)
    assert parse_relative(relative(model), PARENT.canonical) == model.canonical


def test_files_embed_the_differences():
    """A model learned from a preset is embedded as what it differs in; with embed=True, or without a parent, whole."""
    model = child(filters=None)
    sizes = {embed: len(fdcodec.encode(IMAGE, transform=model, embed=embed)) for embed in ("auto", True)}
    assert sizes["auto"] < 1000 < len(model.to_bytes()) < sizes[True]
    assert embedding(replace(model, recipe={}), "auto") == model.to_bytes()
    for embed in ("auto", True):
        data = fdcodec.encode(IMAGE, transform=model, embed=embed)
        assert model_of(container.read(data)).hash == model.hash
        assert fdcodec.info(data)["transform_hash"] == model.hash.hex()
        assert np.array_equal(fdcodec.decode(data), fdcodec.decode(fdcodec.encode(IMAGE, transform=model)))


def test_file_without_a_model_is_damaged():
    """A lossy file that neither names nor holds a class model is a FormatError, whoever asks for its model."""
    with pytest.raises(FormatError, match="neither names nor holds a class model"):
        model_of(container.File(container.Header(8, 8), [b""]))


def test_parent_that_is_not_there():
    """A file whose model's parent is not known says so, and is decoded with the parent at hand."""
    parent = replace(PARENT, name="own parent", filters=None)
    data = zlib.compress(relative(PARENT, parent))
    with pytest.raises(TransformNotFoundError, match=parent.hash[:PARENT_BYTES].hex()):
        embedded(data)
    assert embedded(data, parent).hash == PARENT.hash


def test_missing_model_is_no_lost_tile():
    """Of a whole file whose bits cannot be counted for want of its model, the other facts are those of a whole one."""
    with pytest.warns(EmbeddingWarning):
        data = fdcodec.encode(IMAGE, transform=child(filters=None), embed=False)
    facts, fault = facts_and_fault(data, bits=True)
    assert (facts, type(fault)) == (fdcodec.info(data), TransformNotFoundError)


ONE = {"size": 0, "group": 0, "count": 1, "pairs": bytes([0, 1]), "angles": bytes([1, 0]), "order": bytes(range(16))}


def with_groups(groups, dropped=()):
    """Return a body with these groups, all else the parent's."""
    fields = _RELATIVE.parse(relative(PARENT))
    return _RELATIVE.build({**fields, "groups": groups, "dropped": list(dropped)})


def test_groups_replace_the_parents():
    """The body that the refused ones are made of is a model with one transform that is another."""
    model = embedded(zlib.compress(with_groups([ONE])))
    assert model.transforms[0, 0].angles.tolist() == [1023]
    assert len(model.transforms) == len(PARENT.transforms)


REFUSED = {
    "version only": b"\1",
    "half a parent": b"\1" + PARENT.hash[:7],
    "half a parent that nobody has": b"\1" + bytes(7),
    "parent only": b"\1" + PARENT.hash[:8],
    "no such group to leave out": relative(EMPTY)[:10] + b"\6\x63" + relative(EMPTY)[12:],
    "bytes after": relative(PARENT) + b"\0",
    "cut": relative(get("document"))[:-1],
    "no such learned mode": relative(PARENT)[:-1] + b"\x10",
    "group twice": with_groups(2 * [ONE]),
    "group left out and given": with_groups([ONE], dropped=[ONE["size"] << 8 | ONE["group"]]),
    "angle above its range": with_groups([{**ONE, "angles": bytes([0, 4])}]),
    "angle below its range": with_groups([{**ONE, "angles": bytes([1, 4])}]),
    "start state 0": relative(child(start_states=PARENT.start_states * np.uint8(0))),
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_damaged_bytes_are_refused(body):
    """Cut, lengthened or impossible differences are a FormatError."""
    with pytest.raises(FormatError):
        embedded(zlib.compress(body))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no such group to leave out", "the parent has no such group or mode"),
        ("no such learned mode", "the parent has no such group or mode"),
        ("bytes after", "expected end of stream"),
    ],
)
def test_message_tells_what_does_not_fit_the_parent(name, words):
    """What the parent does not have, and what construct does not read, is told as such."""
    with pytest.raises(FormatError, match=rf"not one that differs from its parent \(.*{words}\); the file is damaged"):
        embedded(zlib.compress(REFUSED[name]))


@pytest.mark.parametrize("seed", range(300))
def test_random_damage_is_refused_or_a_model(seed):
    """Any damaged bytes are refused by an FdcError or give a model that can be used."""
    rng = np.random.default_rng(seed)
    body = bytearray(relative(get(("document", "dct", "satellite")[seed % 3])))
    for place in rng.integers(9 if seed % 2 else 0, len(body) if seed % 5 else 80, rng.integers(1, 4)):
        body[place] = rng.integers(256)
    try:
        model = embedded(zlib.compress(bytes(body)))
    except FdcError:
        return
    assert ClassModel.from_bytes(model.to_bytes()).hash == model.hash
    assert model.tables
