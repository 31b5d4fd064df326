"""What a reader must know before it touches a pixel, and the geometry of tiles that follows from it."""

from dataclasses import dataclass

from fdcodec.errors import LimitError, ParameterError, UnsupportedError, damaged
from fdcodec.limits import MAX_PARAMETER_BYTES, MAX_SIDE, MIN_TILE_SIZE


@dataclass(frozen=True)
class Header:
    """Fields of the picture header (SPEC 2.4), checked when the object is made.

    Parameters
    ----------
    width, height
        Pixels, 1..65535.
    channels
        1 gray, 2 gray and alpha, 3 RGB, 4 RGBA.
    depth
        Bits per sample, 8 or 16.
    lossless
        Whether decoding gives back every sample exactly.
    two_dimensional
        Whether gray samples are given back as ``(height, width)``.
    tile_size
        Side of the square tiles in pixels, >= 16; 0 for one tile that covers the picture.
    parameters
        Parameters of the coder, opaque here, at most 64 bytes.

    Raises
    ------
    FormatError
        A field has a value that can have no meaning in any version.
    LimitError
        A side is above 65535.
    UnsupportedError
        The depth or the number of channels is one this release does not know.
    """

    width: int
    height: int
    channels: int = 1
    depth: int = 8
    lossless: bool = False
    two_dimensional: bool = False
    tile_size: int = 0
    parameters: bytes = b""

    def __post_init__(self) -> None:
        if min(self.width, self.height) < 1:
            raise damaged(f"header: size {self.width}x{self.height} is not at least 1x1")
        if max(self.width, self.height) > MAX_SIDE:
            raise LimitError(
                f"header: size {self.width}x{self.height} has a side above {MAX_SIDE}, the most there is; get it again"
            )
        if not 1 <= self.channels <= 4 or self.depth not in (8, 16):
            raise UnsupportedError(
                f"header: {self.channels} channels of {self.depth} bits, not 1..4 of 8 or 16; update fdcodec"
            )
        if self.two_dimensional and self.channels != 1:
            raise damaged(f"header: two-dimensional with {self.channels} channels, but only gray can be")
        if self.tile_size and not MIN_TILE_SIZE <= self.tile_size <= MAX_SIDE:
            raise damaged(f"header: tile size {self.tile_size} is not 0 or {MIN_TILE_SIZE}..{MAX_SIDE}")
        if len(self.parameters) > MAX_PARAMETER_BYTES:
            raise damaged(f"header: {len(self.parameters)} bytes of parameters, at most {MAX_PARAMETER_BYTES}")

    @property
    def pixels(self) -> int:
        """Width times height."""
        return self.width * self.height

    @property
    def rectangle(self) -> tuple[int, int, int, int]:
        """The whole picture: (0, 0, width, height)."""
        return 0, 0, self.width, self.height

    @property
    def tile_columns(self) -> int:
        """Tiles in a row."""
        return -(-self.width // self._tile_side)

    @property
    def tile_count(self) -> int:
        """Tiles in the picture, numbered row by row from the top left."""
        return self.tile_columns * -(-self.height // self._tile_side)

    def tile_rectangle(self, index: int) -> tuple[int, int, int, int]:
        """Return ``(x, y, width, height)`` in pixels of tile `index`; tiles at the right and bottom may be smaller."""
        row, column = divmod(index, self.tile_columns)
        x, y = column * self._tile_side, row * self._tile_side
        return x, y, min(self._tile_side, self.width - x), min(self._tile_side, self.height - y)

    def tiles_in(self, region: tuple[int, int, int, int]) -> list[int]:
        """Return the numbers of the tiles that share a pixel with `region`, ``(x, y, width, height)``.

        Raises
        ------
        ParameterError
            The region is empty or not inside the picture.
        """
        x, y, width, height = region
        if min(x, y) < 0 or min(width, height) < 1 or x + width > self.width or y + height > self.height:
            raise ParameterError(
                f"region: {region} is not inside the picture; give (x, y, width, height) in {self.width}x{self.height}"
            )
        side = self._tile_side
        rows, columns = range(y // side, (y + height - 1) // side + 1), range(x // side, (x + width - 1) // side + 1)
        return [row * self.tile_columns + column for row in rows for column in columns]

    @property
    def _tile_side(self) -> int:
        return self.tile_size or max(self.width, self.height)
