"""Files that were written once decode to the same samples for ever, compiled or not."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from tests.golden.cases import CASES, FILES, decoded_digests, digest, stored
from tests.golden.forged import forgeries

import fdcodec

SCRIPT = "import json; from tests.golden.cases import decoded_digests; print(json.dumps(decoded_digests()))"


@pytest.fixture(scope="module")
def recorded():
    """Return the recorded digest of every golden and every forged file."""
    forged_digests = {name: forgery.sha256_pixels for name, forgery in forgeries().items()}
    return {name: stored(name)[1]["sha256_pixels"] for name in CASES} | forged_digests


@pytest.mark.parametrize("name", CASES)
def test_golden_file_decodes_to_its_record(name):
    """A golden file has its recorded size and decodes to samples of the recorded digest."""
    data, record = stored(name)
    assert record["size_bytes"] == len(data)
    assert record["sha256_pixels"] == digest(fdcodec.decode(data))


@pytest.mark.parametrize("name", CASES)
def test_golden_file_is_as_close_as_recorded(name):
    """The decoded samples differ from the case's image by the recorded peak error, by 0 if lossless."""
    case = CASES[name]
    data, record = stored(name)
    samples = case.make()
    error = int(np.abs(fdcodec.decode(data).astype(np.int64) - samples).max())
    assert record["sha256_source"] == digest(samples)
    assert record["peak_error"] == error
    assert not (case.options.get("lossless") and error)


def test_interpreter_decodes_the_same(recorded):
    """With NUMBA_DISABLE_JIT=1 every golden file decodes to the recorded digest."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    assert not run.stderr
    assert recorded == json.loads(run.stdout)


def test_digests_tell_files_apart(recorded):
    """No two golden files share a digest, and a changed sample, shape or type changes it."""
    assert len(recorded) == len(set(recorded.values()))
    samples = np.zeros((2, 3), np.uint8)
    others = [samples + np.eye(2, 3, dtype=np.uint8), samples.reshape(3, 2), samples.astype(np.uint16)]
    assert digest(samples) not in [digest(other) for other in others]


def test_no_file_without_a_case():
    """The folder holds exactly the files of the cases."""
    expected = sorted(f"{name}.{suffix}" for name in CASES for suffix in ("fdc", "json"))
    assert expected == sorted(path.name for path in FILES.iterdir())


def test_all_cases_are_decoded(recorded):
    """The digests that the interpreter is compared on are of every case."""
    assert recorded == decoded_digests()
