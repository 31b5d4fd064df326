"""`fdcodec.check`: whether a file is intact, decodes, and to the samples whose hash it carries."""

import json
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from tests.images import noise, photo

import fdcodec
from fdcodec import container
from fdcodec.errors import (
    ChecksumError,
    EmbeddingWarning,
    LimitError,
    ParameterError,
    TransformNotFoundError,
    VerificationError,
)
from fdcodec.format.contexts import N_CONTEXTS
from fdcodec.model import ClassModel

IMAGE = photo(24, 40)
PLAIN, HASHED = (fdcodec.encode(IMAGE, transform="dct", verify=verify) for verify in (False, True))
DEEP = fdcodec.encode(257 * noise(9, 7, 1, seed=1).astype(np.uint16), lossless=True, verify=True)


@pytest.mark.parametrize(
    ("data", "last"),
    [(PLAIN, "decoding"), (HASHED, "decoded samples"), (DEEP, "decoded samples")],
    ids=["plain", "hash", "16 bits"],
)
def test_check_says_what_is_right(cli, data, last):
    """Bytes, a file object and a path are checked, and told in the words of the command."""
    Path("b.fdc").write_bytes(data)
    told = {fdcodec.check(source) for source in (data, BytesIO(data), "b.fdc", Path("b.fdc"))}
    assert told == {f"structure, checksums and {last}"}
    assert json.loads(cli("check", "b.fdc", "--json").out)["checked"] == told.pop()


@pytest.mark.parametrize("data", [HASHED, DEEP], ids=["lossy", "lossless"])
def test_check_compares_the_hash(data):
    """Another hash than that of the decoded samples fails the check, though the file is intact and decodes."""
    file = container.read(data)
    other = bytes([file.pixel_hash[0] ^ 1]) + file.pixel_hash[1:]
    assert file.pixel_hash == sha256(fdcodec.decode(data).tobytes()).digest()
    with pytest.raises(VerificationError, match="do not have the hash"):
        fdcodec.check(container.write(replace(file, pixel_hash=other)))


def test_check_refuses_what_decode_refuses():
    """Damage, a payload that does not decode, a picture above the limit, and wrong arguments have decode's errors."""
    with pytest.raises(ChecksumError):
        fdcodec.check(PLAIN[:-1] + bytes([PLAIN[-1] ^ 1]))
    with pytest.raises(fdcodec.errors.FormatError, match="ends before its blocks do"):
        fdcodec.check(container.write(replace(container.read(PLAIN), payloads=(b"",))))
    with pytest.raises(LimitError):
        fdcodec.check(PLAIN, max_pixels=24 * 40 - 1)
    assert fdcodec.check(PLAIN, max_pixels=24 * 40, threads=2)
    with pytest.raises(ParameterError, match="threads"):
        fdcodec.check(PLAIN, threads=-1)


def test_check_takes_the_class_model():
    """A file that names a model of one's own is checked where that is given."""
    own = ClassModel("own", start_states=np.full((N_CONTEXTS, 2), 7, np.uint8))
    with pytest.warns(EmbeddingWarning):
        data = fdcodec.encode(IMAGE, transform=own, embed=False)
    with pytest.raises(TransformNotFoundError):
        fdcodec.check(data)
    assert fdcodec.check(data, transform=own) == "structure, checksums and decoding"
