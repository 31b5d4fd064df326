"""Bytes of a product of factors: bounded, canonical, checked.

Layout, little-endian: version u8 = 0, form u8 (bit 0: IEEE doubles instead of angle codes; bit 1: a Delta follows),
n u16, m u32, then m pairs of u16, then m angle codes of u16 or m blocks of 4 doubles, then n doubles of Delta.
"""

import struct

import numpy as np

from fdcodec.errors import FormatError, LimitError, TruncatedError, UnsupportedError
from fdcodec.format.constants import ANGLE_LEVELS
from fdcodec.transform.blocks import FloatArray, IntArray, grid_blocks, grid_codes

VERSION = 0
HEADER = struct.Struct("<BBHI")
GENERAL, SCALED = 1, 2
MAX_SIZE = 4096
MAX_FACTORS = 1 << 16
GRID_TOLERANCE = 1e-12


def build(n: int, pairs: IntArray, blocks: FloatArray, scale: FloatArray | None) -> bytes:
    """Return the canonical bytes of a product; LimitError if it is larger than a reader accepts."""
    if not (1 <= n <= MAX_SIZE and len(pairs) <= MAX_FACTORS):
        raise LimitError(f"a product of {len(pairs)} factors on {n} coefficients; at most {MAX_FACTORS} on {MAX_SIZE}")
    codes = grid_codes(blocks)
    on_grid = bool(np.all(np.abs(grid_blocks(codes) - blocks) <= GRID_TOLERANCE))
    form = (0 if on_grid else GENERAL) | (0 if scale is None else SCALED)
    values = codes.astype("<u2").tobytes() if on_grid else blocks.astype("<f8").tobytes()
    tail = b"" if scale is None else scale.astype("<f8").tobytes()
    return HEADER.pack(VERSION, form, n, len(pairs)) + pairs.astype("<u2").tobytes() + values + tail


def parse(data: bytes) -> tuple[int, IntArray, FloatArray, FloatArray | None]:
    """Return ``(n, pairs, blocks, scale)`` from the bytes of a product; every field is checked before use."""
    if len(data) < HEADER.size:
        raise TruncatedError(f"a product of factors needs {HEADER.size} bytes of header, {len(data)} are there")
    version, form, n, m = HEADER.unpack_from(data)
    if version != VERSION:
        raise UnsupportedError(f"product of factors of version {version}; this release reads version {VERSION}")
    if form & ~(GENERAL | SCALED) or not 1 <= n <= MAX_SIZE:
        raise FormatError(f"product of factors with form {form} and size {n}")
    if m > MAX_FACTORS:
        raise LimitError(f"product of {m} factors; at most {MAX_FACTORS} are accepted")
    sizes = [4 * m, (32 if form & GENERAL else 2) * m, 8 * n if form & SCALED else 0]
    _check_length(len(data) - HEADER.size, sum(sizes))
    pair_bytes, value_bytes, scale_bytes = _split(data[HEADER.size :], sizes)
    pairs = np.frombuffer(pair_bytes, "<u2").reshape(m, 2).astype(np.int64)
    if m and (pairs.max() >= n or np.any(pairs[:, 0] >= pairs[:, 1])):
        raise FormatError(f"product of factors with a pair that is not 0 <= i < j < {n}")
    scale = _finite(scale_bytes) if form & SCALED else None
    return n, pairs, _blocks(value_bytes, bool(form & GENERAL)), scale


def _check_length(actual: int, expected: int) -> None:
    if actual < expected:
        raise TruncatedError(f"product of factors cut short: {actual} of {expected} bytes")
    if actual > expected:
        raise FormatError(f"product of factors with {actual - expected} bytes too many")


def _split(data: bytes, sizes: list[int]) -> list[bytes]:
    ends = np.cumsum(sizes)
    return [data[end - size : end] for size, end in zip(sizes, ends, strict=True)]


def _finite(data: bytes) -> FloatArray:
    values = np.frombuffer(data, "<f8").astype(np.float64)
    if not np.all(np.isfinite(values)):
        raise FormatError("product of factors with a value that is not finite")
    return values


def _blocks(data: bytes, general: bool) -> FloatArray:
    if general:
        return _finite(data).reshape(-1, 2, 2)
    codes = np.frombuffer(data, "<u2").astype(np.int64)
    if codes.size and codes.max() >= 2 * ANGLE_LEVELS:
        raise FormatError(f"product of factors with an angle code above {2 * ANGLE_LEVELS - 1}")
    return grid_blocks(codes)
