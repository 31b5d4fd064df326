"""The range coder against arithmetic with integers of any length."""

import numba
import numpy as np
import pytest
from tests.reference.range_coder import AdaptiveBin, Decoder, Encoder

from fdcodec.format.constants import FAST_MARGIN, MAX_COUNT, MAX_OVERRUN, SLOW_MARGIN
from fdcodec.kernels.syntax.interval import LOW, POSITION, RANGE, finish_encoder, new_decoder, new_encoder
from fdcodec.kernels.syntax.range_coder import code_bin, code_bits, code_exp_golomb, new_contexts

N_CONTEXTS = 5


@numba.njit
def coded_bin(coder, buffer, contexts, context, bit):
    """Code a bin in compiled code: only kernels call `code_bin`."""
    return code_bin(coder, buffer, contexts, context, bit)


def random_symbols(n_symbols, one_in, seed):
    """Return symbols: ("bin", context, bit), ("bits", number of bits, value) or ("golomb", 0, value)."""
    rng = np.random.default_rng(seed)
    symbols = []
    for _ in range(n_symbols):
        kind = rng.choice(["bin", "bin", "bin", "bin", "bits", "golomb"])
        if kind == "bin":
            symbols.append((kind, int(rng.integers(N_CONTEXTS)), int(rng.integers(one_in) == 0)))
        elif kind == "bits":
            n_bits = int(rng.integers(1, 17))
            symbols.append((kind, n_bits, int(rng.integers(1 << n_bits))))
        else:
            symbols.append((kind, 0, int(rng.integers((1 << int(rng.integers(1, 17))) - 1))))
    return symbols


def code(coder, buffer, contexts, symbols):
    """Code symbols with the kernels; return what the coder returned."""
    out = []
    for kind, argument, value in symbols:
        if kind == "bin":
            out.append(coded_bin(coder, buffer, contexts, argument, value))
        elif kind == "bits":
            out.append(code_bits(coder, buffer, value, argument))
        else:
            out.append(code_exp_golomb(coder, buffer, value))
    return out


def code_plainly(coder, contexts, symbols):
    """Code symbols with the oracle; return what it returned."""
    calls = {"bin": lambda k, v: coder.adaptive(contexts[k], v), "bits": lambda k, v: coder.bits(v, k)}
    calls["golomb"] = lambda _, v: coder.exp_golomb(v)
    return [calls[kind](argument, value) for kind, argument, value in symbols]


def encode(symbols):
    """Return payload, final coder and final contexts."""
    coder, buffer = new_encoder(64 + 8 * len(symbols))
    contexts = new_contexts(N_CONTEXTS)
    code(coder, buffer, contexts, symbols)
    return finish_encoder(coder, buffer), coder, contexts


def values(symbols):
    """Return the values of symbols."""
    return [value for _, _, value in symbols]


CASES = {
    "nothing": [],
    "one one": [("bin", 0, 1)],
    "one zero": [("bin", 0, 0)],
    "all ones": [("bin", 0, 1)] * 3000,
    "all zeros": [("bin", 0, 0)] * 3000,
    "highest bypass values": [("bits", 16, 65535)] * 40,
    "lowest bypass values": [("bits", 16, 0)] * 40,
    "golomb edges": [("golomb", 0, value) for value in (0, 1, 2, 3, 6, 7, 254, 255, 32766, 32767, 65534)],
    "random": random_symbols(3000, 2, seed=1),
    "mostly zeros": random_symbols(3000, 40, seed=2),
}


@pytest.mark.parametrize("symbols", CASES.values(), ids=CASES.keys())
def test_bytes_equal_the_oracles(symbols):
    """The payload is the oracle's bytes, less zeros at its end."""
    oracle = Encoder()
    code_plainly(oracle, [AdaptiveBin() for _ in range(N_CONTEXTS)], symbols)
    payload, _, _ = encode(symbols)
    assert oracle.shortest().rstrip(b"\0") == payload.rstrip(b"\0")


