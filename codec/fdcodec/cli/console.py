"""What the user sees: data and JSON on stdout, everything else on stderr, progress only on a terminal."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fdcodec.cli.notes import Notes, split_advice
from fdcodec.cli.streams import in_one_line, is_utf8, standard_output
from fdcodec.words import SHOWN

if TYPE_CHECKING:
    from rich.progress import Progress

COUNTING = "counting the bits of"
NOT_KEPT = (
    "it cannot be kept; set FDCODEC_CACHE_DIR to a directory that you can write to and that has room, "
    "or each run compiles again"
)

_OPTION_OF = {
    name: f"--{name.replace('_', '-')}"
    for name in ("quality", "bpp", "lossless", "transform", "effort", "threads", "tile", "sparsity", "region", "parent")
} | {
    "psnr_db": "--psnr",
    "size_bytes": "--size",
    "max_pixels": "--max-pixels",
    "reduce": "--reduce",
    "lossless=True": "--lossless",
    "embed": "--embed/--no-embed",
    "tune": "--tune",
    "codecs": "--codecs",
    "transforms": "--transforms",
    "qualities": "--qualities",
    "metrics": "--metrics",
    "gray": "--gray",
    "no_embed": "--no-embed",
    "output": "--output",
    "reduce=4": "--reduce 4",
}
_COMPILING_TIMES = {
    "encoding": "about a minute",
    "decoding": "about 15 s",
    COUNTING: "about a minute",
    "learning from": "about two minutes",
    "comparing": "about a minute",
}
_LOSSLESS_STARTERS, _LOSSLESS_TIME = ("code_bits", "code_row"), "about half a minute"
_ARGUMENT = re.compile(r"(?<!\S)(max_pixels|lossless=True|reduce=4)(?![^\s,;])")  # a word, and no part of a path


class Console:
    """Reports of a command.

    Parameters
    ----------
    as_json
        Write one JSON object a line to stdout for each input.
    quiet
        Print only errors.
    """

    def __init__(self, *, as_json: bool = False, quiet: bool = False) -> None:
        self._as_json = as_json
        self._quiet = quiet
        self._bar: Progress | None = None
        self._gathered: Notes | None = None
        self._advice: Notes | None = None

    def say(self, text: str) -> None:
        """Write a line for people."""
        if not self._quiet:
            self._echo(text)

    def say_if(self, note: str) -> None:
        """Write a note that concerns no single input, if there is one."""
        if note:
            self.say(f"note: {note}")

    def report(self, source: str, facts: dict[str, Any]) -> None:
        """Report a success: all facts as JSON, or the `summary` and the `notes` among them as text.

        An `input` among the facts replaces the source in JSON.
        """
        if self._as_json:
            self.record(source, facts)
            return
        for note in facts.get("notes", ()):
            self.note(source, note, of_its_own=facts.get("not_as_asked", False))
        self.say(f"{source}: {facts['summary']}")

    def record(self, source: str, facts: dict[str, Any]) -> None:
        """Write facts as JSON, if `as_json`."""
        if self._as_json:
            write_line(as_json({"input": source, **facts}))

    def note(self, source: str, note: str, *, of_its_own: bool = False) -> None:
        """Say a note on an input, or keep it for the end unless it needs a line `of_its_own`."""
        if self._gathered is None or of_its_own:
            self.say(f"{source}: note: {note}")
        else:
            self._gathered.add(source, note)

    @contextmanager
    def gathered_notes(self, inputs: int) -> Iterator[None]:
        """If there are many inputs, keep notes, and advice on failures, for the end of this context, each kind once."""
        notes, advice = (Notes(), Notes("", "for example, ")) if inputs > SHOWN else (None, None)
        self._gathered, self._advice = notes, advice
        try:
            yield
        finally:
            self._gathered = self._advice = None
            for line in notes.lines() if notes else ():
                self.say(line)
            for line in advice.lines() if advice else ():
                self.tell(line)

    def fail(self, source: str, message: str, facts: dict[str, Any] | None = None, paths: Iterable[Path] = ()) -> None:
        """Report a failure in one line, in JSON with the known facts.

        The advice, after the first semicolon that is not part of the source or of the `paths` in the message, is kept
        for the end if there are many inputs.
        """
        message = in_options(message.removeprefix(f"{source}: "))
        if self._as_json:
            write_line(as_json({"input": source, "error": message, **(facts or {})}))
        if self._advice is not None:
            message, advice = split_advice(message, (Path(source), *paths))
            if advice:
                self._advice.add(source, advice)
        self.tell(f"{source}: {message}")

    def tell(self, fault: str) -> None:
        """Write a line on what went wrong; `quiet` does not silence it."""
        self._echo(f"fdcodec: {fault}")

    @contextmanager
    def progress(self) -> Iterator[Callable[[str, int, int], None]]:
        """Give a function that shows stage, steps done and all steps, in a bar if stderr is a terminal.

        The bar appears at the first of several steps; lines are written above it.
        """
        try:
            yield self._show
        finally:
            if self._bar is not None:
                self._bar.stop()
            self._bar = None

    def _show(self, stage: str, done: int, total: int) -> None:
        if self._bar is None and total > 1 and not (self._quiet or self._as_json) and on_terminal():
            self._bar = _started_bar()
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], description=stage, completed=done, total=total)

    def _echo(self, text: str) -> None:
        line = in_one_line(text)
        if self._bar is None:
            with suppress(OSError):  # nobody listens any more, or its disk is full; the work goes on
                click.echo(line, err=True)
        else:
            self._bar.console.print(line, markup=False, highlight=False, emoji=False, soft_wrap=True)

    def announce_compilation(self, task: str) -> None:
        """Once a kernel must be compiled, say that this call is slow, and why; `task` is what it will do."""
        from fdcodec.kernels.code_cache import has_room, is_code_kept
        from fdcodec.kernels.jit import before_compiling

        def announce(directory: Path, kernel: str) -> None:
            from fdcodec.first_use import compile_beside

            kept = is_code_kept() and has_room(directory)
            self.say(
                f"compiling code for {task} such files, {_compiling_time(task, kernel)}, longer on a busy machine; "
                + (f"it is kept in {directory}; `fdcodec compile` does it for all parts at once" if kept else NOT_KEPT)
            )
            if kept:  # else nothing comes from a second process
                compile_beside(kernel, encodes=task not in ("decoding", COUNTING))

        before_compiling(announce)


def _started_bar() -> Progress:
    """Return a bar on stderr with one task, which disappears when it is stopped."""
    from rich.console import Console as RichConsole
    from rich.progress import Progress

    bar = Progress(console=RichConsole(stderr=True), transient=True)
    bar.add_task("")
    bar.start()
    return bar


def _compiling_time(task: str, kernel: str) -> str:
    """Return about how long compiling takes for a task, judged by the first kernel that is missing."""
    from fdcodec.first_use import LOSSY_STARTERS

    if kernel in LOSSY_STARTERS:
        return _COMPILING_TIMES[task]
    return _LOSSLESS_TIME if kernel in _LOSSLESS_STARTERS else "one to two minutes"


def as_json(facts: dict[str, Any]) -> str:
    """Return facts as JSON in one line; if a name or standard output is not UTF-8, all beyond ASCII is escaped."""
    text = json.dumps(facts, ensure_ascii=False)
    return text if is_utf8(text) else json.dumps(facts)


def write_line(text: str) -> None:
    """Write a line to stdout, as escapes what its encoding has no place for, such as names that are not UTF-8.

    StandardOutputError if that cannot be, since a result that nobody gets is a failure.
    """
    with standard_output():
        try:
            click.echo(text)
        except UnicodeEncodeError:
            click.echo(text.encode("ascii", "backslashreplace"))


def on_terminal() -> bool:
    """Tell whether stderr is open and a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def in_options(message: str) -> str:
    """Return a message of the library with names of options instead of names of arguments."""
    head, mark, tail = message.partition(": ")
    words = head.split(" ")
    if mark and len(words) == 1 and words[0] in _OPTION_OF:
        head = _OPTION_OF[words[0]]
    if " were given" in message:
        return " ".join(_OPTION_OF.get(word, word) for word in message.split(" "))
    return _ARGUMENT.sub(lambda found: _OPTION_OF[found[0]], head + mark + tail)
