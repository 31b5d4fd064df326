"""A codec of numcodecs, with which zarr codes chunks of version 2 stores.

Needs the `numcodecs` extra. numcodecs finds it by its entry point, under the name `fdcodec`.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from fdcodec.errors import ParameterError
from fdcodec.integrations import needing
from fdcodec.integrations.stores import StoreCodec

with needing("numcodecs"):
    from numcodecs.abc import Codec
    from numcodecs.compat import ndarray_copy


@dataclass(frozen=True, kw_only=True)  # for errors that name it
class FdcCodec(StoreCodec, Codec):
    """Codes each chunk as an image; the arguments are those of `StoreCodec`."""

    codec_id = "fdcodec"

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Return the codec that the metadata of an array describes."""
        return cls.of_store(config)

    def encode(self, buf: Any) -> bytes:
        """Encode a chunk.

        Parameters
        ----------
        buf
            Array of shape ``(height, width)`` or ``(height, width, 1..4)``, with any number of axes of length 1 before,
            uint8 or uint16; C-contiguous and little-endian, as a decoder assumes.

        Returns
        -------
        bytes
            The whole ``.fdc`` file.

        Raises
        ------
        ParameterError
            Another shape, order of memory or dtype.
        """
        chunk = np.asarray(buf)
        if not chunk.flags.c_contiguous or chunk.dtype != chunk.dtype.newbyteorder("<"):
            raise ParameterError(
                f"buf: {chunk.dtype.str} with strides {chunk.strides} is not C-contiguous and little-endian; "
                'make the array with order="C" and dtype "|u1" or "<u2"'
            )
        return self.encode_chunk(chunk)

    def decode(self, buf: Any, out: Any = None) -> Any:
        """Decode a chunk.

        Parameters
        ----------
        buf
            Bytes of an ``.fdc`` file.
        out
            Buffer to decode into, of exactly the right size.

        Returns
        -------
        array
            `out`, or an array of shape ``(height, width)`` or ``(height, width, channels)``, uint8 or little-endian
            uint16.

        Raises
        ------
        FdcError
            As for `fdcodec.decode`.
        ValueError
            `out` has another size.
        """
        samples = self.decode_chunk(bytes(buf))
        return ndarray_copy(samples.astype(samples.dtype.newbyteorder("<"), copy=False), out)
