"""Class models: identity, and what is refused."""

import os
import re
import struct
import zlib
from dataclasses import replace

import numpy as np
import pytest

from fdcodec.coding.lossy import start_contexts
from fdcodec.errors import FormatError, ParameterError
from fdcodec.format.constants import FILTER_BUCKETS, FILTER_CLASSES, FILTER_WEIGHTS
from fdcodec.format.contexts import KINDS, N_CONTEXTS
from fdcodec.model import ClassModel, find, get
from fdcodec.model.body import GroupTransform, fold, parse_body, unfold
from fdcodec.model.registry import PRESETS_DIR, is_preset, presets

EMPTY = ClassModel("empty")
TRANSFORM = GroupTransform(np.array([[0, 1]], np.uint8), np.array([7], np.uint16), np.arange(16, dtype=np.uint8))
SMALL = ClassModel("small", {(0, 3): TRANSFORM})
PRESET_NAMES = sorted(path.stem for path in PRESETS_DIR.glob("*.fdt"))


def body(groups=(), states=b"", n_weights=0, weights=b"", version=0, learned=(), tail=b""):
    """Return canonical bytes as SPEC 7 lays them out; a group is (size class, group, pairs, angles, order)."""
    data = struct.pack("<BB", version, len(groups))
    for size, group, pairs, angles, order in groups:
        data += struct.pack("<BBH", size, group, len(angles)) + bytes(np.ravel(pairs).tolist())
        data += struct.pack(f"<{len(angles)}H", *angles) + bytes(order)
    return (
        data
        + struct.pack("<H", len(states) // 2)
        + states
        + struct.pack("<I", n_weights)
        + weights
        + modes(learned)
        + tail
    )


def modes(learned):
    """Return the learned modes' bytes as SPEC 7 lays them out; a mode is (log2 size, bases, bytes of its weights)."""
    return bytes([len(learned)]) + b"".join(bytes([size, bases]) + weights for size, bases, weights in learned)


GROUP = (0, 3, [(0, 1)], [7], range(16))
NINE_BY_16 = bytes(9 * 16)
MODES = [(2, 6, bytes([1, 2, 255]) + NINE_BY_16[3:] + bytes([0, 0, 1]) + NINE_BY_16[3:]), (3, 15, bytes(2 * 17 * 64))]
STATES = bytes([128, 0]) * N_CONTEXTS


def test_canonical_bytes_are_those_of_the_specification():
    """The empty model, one rotation, start states and filter weights lie where clause 7 says."""
    assert body() == EMPTY.canonical
    assert body([GROUP]) == SMALL.canonical
    states = np.frombuffer(STATES, np.uint8).reshape(-1, 2)
    filters = np.arange(KINDS * FILTER_BUCKETS * FILTER_CLASSES * FILTER_WEIGHTS).astype(np.int8)
    full = replace(SMALL, start_states=states, filters=filters.reshape(KINDS, FILTER_BUCKETS, FILTER_CLASSES, -1))
    assert body([GROUP], STATES, filters.size, filters.tobytes()) == full.canonical


def test_learned_modes_are_those_of_the_specification():
    """Bases, and weights with their sign in the lowest bit, low bytes before high bytes, lie where clause 7 says."""
    model = ClassModel.from_bytes(zlib.compress(body([(0, 10, [], [], range(16))], learned=MODES)))
    assert [(mode.log2_size, mode.vertical, mode.horizontal) for mode in model.learned] == [(2, 1, 2), (3, 3, 3)]
    assert model.learned[0].weights.ravel()[:3].tolist() == [-1, 1, -256]
    assert body([(0, 10, [], [], range(16))], learned=MODES) == model.canonical


def test_identity_is_neither_name_nor_recipe():
    """Models that do the same have the same hash, whatever they are called and however they were made."""
    assert replace(SMALL, name="other", recipe={"steps": [1]}).hash == SMALL.hash
    assert EMPTY.hash != SMALL.hash


def test_name_of_a_model_is_that_of_its_file(tmp_path):
    """A file that is renamed, or that was saved under another name than the model's, holds a model of its name."""
    replace(SMALL, name="other").save(tmp_path / "a.fdt")
    assert ClassModel.load(tmp_path / "a.fdt").name == "a"
    (tmp_path / "a.fdt").rename(tmp_path / "b.fdt")
    assert ClassModel.load(str(tmp_path / "b.fdt")).name == "b"


def test_an_existing_file_is_kept_where_it_may_not_be_replaced(tmp_path):
    """With may_replace=False a model is written to a new file only; else it takes the place of what is there."""
    SMALL.save(tmp_path / "a.fdt", may_replace=False)
    with pytest.raises(FileExistsError):
        EMPTY.save(tmp_path / "a.fdt", may_replace=False)
    assert ClassModel.load(tmp_path / "a.fdt").hash == SMALL.hash
    EMPTY.save(tmp_path / "a.fdt")
    assert ClassModel.load(tmp_path / "a.fdt").hash == EMPTY.hash


def test_groups_are_sorted():
    """The order in which a model's groups were added does not matter."""
    groups = {(0, 5): TRANSFORM, (0, 3): TRANSFORM}
    assert ClassModel("a", groups).hash == ClassModel("b", dict(reversed(groups.items()))).hash


@pytest.mark.parametrize(("size", "zone"), [*enumerate([16, 64, 64, 64, 32, 64, 64])])
def test_each_size_class_has_its_zone(size, zone):
    """Squares of 4 to 32 and halves of squares have orders as long as their low zone."""
    canonical = body([(size, 3, [(0, zone - 1)], [7], range(zone))])
    model = ClassModel.from_bytes(zlib.compress(canonical))
    assert list(model.transforms) == [(size, 3)]
    assert model.canonical == canonical


DAMAGE = {
    "nothing": b"",
    "only a version": b"\0",
    "a later version": body(version=1),
    "a byte after the end": body(tail=b"\0"),
    "a group too few": struct.pack("<BB", 1, 1) + body()[2:],
    "size class 7": body([(7, 3, [], [], range(64))]),
    "an order of 64 for halves of 32": body([(4, 3, [], [], range(64))]),
    "group 10": body([(0, 10, [], [], range(16))]),
    "groups out of order": body([(1, 3, [], [], range(64)), (0, 3, [], [], range(16))]),
    "a group twice": body([GROUP, GROUP]),
    "1025 rotations": body([(0, 3, [(0, 1)] * 1025, [7] * 1025, range(16))]),
    "a pair of one coefficient": body([(0, 3, [(1, 1)], [7], range(16))]),
    "a pair the wrong way round": body([(0, 3, [(1, 0)], [7], range(16))]),
    "a coefficient outside the zone": body([(0, 3, [(0, 16)], [7], range(16))]),
    "a coefficient outside the zone of 8x4": body([(4, 3, [(0, 32)], [7], range(32))]),
    "angle 1024": body([(0, 3, [(0, 1)], [1024], range(16))]),
    "an order with a coefficient twice": body([(0, 3, [], [], [0, *range(15)])]),
    "an order outside the zone": body([(0, 3, [], [], [*range(15), 16])]),
    "a start state too few": body(states=STATES[2:]),
    "start probability 1": body(states=b"\1\0" + STATES[2:]),
    "start probability 254": body(states=b"\xfe\0" + STATES[2:]),
    "count 64": body(states=b"\x80\x40" + STATES[2:]),
    "one filter weight": body(n_weights=1, weights=b"\1"),
    "filter weights that are not there": body(n_weights=9600),
    "endless filter weights": body(n_weights=0xFFFFFFFF),
    "a learned mode that is not there": body()[:-1] + b"\1",
    "a learned mode cut short": body(learned=[(2, 0, NINE_BY_16)]),
    "a learned mode of 2x2": body(learned=[(1, 0, bytes(2 * 5 * 4))]),
    "a learned mode of 32x32": body(learned=[(5, 0, bytes(2 * 17 * 64))]),
    "bases 16": body(learned=[(2, 16, 2 * NINE_BY_16)]),
    "learned modes out of order": body(learned=MODES[::-1]),
    "nine learned modes of a size": body(learned=9 * MODES[:1]),
    "a group of a learned mode that is not there": body([(1, 11, [], [], range(64))], learned=MODES),
    "a group of a learned mode for halves": body([(4, 10, [], [], range(32))], learned=MODES),
}


@pytest.mark.parametrize("damaged", DAMAGE.values(), ids=DAMAGE)
def test_damaged_body_is_refused(damaged):
    """Everything that clause 7 does not allow is a FormatError, deflated or not."""
    with pytest.raises(FormatError, match=r"^class model: .+; the file is damaged, get it again$"):
        parse_body(damaged)
    with pytest.raises(FormatError, match=r"^class model: .+; the file is damaged, get it again$"):
        ClassModel.from_bytes(zlib.compress(damaged))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("group 10", "mode group 10 of size class 0, expected 0..9"),
        ("1025 rotations", "number of rotations 1025, expected 0..1024"),
        ("a start state too few", f"{N_CONTEXTS - 1} start states, expected 0 or {N_CONTEXTS}"),
        ("start probability 1", "start probability 1, expected 2..253"),
        ("count 64", "start count 64, expected 0..63"),
        ("one filter weight", "number of filter weights 1, expected 0 or 9600"),
        ("bases 16", "bases of a learned mode 16, expected 0..15"),
        ("a learned mode of 32x32", "log2 size of a learned mode 5, expected 2..4"),
    ],
)
def test_message_names_the_value_and_what_is_allowed(name, words):
    """The error of a field says its value and the range or the values that clause 7 allows."""
    with pytest.raises(FormatError, match=re.escape(words)):
        parse_body(DAMAGE[name])


