"""Files that no encoder writes decode to the samples that a decoder written from the specification alone gave."""

import re
from pathlib import Path

import pytest
from tests.golden.cases import digest
from tests.golden.forged import FORGED_FILES, forged, forgeries
from tests.golden.rules import broken_clauses
from tests.golden.test_refused import overrun
from tests.unit.test_documents import spec_clauses

import fdcodec

FORGERIES = forgeries()
DOCUMENT = Path(__file__).parents[2] / "docs/spec/conformance.md"
every_file = pytest.mark.parametrize("name", FORGERIES)


@every_file
def test_forged_file_decodes_to_its_record(name):
    """A forged file decodes to samples of the recorded digest."""
    assert digest(fdcodec.decode(forged(name))) == FORGERIES[name].sha256_pixels


@every_file
def test_forged_file_breaks_no_clause(name):
    """By a reading of the container's rules that shares nothing with the decoder, no rule is broken."""
    assert broken_clauses(forged(name)) == set()


def test_the_reference_reads_eight_bytes_past_the_end():
    """The decoder of the reference reads just as many bytes past a payload as are allowed (SPEC 5.1)."""
    assert overrun(forged("eight-bytes-past-the-end")) == [8]


def test_no_forged_file_is_without_an_entry():
    """The folder holds exactly the files of the manifest."""
    assert sorted(path.name for path in FORGED_FILES.iterdir()) == sorted(f"{name}.fdc" for name in FORGERIES)


def test_the_document_lists_every_forged_file():
    """The table for implementers has every file with its clauses, which are in the specification."""
    rows = re.findall(r"^\| `([\w-]+)` \| (L?\d[\d., L]*) \|$", DOCUMENT.read_text(), re.M)
    assert {name: clauses.split(", ") for name, clauses in rows} == {name: of.clauses for name, of in FORGERIES.items()}
    assert {clause for of in FORGERIES.values() for clause in of.clauses} <= spec_clauses()
