"""The coding parameters of a picture, and the numbers of the lossy codestream as the specification lists them."""

import re
from itertools import product
from pathlib import Path

import pytest

from fdcodec.errors import FormatError
from fdcodec.format import constants
from fdcodec.format.parameters import Parameters, step_index_for, visual_step_index

SPEC = (Path(__file__).parents[2] / "docs/spec/fdc-0.md").read_text()
BLOCKS = {
    Parameters(0): b"\0\0",
    Parameters(383): b"\x7f\x01",
    Parameters(1, None, (7, 0)): b"\x01\x0e",
    Parameters(0, None, (0, 7)): b"\0\x70",
    Parameters(0, (0, 0, 0)): b"\0\x80\0\0\0\0",
    Parameters(0, (511, 0, 0)): b"\0\x80\xff\x01\0\0",
    Parameters(383, (511, 511, 511), (7, 7)): b"\x7f\xff\xff\xff\xff\x07",
    Parameters(0, screen=True): b"\0\0\1",
    Parameters(0, (0, 0, 0), screen=True): b"\0\x80\0\0\0\0\1",
    Parameters(0, adaptive=True): b"\0\0\2",
    Parameters(0, (0, 0, 0), adaptive=True): b"\0\x80\0\0\0\0\2",
    Parameters(0, sample_range=(0, 0)): b"\0\0\0\0\0\0",
    Parameters(0, sample_range=(1, 65535)): b"\0\0\1\0\xff\xff",
    Parameters(0, (0, 0, 0), adaptive=True, sample_range=(256, 257)): b"\0\x80\0\0\0\0\2\0\1\1\1",
}


@pytest.mark.parametrize(("parameters", "block"), BLOCKS.items(), ids=str)
def test_fields_lie_where_the_specification_says(parameters, block):
    """Each field has the bits of SPEC 3.1, both ways."""
    assert block == parameters.to_bytes()
    assert parameters == Parameters.from_bytes(block, 8 if parameters.sample_range is None else 16)


@pytest.mark.parametrize("colour", [None, (1, 256, 500)])
def test_every_step_and_strength_round_trips(colour):
    """Every step index and every pair of strengths come back, with and without a colour transform."""
    strengths = list(product(range(8), repeat=2))
    for step_index in range(constants.MAX_STEP_INDEX + 1):
        parameters = Parameters(step_index, colour, strengths[step_index % len(strengths)])
        assert parameters == Parameters.from_bytes(parameters.to_bytes(), 8)


REFUSED = {
    "nothing": (b"", 8),
    "1 byte": (b"\0", 8),
    "3 bytes": (b"\0\0\0", 8),
    "no angles": (b"\0\x80", 8),
    "5 bytes": (b"\0\x80\0\0\0", 8),
    "6 bytes unasked": (b"\0\0\0\0\0\0", 8),
    "step 384": (b"\x80\x01", 8),
    "bit 27": (b"\0\x80\0\0\0\x08", 8),
    "both tools": (b"\0\0\3", 8),
    "tools 4": (b"\0\0\4", 8),
    "tools 130": (b"\0\0\x82", 8),
    "bytes after the tools": (b"\0\0\2\0", 8),
    "no range": (b"\0\0", 16),
    "half a range": (b"\0\0\0\0", 16),
    "the least above the greatest": (b"\0\0\1\0\0\0", 16),
    "two ranges": (b"\0\0\0\0\0\0\0\0\0\0", 16),
    "screen tools": (b"\0\0\1\0\0\0\0", 16),
}


@pytest.mark.parametrize(("block", "depth"), REFUSED.values(), ids=REFUSED)
def test_blocks_that_are_refused(block, depth):
    """Another length, a field out of range, a reserved bit, and what the depth does not allow are FormatErrors."""
    with pytest.raises(FormatError, match=r"^coding parameters: .+; the file is damaged, get it again$"):
        Parameters.from_bytes(block, depth)


@pytest.mark.parametrize("deep", [False, True])
def test_step_falls_with_quality(deep):
    """From quality 0 to 100 the step index never rises, stays in its range, and falls by many octaves."""
    indices = [step_index_for(quality / 2, deep) for quality in range(201)]
    assert sorted(indices, reverse=True) == indices
    assert 0 <= indices[-1] < indices[0] - 4 * constants.STEPS_PER_OCTAVE <= constants.MAX_STEP_INDEX


@pytest.mark.parametrize(("step_of", "adaptive"), [(step_index_for, False), (visual_step_index, True)])
def test_quality_of_a_step_gives_the_step_again(step_of, adaptive):
    """Every step between those of quality 0 and 100 has a quality; whole numbers have themselves."""
    for step_index in range(step_of(100), step_of(0) + 1):
        assert step_of(Parameters(step_index, adaptive=adaptive).quality) == step_index
    assert [Parameters(step_of(q), adaptive=adaptive).quality for q in range(101)] == list(range(101))


def test_qualities_of_16_bit_pictures():
    """Up to 75 they have the steps of 8-bit ones, at 100 a tenth of theirs; whole numbers have themselves."""
    indices = [step_index_for(quality, deep=True) for quality in range(101)]
    assert indices[:76] == [step_index_for(quality) for quality in range(76)]
    assert pytest.approx(step_index_for(100) - indices[100], abs=1) == 3.3 * constants.STEPS_PER_OCTAVE
    assert [Parameters(index, sample_range=(0, 9)).quality for index in indices] == list(range(101))


def test_steps_beyond_the_qualities_have_none():
    """Steps that are finer than that of quality 100 or coarser than that of 0 are no quality's."""
    assert Parameters(step_index_for(100) - 1).quality is None
    assert Parameters(step_index_for(0) + 1).quality is None


def test_constants_of_the_specification():
    """The tables of clauses 3 to 7 have the constants of the code, all but the names of modes, with their values."""
    text = SPEC[SPEC.index("## 3 Planes") :]
    table = re.findall(r"^\| `([A-Z0-9_]+)` \| `([0-9()<\-, ]+)` \|", text, re.M)
    modes = {"PLANAR", "DC", "HORIZONTAL", "DIAGONAL", "VERTICAL", "SAMPLED", "COPIED"}
    names = {name for name in vars(constants) if name.isupper()}
    assert {name: eval(expression, {}) for name, expression in table} == {
        name: getattr(constants, name) for name in names - modes
    }
