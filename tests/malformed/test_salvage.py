"""What is intact of a damaged container: a chunk that could be another's is nobody's."""

from fdcodec import container
from fdcodec.container import chunks
from fdcodec.container.chunks import build_chunk, chunk_at


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
