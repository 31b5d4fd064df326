"""A serializer of zarr, for version 3 stores: chunks to bytes and back.

Needs the `zarr` extra. zarr finds it by its entry point, under the name `fdcodec`.
"""

from asyncio import to_thread
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fdcodec.errors import FormatError, ParameterError
from fdcodec.integrations import needing
from fdcodec.integrations.stores import StoreCodec, image_shape

with needing("zarr"):
    from zarr.abc.codec import ArrayBytesCodec


@dataclass(frozen=True, kw_only=True)  # for errors that name it
class FdcCodec(StoreCodec, ArrayBytesCodec):
    """Codes each chunk as an image, as `serializer` of an array; the arguments are those of `StoreCodec`.

    Chunks have the shape ``(height, width)`` or ``(height, width, 1..4)``, with any number of axes of length 1 before,
    of uint8 or uint16. Give the array ``compressors=None``: nothing is left to compress.
    """

    is_fixed_size = False

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the codec that the metadata of an array describes."""
        return cls.of_store(data.get("configuration", {}))

    def to_dict(self) -> dict[str, Any]:
        """Return what the metadata of an array keeps of the codec."""
        return {"name": "fdcodec", "configuration": asdict(self)}

    def validate(self, *, shape: tuple[int, ...], dtype: Any, chunk_grid: Any) -> None:
        """Raise ParameterError or LimitError, when an array is made, if the codec does not take its dtype or chunks."""
        native = dtype.to_native_dtype().newbyteorder("=")
        if native not in (np.uint8, np.uint16):
            raise ParameterError(f"dtype: {native} is not uint8 or uint16; convert the array")
        if (chunk_shape := getattr(chunk_grid, "chunk_shape", None)) is not None:
            image_shape(tuple(chunk_shape))

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: Any) -> int:
        """Raise NotImplementedError: the size of a file is known once it is encoded."""
        raise NotImplementedError

    async def _encode_single(self, chunk_data: Any, chunk_spec: Any) -> Any:
        data = await to_thread(self.encode_chunk, chunk_data.as_numpy_array())
        return chunk_spec.prototype.buffer.from_bytes(data)

    async def _decode_single(self, chunk_data: Any, chunk_spec: Any) -> Any:
        dtype = chunk_spec.dtype.to_native_dtype()
        array = await to_thread(self._decoded, chunk_data.to_bytes(), chunk_spec.shape, dtype)
        return chunk_spec.prototype.nd_buffer.from_numpy_array(array)

    def _decoded(self, data: bytes, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return a chunk of a shape and a dtype; any other file is a FormatError, or a LimitError if it is larger."""
        image = image_shape(shape)
        samples = self.decode_chunk(data, max_pixels=image[0] * image[1])
        if samples.shape != image or samples.dtype != dtype.newbyteorder("="):
            raise FormatError(f"chunk: {samples.dtype} of shape {samples.shape} where the array has {dtype} of {shape}")
        return samples.reshape(shape)
