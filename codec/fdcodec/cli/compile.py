"""fdcodec compile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from fdcodec.cli.console import NOT_KEPT, Console

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fdcodec.aliases import Samples


@click.command()
def compile() -> int:
    """Compile the code of all commands now, so that no first use has to wait: four to six minutes, once per version.

    This is also what calls from Python use, except the learners of fdcodec.learning, which few need: each of these
    compiles for ten to thirty seconds when first fitted.
    """
    from fdcodec.first_use import compile_beside
    from fdcodec.kernels.code_cache import has_room, is_code_kept
    from fdcodec.kernels.jit import before_compiling

    console, parts = Console(), uses()
    kept: list[Path] = []

    def begin(directory: Path, kernel: str) -> None:
        _check(has_room(directory))
        kept.append(directory)
        console.say(f"compiling {', '.join(parts)}: four to six minutes for all, longer on a busy machine")
        compile_beside(kernel, encodes=True)

    _check(is_code_kept())
    before_compiling(begin)
    with console.progress() as progress:
        _use(parts, console, progress)
    console.say(f"all commands are ready, kept in {kept[0]}" if kept else "all commands were ready: nothing to compile")
    return 0


def _check(is_kept: bool) -> None:
    """Raise an error, before any work, where code would be compiled in vain."""
    if not is_kept:
        raise OSError(f"code is not compiled, as {NOT_KEPT}")


def _use(parts: dict[str, Callable[[], object]], console: Console, progress: Callable[[str, int, int], None]) -> None:
    """Use one part after another, and report each."""
    for done, (part, use) in enumerate(parts.items()):
        progress(part, done, len(parts))
        start = perf_counter()
        use()
        console.say(f"{done + 1} of {len(parts)}, {part}: ready after {perf_counter() - start:.0f} s")


def uses() -> dict[str, Callable[[], object]]:
    """Return a use of every part; together they call each kernel with all the types that it is called with."""
    import numpy as np

    import fdcodec
    from fdcodec.inspection import describe_bits

    gray = _rings(256)
    clear = np.dstack([gray] * 4)[:48, :64]
    colour, drawn = clear[:, :, :3], np.kron(np.eye(6, dtype=np.uint8) * 200, np.ones((5, 3), np.uint8))
    return {
        "encode and decode": lambda: [_round_trip(image) for image in (gray[:32, :32], colour)],
        "drawn pictures": lambda: _round_trip(drawn),
        "--tune visual": lambda: _round_trip(colour, tune="visual"),
        "alpha and 16 bits": lambda: [_round_trip(image) for image in (clear, clear.astype(np.uint16))],
        "--lossless": lambda: [_round_trip(image, lossless=True) for image in (colour, colour.astype(np.uint16))],
        "info --bits": lambda: [
            describe_bits(fdcodec.encode(image, lossless=False, tune=tune))
            for image in (colour, drawn)
            for tune in ("psnr", "visual")
        ],
        "learn": lambda: fdcodec.learn([gray]),
    }


def _rings(side: int) -> NDArray[np.uint8]:
    """Return a gray picture with enough edges, plain parts and noise for all that `learn` does."""
    import numpy as np

    y, x = np.mgrid[:side, :side]
    rings = np.sign(np.sin(np.hypot(x - 1.3 * side, y + 0.2 * side) / (3 + 4 * x / side)))
    noise = np.random.default_rng(0).normal(0, 3, (side, side))
    picture: NDArray[np.uint8] = (128 + 50 * rings * ((y // 32 + x // 32) % 2) + noise).astype(np.uint8)
    return picture


def _round_trip(image: Samples, lossless: bool = False, **options: Any) -> Samples:
    import fdcodec

    return fdcodec.decode(fdcodec.encode(image, lossless=lossless, **options))