@pytest.mark.parametrize("symbols", CASES.values(), ids=CASES.keys())
def test_round_trip_and_equal_state(symbols):
    """The decoder returns every symbol and ends with the encoder's range and contexts."""
    payload, encoder, encoded_contexts = encode(symbols)
    coder, buffer = new_decoder(payload)
    contexts = new_contexts(N_CONTEXTS)
    assert values(symbols) == code(coder, buffer, contexts, symbols)
    assert encoder[RANGE] == coder[RANGE]
    assert encoder[POSITION] + 6 == coder[POSITION]
    assert encoded_contexts.tolist() == contexts.tolist()


@pytest.mark.parametrize("symbols", CASES.values(), ids=CASES.keys())
def test_oracle_decodes_the_payload(symbols):
    """A decoder that shares no code with the kernels reads the same symbols."""
    payload, _, _ = encode(symbols)
    decoder = Decoder(payload)
    assert values(symbols) == code_plainly(decoder, [AdaptiveBin() for _ in range(N_CONTEXTS)], symbols)


@pytest.mark.parametrize("symbols", CASES.values(), ids=CASES.keys())
def test_a_whole_payload_is_overrun_little(symbols):
    """Decoding a payload that was not cut reads at most MAX_OVERRUN bytes past its end."""
    payload, _, _ = encode(symbols)
    coder, buffer = new_decoder(payload)
    code(coder, buffer, new_contexts(N_CONTEXTS), symbols)
    assert coder[POSITION] <= len(payload) + MAX_OVERRUN


@pytest.mark.parametrize("n_full_bytes", [0, 1, 2, 7, 100])
def test_carry_runs_through_full_bytes(n_full_bytes):
    """A carry turns all bytes 255 before it to 0 and adds one to the byte before them."""
    size = 4 + n_full_bytes
    coder, buffer = new_encoder(size + 20)
    coder[POSITION] = size
    buffer[:4] = (1, 2, 3, 4)
    buffer[4:size] = 255
    coder[LOW] = (1 << 48) - 1
    coder[RANGE] = 1 << 40
    contexts = new_contexts(1)
    before = (int.from_bytes(bytes(buffer[:size]), "big") << 48) + int(coder[LOW])
    bound = (int(coder[RANGE]) >> 16) * (1 << 15)
    coded_bin(coder, buffer, contexts, 0, 0)
    after = (int.from_bytes(bytes(buffer[:size]), "big") << 48) + int(coder[LOW])
    assert before + bound == after
    assert [0] * n_full_bytes == buffer[4:size].tolist()


def test_probability_bounds_exhaustively():
    """From every probability and count, a bin keeps fast and slow within their margins and follows the oracle."""
    contexts = new_contexts(1)
    coder, buffer = new_encoder(1 << 10)
    for bit in (0, 1):
        for count in (*range(8), 20, 43, 44, 62, MAX_COUNT):
            for fast in range(FAST_MARGIN, 65536 - FAST_MARGIN + 1, 97):
                slow = max(SLOW_MARGIN, min(65536 - SLOW_MARGIN, fast ^ 0x155))
                contexts[0] = fast, slow, count
                coder[LOW], coder[RANGE], coder[POSITION] = 0, (1 << 48) - 1, 8
                coded_bin(coder, buffer, contexts, 0, bit)
                oracle = AdaptiveBin()
                oracle.fast, oracle.slow, oracle.count = fast, slow, count
                oracle.update(bit)
                assert oracle.state() == contexts[0].tolist()
                assert FAST_MARGIN <= contexts[0, 0] <= 65536 - FAST_MARGIN
                assert SLOW_MARGIN <= contexts[0, 1] <= 65536 - SLOW_MARGIN


def test_extremes_are_reached_and_kept():
    """Endless equal bins end at a probability that further equal bins do not change, within the margins."""
    for bit in (0, 1):
        coder, buffer = new_encoder(1 << 14)
        contexts = new_contexts(1)
        for _ in range(4000):
            coded_bin(coder, buffer, contexts, 0, bit)
        settled = contexts.tolist()
        coded_bin(coder, buffer, contexts, 0, bit)
        assert settled == contexts.tolist()