def test_numbers_are_folded_as_the_specification_says():
    """Each signed number of 16 bits is stored as 2v, or -2v - 1 where it is below 0 (SPEC 1), and comes back."""
    numbers = np.arange(-(1 << 15), 1 << 15).astype(np.int16)
    assert fold(numbers).tolist() == [2 * v if v >= 0 else -2 * v - 1 for v in numbers.tolist()]
    np.testing.assert_array_equal(unfold(fold(numbers)), numbers)


@pytest.mark.parametrize(
    "deflated",
    [b"", b"text", EMPTY.to_bytes()[:-1], EMPTY.to_bytes() + b"\0", zlib.compress(bytes((1 << 24) + 1))],
    ids=["nothing", "no stream", "cut", "followed", "inflates too far"],
)
def test_damaged_stream_is_refused(deflated):
    """A deflate stream that is none, cut, followed by a byte, or too long when inflated is a FormatError."""
    words = "not a deflate stream" if deflated == b"text" else "the deflate stream is cut, above .* or followed"
    with pytest.raises(FormatError, match=words):
        ClassModel.from_bytes(deflated)


def test_start_states_become_contexts():
    """A start state p, c starts a context at probability 256 p + 128 and count c; none at 32768 and 0."""
    states = np.array([[2 + k % 252, k % 64] for k in range(N_CONTEXTS)], np.uint8)
    expected = [[256 * int(p) + 128, 256 * int(p) + 128, int(c)] for p, c in states]
    assert expected == start_contexts(ClassModel("states", start_states=states)).tolist()
    np.testing.assert_array_equal(parse_body(body(states=states.tobytes()))[1], states)
    assert start_contexts(EMPTY).tolist() == [[32768, 32768, 0]] * N_CONTEXTS


