"""Where memory is too little an error says so, with what to do; it is no defect to be reported."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.images import noise

import fdcodec
from fdcodec import codec, container
from fdcodec.errors import FdcError, LimitError
from fdcodec.image import reading
from fdcodec.inspection import facts_and_fault
from fdcodec.integrations.stores import StoreCodec

ADVICE = "make some free, or decode a region, or with reduce=4"
PROGRAM = """
import resource, sys
from pathlib import Path
from fdcodec import codec
from fdcodec.cli.main import run

used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**27, resource.RLIM_INFINITY))
sys.exit(run(["decode", "big.fdc"]))
"""


@pytest.fixture
def no_memory(monkeypatch):
    """Let no canvas be had."""

    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(codec, "Canvas", fail)


def big(tile_size):
    """Return a file that declares 2 GB of samples."""
    header = container.Header(30000, 23000, channels=3, lossless=True, tile_size=tile_size)
    return container.write(container.File(header, [b""] * header.tile_count))


@pytest.mark.parametrize(
    "decode",
    [
        lambda data: codec.decode(data, codec.DecoderSettings(max_pixels=2**30)),
        lambda data: fdcodec.decode(data, max_pixels=2**30, partial=True),
        lambda data: fdcodec.open(data, max_pixels=2**30).read(reduce=2),
    ],
    ids=["whole", "partial", "opened"],
)
def test_decoding_says_what_takes_less_memory(no_memory, decode):
    """Decoding without the memory for it is a LimitError with the picture's size and what to do."""
    with pytest.raises(LimitError) as caught:
        decode(big(1024))
    assert str(caught.value) == f"too little memory to decode 30000x23000 pixels of 3 channels; {ADVICE}"


def test_one_tile_takes_no_less_in_parts(no_memory):
    """Of a picture of one tile neither a region nor a reduced picture takes much less, and neither is advised."""
    with pytest.raises(LimitError, match="make some free: its one tile is decoded whole"):
        fdcodec.decode(big(0), max_pixels=2**30)


def test_memory_of_tiles_counts(monkeypatch):
    """It is the same error where memory ends in a tile, in a thread or not."""
    data = fdcodec.encode(noise(32, 32, 1, seed=1), lossless=True, tile=16)

    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(codec, "decode_tile", fail)
    for threads in (1, 2):
        with pytest.raises(LimitError, match="too little memory to decode 32x32 pixels of 1 channel"):
            fdcodec.decode(data, threads=threads)


@pytest.mark.parametrize(
    ("place", "use"),
    [
        ("fdcodec.sources.content_of", fdcodec.decode),
        ("fdcodec.sources.content_of", fdcodec.read_header),
        ("fdcodec.container.read", fdcodec.decode),
        ("fdcodec.container.read", fdcodec.check),
        ("fdcodec.container.read", fdcodec.info),
        ("fdcodec.container.read", fdcodec.open),
        ("fdcodec.container.salvage", lambda path: fdcodec.open(path, partial=True)),
        ("fdcodec.coding.accounting.bits_of_tile", lambda path: fdcodec.info(path, bits=True)),
    ],
)
def test_reading_a_file_says_so_wherever_memory_ends(monkeypatch, tmp_path, place, use):
    """Whatever reads a file without the memory for it raises a LimitError with what to do."""

    def fail(*_, **__):
        raise MemoryError

    path = tmp_path / "a.fdc"
    path.write_bytes(fdcodec.encode(noise(8, 8, 1, seed=1), lossless=False))
    monkeypatch.setattr(place, fail)
    with pytest.raises(LimitError, match=r"^too little memory; make some free"):
        use(path)


def test_facts_of_a_header_take_little_memory(monkeypatch):
    """Where there is too little memory for where bits go, or for a damaged file, what can be read is there."""

    def fail(*_, **__):
        raise MemoryError

    data = fdcodec.encode(noise(8, 8, 1, seed=1), lossless=False)
    monkeypatch.setattr("fdcodec.coding.accounting.bits_of_tile", fail)
    monkeypatch.setattr("fdcodec.container.salvage", fail)
    for content in (data, data[:-1]):
        facts, fault = facts_and_fault(content, bits=True)
        assert (facts["width"], isinstance(fault, FdcError)) == (8, True)


@pytest.mark.parametrize("place", ["fdcodec.image.arrays.as_picture", "fdcodec.codec.encode"])
def test_encoding_says_what_takes_less_memory(monkeypatch, place):
    """Encoding without the memory for it is a LimitError with what to do, in the library and in a store."""

    def fail(*_, **__):
        raise MemoryError

    store = StoreCodec(transform="photo")
    monkeypatch.setattr(place, fail)
    for encode in (fdcodec.encode, store.encode_chunk):
        with pytest.raises(LimitError, match=r"^too little memory; make some free, or take fewer threads or smaller"):
            encode(noise(8, 8, 1, seed=1)[:, :, 0])


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the size of a process is not to be had")
def test_command_names_its_option(tmp_path):
    """A process that gets no more memory ends with exit code 4 and one line with the option."""
    header = container.Header(16000, 16000, lossless=True, tile_size=1024)
    (tmp_path / "big.fdc").write_bytes(container.write(container.File(header, [b""] * header.tile_count)))
    run = subprocess.run([sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, check=False)
    told = "fdcodec: big.fdc: too little memory to decode 16000x16000 pixels of 1 channel; "
    assert (run.returncode, run.stderr) == (4, f"{told}{ADVICE.replace('reduce=4', '--reduce 4')}\n")


def test_image_that_does_not_fit_has_a_reason(cli, monkeypatch):
    """An image that cannot be read for want of memory is above a limit, and the line says which."""

    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(reading, "picture_of_pillow", fail)
    result = cli("encode", "a.png")
    assert (result.code, result.err) == (
        4,
        "fdcodec: a.png: image is too large for the memory that is free; make some free, or split it\n",
    )


@pytest.mark.parametrize("place", ["fdcodec.cli.encode._encode", "fdcodec.cli.encode.find_files"])
def test_memory_ends_anywhere(cli, monkeypatch, place):
    """Where else a command finds no memory, in an input or before, it ends with exit code 4 and what to do."""

    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr(place, fail)
    result = cli("encode", "a.png")
    assert (result.code, result.err.splitlines()[-1].endswith("take fewer threads or smaller images")) == (4, True)
