"""What a codec is to a comparison."""

from abc import ABC, abstractmethod

from fdcodec.aliases import Samples


class Codec(ABC):
    """A codec at fixed settings.

    `name` is its key in results, `label` what people read, `settings` everything but the quality. `qualities` is the
    default ladder, 0 (worst) to 100; ladders differ so that the curves cover about the same PSNR. JPEG's begins where
    its pictures begin to be usable: its collapse below that would flatter all others. `is_deep` says whether it codes
    gray of 16 bits.
    """

    name: str
    label: str
    settings: str
    qualities: tuple[int, ...] = (15, 25, 38, 50, 65, 80, 90, 95)
    is_deep = False

    @abstractmethod
    def missing(self) -> str:
        """Return what has to be installed for this codec to work here, empty if nothing."""

    @abstractmethod
    def version(self) -> str:
        """Return the versions of the library and of its wrapper."""

    @abstractmethod
    def encode(self, image: Samples, quality: float) -> bytes:
        """Return the complete file of an image of shape (height, width) or (height, width, 3), uint8.

        If `is_deep`, (height, width) may be uint16.
        """

    @abstractmethod
    def decode(self, data: bytes, like: Samples) -> Samples:
        """Return the image in a file that `encode` made of an image shaped `like`."""

    def training_hashes(self) -> frozenset[str]:
        """Return the sha256 of every image file that the codec has learned from: none, for most."""
        return frozenset()
