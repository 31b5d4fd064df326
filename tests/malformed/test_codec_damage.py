"""Hostile files: damage behind right checksums gives an FdcError or a picture, and nothing else."""

import numpy as np
import pytest
from tests.images import noise, photo

import fdcodec
from fdcodec import container
from fdcodec.errors import FdcError

SMALL = {
    "gray": fdcodec.encode(photo(20, 24)[:, :, 0], quality=60),
    "colour": fdcodec.encode(photo(20, 24), quality=60),
    "alpha": fdcodec.encode(noise(9, 8, 4, seed=1), quality=20),
    "lossless": fdcodec.encode(photo(9, 8), lossless=True),
    "embedded": fdcodec.encode(photo(9, 8), embed=True, exif=b"exif"),
    "tiled": fdcodec.encode(photo(20, 40), tile=16),
}
small = pytest.mark.parametrize("data", SMALL.values(), ids=SMALL)


def decodes_or_refuses(data: bytes, max_pixels: int = 10**6) -> bool:
    """Decode, and say whether a picture came of it; anything but an FdcError gets out."""
    try:
        picture = fdcodec.decode(data, max_pixels=max_pixels)
    except FdcError:
        return False
    header = fdcodec.read_header(data)
    assert picture.shape[:2] == (header.height, header.width)
    return True


@small
def test_every_prefix_is_refused(data):
    """No truncation decodes."""
    assert [length for length in range(len(data)) if decodes_or_refuses(data[:length])] == []


@small
def test_every_flipped_bit_is_refused(data):
    """No single wrong bit decodes."""
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        assert not decodes_or_refuses(bytes(damaged))


@small
@pytest.mark.parametrize("value", [0x00, 0x55, 0xFF])
def test_wrong_payload_behind_a_right_checksum(data, value):
    """Any byte of a payload may lie."""
    file = container.read(data)
    for position in range(0, len(file.payloads[0]), 3):
        payload = bytearray(file.payloads[0])
        payload[position] = value
        decodes_or_refuses(rewritten(file, payloads=(bytes(payload), *file.payloads[1:])))


@small
@pytest.mark.parametrize("payload", [b"", b"\0", b"\xff" * 7, bytes(2000), b"\xff" * 2000])
def test_foreign_payload_behind_a_right_checksum(data, payload):
    """A payload may be empty, constant or endless."""
    file = container.read(data)
    decodes_or_refuses(rewritten(file, payloads=(payload, *file.payloads[1:])))


@small
def test_wrong_parameters_behind_a_right_checksum(data):
    """Any byte of the coding parameters may lie, and they may be longer or shorter."""
    file = container.read(data)
    good = file.header.parameters
    bad = [good[:-1], good + b"\0", b"", b"\xff" * 64]
    bad += [good[:i] + bytes([value]) + good[i + 1 :] for i in range(len(good)) for value in (0, 1, 0x7F, 0x80, 0xFF)]
    for parameters in bad:
        header = container.Header(**{**vars(file.header), "parameters": parameters})
        decodes_or_refuses(rewritten(file, header=header))


@small
def test_wrong_geometry_behind_a_right_checksum(data):
    """Sides, channels, depth and flags may lie about the payload."""
    file = container.read(data)
    for changes in (
        {"width": 1},
        {"height": 1},
        {"width": 500, "height": 500, "tile_size": 0},
        {"channels": 4, "two_dimensional": False},
        {"channels": 1},
        {"depth": 16},
        {"lossless": not file.header.lossless},
    ):
        header = container.Header(**{**vars(file.header), **changes})
        payloads = (file.payloads * header.tile_count)[: header.tile_count]
        decodes_or_refuses(rewritten(file, header=header, payloads=payloads))


@pytest.mark.parametrize("seed", range(20))
def test_wrong_class_model_behind_a_right_checksum(seed):
    """An embedded class model may be damaged or random."""
    file = container.read(SMALL["embedded"])
    random = np.random.default_rng(seed)
    model = bytearray(file.model_bytes)
    model[random.integers(len(model))] ^= 1 << random.integers(8)
    for bad in (bytes(model), random.bytes(50), file.model_bytes[: seed % len(file.model_bytes)]):
        decodes_or_refuses(rewritten(file, model_bytes=bad))


def rewritten(file: container.File, **changes: object) -> bytes:
    """Return the file with parts replaced and every length and checksum right."""
    parts = {**vars(file), **changes}
    del parts["chunks"]
    return container.write(parts.pop("header"), parts.pop("payloads"), **parts)
