"""Files that break one rule of the specification are refused, for that rule and no other."""

import re
from pathlib import Path

import pytest
from tests.golden.cases import CASES, stored
from tests.golden.refused import REFUSED_FILES, edited, made_refused, refusals, refused, undone
from tests.golden.rules import broken_clauses
from tests.reference import colour
from tests.reference.lossless import LosslessDecoder
from tests.reference.range_coder import Decoder
from tests.reference.reconstruct import reconstruct_tile
from tests.unit.test_documents import spec_clauses

import fdcodec
from fdcodec import container
from fdcodec.errors import (
    ChecksumError,
    FormatError,
    LimitError,
    TransformNotFoundError,
    TruncatedError,
    UnsupportedError,
)
from fdcodec.format.parameters import Parameters
from fdcodec.model.embedding import model_of

REFUSALS = refusals()
ERRORS = {
    "malformed": FormatError,
    "truncated": TruncatedError,
    "checksum": ChecksumError,
    "unsupported": UnsupportedError,
    "limit": LimitError,
    "no model": TransformNotFoundError,
}
DOCUMENT = Path(__file__).parents[2] / "docs/spec/conformance.md"
MAX_BYTES, MAX_OVERRUN = 300, 8
every_file = pytest.mark.parametrize("name", REFUSALS)


def of_clause(clause):
    """Parametrize a test by the files of a clause."""
    return pytest.mark.parametrize("name", [name for name in REFUSALS if REFUSALS[name].clause == clause])


@every_file
def test_file_is_refused(name):
    """The decoder refuses the file with the very error that its manifest names."""
    with pytest.raises(ERRORS[REFUSALS[name].refused_as]) as caught:
        fdcodec.decode(refused(name))
    assert caught.type is ERRORS[REFUSALS[name].refused_as]


@every_file
def test_file_is_a_golden_file_but_for_its_edits(name):
    """The stored file without its edits is its golden file, byte for byte, and with them the stored one."""
    refusal = REFUSALS[name]
    golden, _ = stored(refusal.made_from)
    assert undone(refused(name), refusal) == golden != refused(name)
    assert made_refused(refusal) == refused(name)


@every_file
def test_file_breaks_its_clause_only(name):
    """By a reading of the container's rules that shares nothing with the decoder, only the clause named is broken."""
    clause = REFUSALS[name].clause
    assert broken_clauses(refused(name)) == ({clause} if clause[0] in "23" else set())


@pytest.mark.parametrize("name", CASES)
def test_golden_files_break_no_clause(name):
    """By the same reading golden files break no rule."""
    assert broken_clauses(stored(name)[0]) == set()


def overrun(data):
    """Return by how many bytes the decoder of the reference runs past each payload of a file of one tile."""
    file = container.read(data)
    header, payload = file.header, file.payloads[0]
    if header.lossless:
        return [overrun_of_lossless(payload, header)]
    length = int.from_bytes(payload[:4], "little") if header.channels == 2 else len(payload)
    colours = payload[len(payload) - length :] if header.channels == 1 else payload[4 : 4 + length]
    coder, parameters = Decoder(colours), Parameters.from_bytes(header.parameters, header.depth)
    height, width = (-(-side // 4) * 4 for side in (header.height, header.width))
    reconstruct_tile(coder, height, width, model_of(file), parameters.step_index, colour.ranges_of(None))
    alpha = [overrun_of_lossless(payload[4 + length :], header)] if header.channels == 2 else []
    return [coder.position - len(colours), *alpha]


def overrun_of_lossless(payload, header):
    """Return by how many bytes the decoder of the reference runs past a payload of one channel."""
    decoder = LosslessDecoder(payload, 1, header.height, header.width, header.depth)
    decoder.decode()
    return decoder.coder.position - len(payload)


@pytest.mark.parametrize("name", ["lossy-payload-cut", "alpha-payload-cut", "lossless-payload-cut"])
def test_the_reference_runs_past_cut_payloads(name):
    """The decoder of the reference reads more than 8 bytes past the end of a cut payload, and not of the golden one."""
    golden, _ = stored(REFUSALS[name].made_from)
    assert max(overrun(golden)) <= MAX_OVERRUN < max(overrun(refused(name)))


@of_clause("L1.2")
def test_the_reference_reads_what_lossless_headers_must_not_have(name):
    """The decoder of the reference reads a field that is not allowed from the refused file, and not from the golden."""
    for data, is_refused in ((refused(name), True), (stored(REFUSALS[name].made_from)[0], False)):
        file = container.read(data)
        header = file.header
        decoder = LosslessDecoder(file.payloads[0], header.channels, header.height, header.width, header.depth)
        limits_cross = any(lowest > highest for lowest, highest in decoder.limits)
        assert (decoder.transform > 2 or limits_cross or decoder.n_colours > header.pixels) == is_refused


def test_files_are_small_and_none_is_without_an_entry():
    """The folder holds exactly the files of the manifest, none of 300 bytes or more."""
    sizes = {path.stem: path.stat().st_size for path in REFUSED_FILES.iterdir()}
    assert sorted(sizes) == sorted(REFUSALS)
    assert max(sizes.values()) < MAX_BYTES


def test_an_edit_must_find_what_it_replaces():
    """An edit of bytes or chunks that are not there is an error, so that no file is another one than its entry says."""
    golden, _ = stored("tiles")
    for edit in ({"byte": 0, "was": "00", "now": "01"}, {"chunks": 1, "was": ["TFAC 00"], "now": []}):
        with pytest.raises(ValueError, match="where the edit has"):
            edited(golden, edit)


def test_the_document_lists_every_file():
    """The table for implementers has every file in the row of its clause, and every word of `refused_as`."""
    text = DOCUMENT.read_text()
    rows = dict(re.findall(r"^\| (L?\d[\d.]*) \| .*? \| (.*) \|$", text, re.M))
    listed = {clause: re.findall(r"`([\w-]+)`", files) for clause, files in rows.items()}
    clauses = {refusal.clause for refusal in REFUSALS.values()}
    assert clauses <= spec_clauses()
    assert listed == {clause: [name for name in REFUSALS if REFUSALS[name].clause == clause] for clause in clauses}
    assert {refusal.refused_as for refusal in REFUSALS.values()} == set(ERRORS)
    assert [word for word in ERRORS if f"*{word}*" not in text] == []
