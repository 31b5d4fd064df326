"""What the user sees: data and JSON on stdout, everything else on stderr, progress only on a terminal."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click

T = TypeVar("T")


class Console:
    """Reports of a command.

    Parameters
    ----------
    as_json
        Write one JSON object a line to stdout for each input.
    quiet
        Say nothing but errors.
    """

    def __init__(self, *, as_json: bool = False, quiet: bool = False) -> None:
        self._as_json = as_json
        self._quiet = quiet

    def say(self, text: str) -> None:
        """Write a line for people."""
        if not self._quiet:
            click.echo(text, err=True)

    def report(self, source: str, facts: dict[str, Any]) -> None:
        """Report a success: all facts as JSON, or the `summary` and the `notes` among them as text."""
        if self._as_json:
            click.echo(json.dumps({"input": source, **facts}, ensure_ascii=False))
            return
        for note in facts.get("notes", ()):
            self.say(f"{source}: note: {note}")
        self.say(f"{source}: {facts['summary']}")

    def fail(self, source: str, message: str) -> None:
        """Report a failure in one line; errors are said even when quiet."""
        message = " ".join(message.split())
        if self._as_json:
            click.echo(json.dumps({"input": source, "error": message}, ensure_ascii=False))
        click.echo(f"fdcodec: {source}: {message}", err=True)

    def track(self, items: Sequence[T]) -> Iterable[T]:
        """Yield the items, with a progress bar if there are several and stderr is a terminal."""
        if self._quiet or len(items) < 2 or not sys.stderr.isatty():
            return items
        from rich.console import Console as RichConsole
        from rich.progress import track

        return track(items, description="", console=RichConsole(stderr=True), transient=True)

    @contextmanager
    def progress(self) -> Iterator[Callable[[str, int, int], None] | None]:
        """Give a function that shows stage, steps done and steps in all; None unless stderr is a terminal."""
        if self._quiet or not sys.stderr.isatty():
            yield None
            return
        from rich.console import Console as RichConsole
        from rich.progress import Progress

        with Progress(console=RichConsole(stderr=True), transient=True) as bar:
            task = bar.add_task("")
            yield lambda stage, done, total: bar.update(task, description=stage, completed=done, total=total)

    def announce_compilation(self) -> None:
        """Say that the first call will be slow, if no kernel of this installation has been compiled yet."""
        from fdcodec.kernels import search_kernels
        from fdcodec.kernels.jit import is_cold

        if is_cold(search_kernels.__file__):
            self.say("compiling kernels, once per installation; this takes a minute or so")
