"""Where the bits go: the accounting of `info --bits`."""

import json
from math import log2

import numpy as np
import pytest
from tests.images import ramp

import fdcodec
from fdcodec.inspection import describe_bits
from fdcodec.kernels.syntax.interval import new_decoder, new_encoder
from fdcodec.kernels.syntax.range_coder import TALLY_UNIT, close_tally, code_bin, code_bypass, new_contexts, new_tally

IMAGE = (ramp(72, 88, 3).astype(int) ** 2 // 97 % 256).astype(np.uint8)


@pytest.mark.parametrize("samples", [IMAGE, IMAGE[:, :, 0]], ids=["RGB", "gray"])
@pytest.mark.parametrize("quality", [10, 95])
def test_elements_add_up_to_the_payload(samples, quality):
    """Parts add up to the file, and syntax elements to the tiles, but for the last bytes that the coder may leave."""
    data = fdcodec.encode(samples, quality=quality, tile=48)
    bits = describe_bits(data)
    assert sum(bits["part_bits"].values()) == 8 * len(data)
    counts = [count for plane in bits["element_bits"].values() for count in plane.values()]
    assert abs(sum(counts) - bits["part_bits"]["tiles"]) < 4 * 24
    assert min(counts) >= 0


@pytest.mark.parametrize(("tile", "checksums"), [(None, 1), (48, 8)])
def test_checksums_are_counted(tile, checksums):
    """A compact file has one checksum; a chunked one has one for each of FHDR, TREF, TIDX, four tiles and FEND."""
    bits = describe_bits(fdcodec.encode(IMAGE, quality=10, transform="dct", tile=tile))
    assert bits["part_bits"]["checksums"] == 32 * checksums


def test_bins_cost_their_probability_and_bypass_counts_with_the_bin_before():
    """A bin costs -log2 of its context's probability, and a bypass bin one bit of the last context's account."""
    counted = new_tally(new_contexts(3))
    coder, buffer = new_decoder(b"\x5a\xc3" * 40)
    expected = [0.0, 0.0, 0.0]
    for context in (0, 1, 1, 2, 1, 0) * 8:
        probability = (counted[context, 0] + counted[context, 1]) / (1 << 17)
        bit = code_bin(coder, buffer, counted, context, 0)
        expected[context] -= log2(probability if bit else 1 - probability)
        if context == 2:
            code_bypass(coder, buffer, 0)
            expected[context] += 1
    close_tally(coder, counted)
    assert counted[:-1, 3] / TALLY_UNIT == pytest.approx(expected, abs=0.001)


def test_counting_changes_no_state():
    """Contexts that keep count hold the same probabilities, and the coder the same interval, as plain ones."""
    states = []
    for contexts in (new_contexts(2), new_tally(new_contexts(2))):
        coder, buffer = new_encoder(100)
        for k in range(60):
            code_bin(coder, buffer, contexts, k % 2, k % 3 == 0)
        states.append((contexts[:2, :3].tolist(), coder.tolist()))
    assert states[0] == states[1]


def test_info_shows_bits_as_table_and_as_json(cli, encoded):
    """`info --bits` adds the shares in text, and the counts in JSON; `info` alone decodes nothing."""
    text = cli("info", "a.fdc", "--bits").out.decode()
    assert "luma signs" in text
    assert "%" in text
    assert json.loads(cli("info", "a.fdc", "--bits", "--json").out)["part_bits"]["tiles"] > 0
    assert "part_bits" not in json.loads(cli("info", "a.fdc", "--json").out)


def test_lossless_file_has_no_elements():
    """A lossless file is counted by its parts only."""
    assert describe_bits(fdcodec.encode(IMAGE, lossless=True))["element_bits"] == {}
