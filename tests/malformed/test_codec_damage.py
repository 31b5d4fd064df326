"""Hostile files: damage behind right checksums gives an FdcError or a picture, and nothing else."""

import zlib
from dataclasses import replace

import numpy as np
import pytest
from tests.images import noise, photo, uneven

import fdcodec
from fdcodec import container
from fdcodec.coding.lossy import start_contexts
from fdcodec.errors import FdcError, FormatError
from fdcodec.kernels.reconstruction.learned_tables import LearnedMode
from fdcodec.model import ClassModel
from fdcodec.model.body import GroupTransform

_HALVES = GroupTransform(np.array([[0, 31]], np.uint8), np.array([99], np.uint16), np.arange(32, dtype=np.uint8)[::-1])
_LEARNED = LearnedMode(2, 2, 1, np.arange(9 * 16, dtype=np.int16).reshape(9, 16))
MODEL = ClassModel("small", {(4, 0): _HALVES, (4, 3): _HALVES}, learned=(_LEARNED,))
SMALL = {
    "gray": fdcodec.encode(photo(20, 24)[:, :, 0], quality=60),
    "colour": fdcodec.encode(photo(20, 24), quality=60),
    "alpha": fdcodec.encode(noise(9, 8, 4, seed=1), quality=20),
    "lossless": fdcodec.encode(photo(9, 8), lossless=True),
    "embedded": fdcodec.encode(photo(9, 8), embed=True, transform=MODEL, exif=b"exif"),
    "adaptive": fdcodec.encode(uneven(20, 36), quality=10, tune="visual"),
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


def test_coding_parameters_of_a_lossless_picture():
    """A lossless picture has no coding parameters: a file that brings some is refused (SPEC 3.1)."""
    file = container.read(SMALL["lossless"])
    header = replace(file.header, parameters=b"\0")
    with pytest.raises(FormatError, match=r"^coding parameters: 1 byte, expected none in a lossless picture;"):
        fdcodec.decode(rewritten(file, header=header))


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
    return container.write(container.File(parts.pop("header"), parts.pop("payloads"), **parts))


@pytest.mark.parametrize("target", [{"quality": 60}, {"lossless": True}], ids=str)
@pytest.mark.parametrize("seed", range(60))
def test_payloads_outside_the_interval(seed, target):
    """A payload that starts past the coder's interval decodes or is refused: its value never overflows."""
    rng = np.random.default_rng(seed)
    file = container.read(fdcodec.encode(photo(20, 39), **target))
    payload = b"\xff" * int(rng.integers(6, 16)) + rng.bytes(int(rng.integers(10, 200)))
    decodes_or_refuses(container.write(container.File(file.header, [payload], model_ref=file.model_ref)))


def test_an_empty_payload_of_many_trees_is_refused_at_its_first_rows():
    """A decoder stops at the row of trees where the payload is over, not at the end of the plane."""
    from fdcodec.kernels.reconstruction.maps import Known, new_maps
    from fdcodec.kernels.syntax.interval import new_decoder
    from fdcodec.kernels.syntax.trees import code_plane, new_code_work
    from fdcodec.model import get

    model, maps = get("photo"), new_maps(2048, 2048)
    stream = (*new_decoder(b""), start_contexts(model))
    code_plane(stream, Known(maps, maps, 0), new_code_work(model.tables), None, None)
    assert maps.log2_widths[256:].max() == 0


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("seed", range(40))
def test_damaged_cuts(seed, channels):
    """Payloads of squares cut in every way, damaged or random, decode or are refused under any class model."""
    rng = np.random.default_rng(seed)
    samples = np.kron(rng.integers(0, 256, (10, 5, channels), np.uint8), np.ones((4, 12, 1), np.uint8))
    samples = np.clip(samples + rng.normal(0, 3, samples.shape), 0, 255).astype(np.uint8)
    file = container.read(fdcodec.encode(samples, quality=60, transform=MODEL, embed=True))
    payload = bytearray(file.payloads[0])
    for _ in range(1 + seed % 4):
        payload[rng.integers(len(payload))] = rng.integers(256)
    decodes_or_refuses(rewritten(file, payloads=(bytes(payload),)))
    decodes_or_refuses(rewritten(file, payloads=(rng.bytes(600),)))


@pytest.mark.parametrize("recipe", [b"{nope", b"[" * 200_000, b"\xff\xfe\xfa", b"1" * 5000, b"[1]"])
def test_a_broken_recipe_hides_its_own_model_only(recipe, tmp_path, monkeypatch):
    """A model file with a recipe that is no JSON object is a FormatError, and files that need another model decode."""
    parts = b"".join(len(p).to_bytes(4, "little") + p for p in (b"m", zlib.compress(recipe), b""))
    head = b"\x8bFDT" + zlib.crc32(parts).to_bytes(4, "little") + len(parts).to_bytes(4, "little")
    (tmp_path / "broken.fdt").write_bytes(head + parts)
    (tmp_path / "folder.fdt").mkdir()
    (tmp_path / "dangling.fdt").symlink_to(tmp_path / "nowhere")
    monkeypatch.setenv("FDCODEC_MODEL_PATH", str(tmp_path))
    with pytest.raises(FormatError):
        ClassModel.load(tmp_path / "broken.fdt")
    assert fdcodec.decode(SMALL["colour"]).shape == (20, 24, 3)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("seed", range(60))
def test_damaged_screens(seed, channels):
    """Damaged vectors, ranks and values decode or are refused, and no sample leaves its range."""
    rng = np.random.default_rng(seed)
    samples = np.kron(rng.integers(0, 3, (8, 9, channels), np.uint8) * 80, np.ones((5, 3, 1), np.uint8))
    samples = np.tile(samples, (1, 2, 1))
    file = container.read(fdcodec.encode(samples, quality=int(rng.integers(100)), transform=ClassModel("plain")))
    assert len(file.header.parameters) in (3, 7)
    payload = bytearray(file.payloads[0])
    for _ in range(1 + seed % 4):
        payload[rng.integers(len(payload))] = rng.integers(256)
    decodes_or_refuses(rewritten(file, payloads=(bytes(payload),)))
    decodes_or_refuses(rewritten(file, payloads=(rng.bytes(60 + seed),)))
