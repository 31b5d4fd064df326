"""What is intact of a damaged container: a chunk that could be another's is nobody's."""

import pytest

from fdcodec import container
from fdcodec.container import chunks
from fdcodec.container.chunks import build_chunk, chunk_at
from fdcodec.errors import FormatError, UnsupportedError


def test_chunks_of_one_length_are_not_mistaken():
    """Where a gone chunk leaves open whose the others are, because all have one length, none is taken."""
    header = container.Header(64, 16, 1, lossless=True, tile_size=16)
    data = container.write(container.File(header, [bytes([k]) * 5 for k in range(4)]))
    gone = data.replace(build_chunk(b"DATA", b"\1" * 5), b"")
    assert container.salvage(gone).lost == {0, 1, 2, 3}
    assert container.salvage(gone[:-12]).lost == {0, 1, 2, 3}


def test_chunks_of_one_length_are_not_mistaken_where_bytes_are_lost_elsewhere():
    """A chunk that is gone and bytes lost behind it move tiles of one length to each other's places: none is taken."""
    lengths = [5] * 5 + [6, 7, 8]
    header = container.Header(16 * len(lengths), 16, 1, lossless=True, tile_size=16)
    payloads = [bytes([k]) * length for k, length in enumerate(lengths)]
    blocks = [build_chunk(b"DATA", payload) for payload in payloads]
    damaged = (
        container.write(container.File(header, payloads)).replace(blocks[1], b"").replace(blocks[6], blocks[6][:-3])
    )
    salvaged = container.salvage(damaged)
    assert salvaged.lost == {0, 1, 2, 3, 4, 5, 6}
    assert salvaged.file.payloads[7] == payloads[7]


def salvaged(lengths, change):
    """Return what is intact of a file of tiles of these lengths, the n-th all n, whose DATA chunks were changed."""
    header = container.Header(16 * len(lengths), 16, 1, lossless=True, tile_size=16)
    payloads = [bytes([k]) * length for k, length in enumerate(lengths)]
    blocks = [build_chunk(b"DATA", payload) for payload in payloads]
    data = container.write(container.File(header, payloads))
    found = container.salvage(data.replace(b"".join(blocks), b"".join(change(blocks))))
    assert all(found.file.payloads[k] == payloads[k] for k in range(len(payloads)) if k not in found.lost)
    return found


def test_chunk_that_could_be_that_of_two_tiles_is_nobodys():
    """Of two tiles of one length, one of which is gone, the other is not taken for both."""
    assert salvaged([5, 5], lambda blocks: blocks[1:]).lost == {0, 1}


def test_tile_that_could_be_either_of_two_chunks_is_missing():
    """Where a chunk is too many, and of the length of a tile beside it, that tile is not taken from it."""
    for foreign in (build_chunk(b"DATA", b"other"), build_chunk(b"DATA", bytes(5))):
        assert salvaged([5, 6, 7], lambda blocks, foreign=foreign: [blocks[0], foreign, *blocks[1:]]).lost == {0}


def test_one_broken_chunk_costs_one_tile():
    """Where bytes of one chunk are lost, those of the same length beside it are where they must be."""
    assert salvaged([5, 5, 5, 6], lambda blocks: [blocks[0][:-3], *blocks[1:]]).lost == {0}


def test_two_broken_chunks_cost_their_neighbours_of_one_length():
    """With more than one chunk missing none of a run of one length is taken, as one could be in another's place."""
    assert salvaged([5, 5, 5, 6, 7], lambda all: [all[0], all[2], all[3][:-3], all[4]]).lost == {0, 1, 2, 3}


def file_of_tiles(front):
    """Return a file of two tiles with more chunks before its index."""
    header = container.Header(32, 16, 1, lossless=True, tile_size=16)
    head, mark, tail = container.write(container.File(header, [b"a", b"bc"])).partition(b"\x08\0\0\0TIDX")
    return head + front + mark + tail


@pytest.mark.parametrize("many", [7, 8])
def test_effort_for_what_looks_like_the_index_is_bounded(many):
    """A few places that begin as the index does are passed over; of more, no index is found."""
    data = file_of_tiles(build_chunk(b"exIf", b"\x08\0\0\0TIDX" * many)).replace(build_chunk(b"DATA", b"a"), b"")
    if many == 7:
        assert container.salvage(data).lost == {0}
    else:
        with pytest.raises(FormatError, match="1 DATA chunk for 2 tiles, and no intact index"):
            container.salvage(data)


def test_unknown_chunk_that_is_needed_refuses_a_damaged_file():
    """What a later version needs is not left out where it is intact, and where it is not it may be anything."""
    unknown = build_chunk(b"NEED", b"x")
    with pytest.raises(UnsupportedError, match="the file needs the unknown chunk NEED"):
        container.salvage(file_of_tiles(unknown))
    assert not container.salvage(file_of_tiles(unknown[:-1] + b"?")).lost


def test_first_of_two_blocks_is_taken():
    """Of metadata that come twice and differ, those that come first are kept."""
    two = build_chunk(b"exIf", b"first") + build_chunk(b"exIf", b"second")
    assert container.salvage(file_of_tiles(two)).file.metadata.exif == b"first"


class Counted(bytes):
    """A chunk type that counts how often it is compared."""

    comparisons = 0
    __hash__ = bytes.__hash__

    def __eq__(self, other):
        """Compare, and count."""
        type(self).comparisons += 1
        return super().__eq__(other)


def test_effort_for_doubled_blocks_grows_with_their_number(monkeypatch):
    """Of many metadata blocks and payloads each is looked at a few times, and one line tells of the blocks."""
    monkeypatch.setattr(
        chunks, "chunk_at", lambda *place: (chunk := chunk_at(*place))._replace(kind=Counted(chunk.kind))
    )
    monkeypatch.setattr(Counted, "comparisons", 0)
    header, metadata = container.Header(48, 16, 1, lossless=True, tile_size=16), container.Metadata(exif=b"exif")
    data = container.write(container.File(header, [b"a", b"bc", b"def"], metadata=metadata))
    many = build_chunk(b"DATA", b"") * 500 + build_chunk(b"exIf", b"exif") * 500
    front, mark, back = data.partition(build_chunk(b"exIf", b"exif"))
    salvaged = container.salvage(front + many + mark + back)
    assert salvaged.faults == ("chunk exIf comes 501 times, and the first one is taken",)
    assert not salvaged.lost
    assert 1000 < Counted.comparisons < 50 * 1000