def test_presets_are_all_there():
    """The package ships the plain DCT, photographs and classes, and each of them loads under its own name."""
    assert {"dct", "photo", "gray", "document", "screenshot"} <= set(PRESET_NAMES)
    assert [get(name).name for name in PRESET_NAMES] == PRESET_NAMES


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_preset_is_whole_and_found(name):
    """A preset has start states, a filter and a recipe, is unlike all others, and is found by 4 bytes of its hash."""
    model = get(name)
    assert model.start_states is not None
    assert model.filters is not None
    assert model.recipe
    assert is_preset(model)
    assert find(model.hash[:4]).hash == find(model.hash).hash == model.hash
    assert [other.name for other in presets() if other.hash == model.hash] == [name]


def test_dct_preset_has_no_transforms():
    """The preset `dct` is the base transform alone; `photo` has learned ones."""
    assert get("dct").transforms == {}
    assert get("photo").transforms


@pytest.mark.parametrize("path", [None, 7, b"a.fdt", []])
def test_load_takes_paths_only(path):
    """What is not a path is a wrong argument."""
    with pytest.raises(ParameterError, match="path: "):
        ClassModel.load(path)


def test_repr_is_one_short_line():
    """A model that ends a cell of a notebook does not fill it."""
    assert repr(get("dct")) == f"<ClassModel 'dct' {get('dct').hash.hex()[:16]}: 0 transforms, 0 learned modes>"


def test_name_that_is_no_text_is_saved(tmp_path):
    """A model whose file has a name that is not UTF-8 can be saved, and is called as the new file."""
    model = replace(get("dct"), name=os.fsdecode(b"\xff"))
    model.save(tmp_path / "other.fdt")
    assert ClassModel.load(tmp_path / "other.fdt").name == "other"
