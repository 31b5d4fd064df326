"""Speed on one core, start-up times, peak memory; start-up and memory runs are wall times of processes."""

import os
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image

import fdcodec
from bench_process import child, fdcodec_command, wall_seconds
from fdcodec.aliases import Samples
from fdcodec.compare.base import Codec
from fdcodec.compare.codecs import Fdc
from fdcodec.compare.rivals import AVIF444, JPEG420
from fdcodec.image.psnr import psnr

sys.path.insert(0, str(Path(__file__).parent.parent / "corpus"))
from generate import generate

FAST_EFFORT = 3  # measured beside the default
STARTS = 3
DECODES = 3  # for each encode
MEMORY_QUALITY = 75
THREAD_DECODES = 25  # by turns: clocks and other work on the machine change within seconds
TILE_PX = 1024  # of the picture of two tiles that is decoded in threads


def run(
    path: Path | None, transform: str, qualities: list[float], repeats: int, megapixels: list[float]
) -> dict[str, object]:
    """Measure everything; `path` is the image to time, None for the synthetic photo of 768x512."""
    image = np.asarray(Image.open(path).convert("RGB")) if path else generate("photo", 0, (512, 768))
    return {
        "load_average": os.getloadavg() if hasattr(os, "getloadavg") else None,
        "image": {"shape": image.shape, "sha256_samples": sha256(image.tobytes()).hexdigest()},
        "memory": [_memory(size, transform) for size in megapixels],
        "start": _start_times(transform),
        "threads": _decoding_threads(transform),
        "speed": _speeds(image, [Fdc(transform), Fast(transform), JPEG420(), AVIF444()], qualities, repeats),
    }


class Fast(Fdc):
    """fdcodec at a lower effort."""

    def __init__(self, transform: str) -> None:
        super().__init__(transform)
        self.name += f"-effort{FAST_EFFORT}"
        self.settings += f", effort={FAST_EFFORT}"

    def encode(self, image: Samples, quality: float) -> bytes:
        """Encode with the public function."""
        return fdcodec.encode(image, quality=quality, transform=self.transform, effort=FAST_EFFORT)


def _speeds(image: Samples, codecs: list[Codec], qualities: list[float], repeats: int) -> dict[str, object]:
    """Return megapixels a second by codec and quality, the process bound to one core.

    All take turns: the speed of a machine that others use, too, changes within minutes.
    """
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    trials = [_Trial(codec, image, quality) for codec in codecs for quality in qualities]
    for _ in range(repeats):
        for trial in trials:
            trial.run()
    return {
        codec.name: {
            "version": codec.version(),
            "settings": codec.settings,
            "points": [trial.point() for trial in trials if trial.codec is codec],
        }
        for codec in codecs
    }


class _Trial:
    """One codec at one quality, and the seconds that it has taken."""

    def __init__(self, codec: Codec, image: Samples, quality: float) -> None:
        self.codec, self._image, self._quality = codec, image, quality
        self._data = codec.encode(image, quality)
        self._psnr_db = psnr(image, codec.decode(self._data, image))
        self._encode: list[dict[str, float]] = []
        self._decode: list[dict[str, float]] = []

    def run(self) -> None:
        """Encode once and decode a few times."""
        self._encode.append(_seconds(self.codec.encode, self._image, self._quality))
        self._decode += [_seconds(self.codec.decode, self._data, self._image) for _ in range(DECODES)]

    def point(self) -> dict[str, object]:
        """Return what is recorded; speeds are medians."""
        megapixels = self._image.shape[0] * self._image.shape[1] / 1e6
        encode, decode = (megapixels / median(run["cpu"] for run in runs) for runs in (self._encode, self._decode))
        bpp = 8 * len(self._data) / megapixels / 1e6
        print(f"{self.codec.name:16} q{self._quality:g}: {bpp:.2f} bpp, {self._psnr_db:.2f} dB, "
              f"encode {encode:.2f} MP/s, decode {decode:.2f} MP/s")  # fmt: skip
        return {
            "quality": self._quality,
            "bpp": bpp,
            "psnr_db": self._psnr_db,
            "encode_mps": encode,
            "decode_mps": decode,
            "encode_s": self._encode,
            "decode_s": self._decode,
        }


def _seconds(function: Callable[..., object], *arguments: object) -> dict[str, float]:
    """Return wall and processor seconds of a call; speeds are from the latter, which other processes do not slow."""
    wall, cpu = time.perf_counter(), time.process_time()
    function(*arguments)
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def _start_times(transform: str) -> dict[str, object]:
    """Return the import time, and wall times of commands on a 512x512 image, each of several runs in turn."""
    with TemporaryDirectory() as folder:
        source, coded, back = (Path(folder) / name for name in ("in.png", "in.fdc", "out.png"))
        Image.fromarray(generate("photo", 1, (512, 512))).save(source)
        fdcodec = fdcodec_command()
        commands = {
            "version": [*fdcodec, "--version"],
            "encode": [*fdcodec, "encode", source, "-o", coded, "--transform", transform, "--force"],
            "info": [*fdcodec, "info", coded],
            "decode": [*fdcodec, "decode", coded, "-o", back, "--force"],
        }
        seconds = {name: [wall_seconds(*command) for _ in range(STARTS)] for name, command in commands.items()}
    imports = [child("import") for _ in range(STARTS)]
    for name, values in seconds.items():
        print(f"fdcodec {name}: {', '.join(f'{value:.2f}' for value in values)} s")
    print(f"import fdcodec: {median(run['seconds'] for run in imports) * 1e3:.0f} ms")
    return {"import": imports, "command_s": seconds}


def _decoding_threads(transform: str) -> dict[str, object]:
    """Return wall seconds of decoding a picture of two tiles in one and in two threads by turns, and their ratio."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "tiles.fdc"
        image = generate("photo", 2, (TILE_PX, 2 * TILE_PX))
        file.write_bytes(fdcodec.encode(image, quality=MEMORY_QUALITY, transform=transform, tile=TILE_PX))
        seconds = child("threads", file, THREAD_DECODES)["seconds"]
    ratio = median(two / one for one, two in zip(seconds["1"], seconds["2"], strict=True))
    print(f"decoding two tiles of {TILE_PX}x{TILE_PX}: 2 threads take {ratio:.2f} of the time of 1")
    return {"tile_px": TILE_PX, "quality": MEMORY_QUALITY, "seconds": seconds, "ratio": ratio}


def _memory(megapixels: float, transform: str) -> dict[str, object]:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "large.fdc"
        encode = child("encode", megapixels, MEMORY_QUALITY, transform, file)
        decode = child("decode", file)
    print(f"{megapixels:g} MP: encode {encode['peak_bytes'] / 1e6:.0f} MB in {encode['seconds']:.1f} s, "
          f"decode {decode['peak_bytes'] / 1e6:.0f} MB in {decode['seconds']:.1f} s")  # fmt: skip
    return {"megapixels": megapixels, "quality": MEMORY_QUALITY, "encode": encode, "decode": decode}
