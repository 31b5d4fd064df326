"""Options that several commands share."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem


class NonEmptyPath(click.Path):
    """A path that is not empty, as those of variables that are not set are: empty would mean the current directory."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse an empty text."""
        if value == "":
            self.fail("the path is empty; give a name, or . for the current directory", param, ctx)
        return super().convert(value, param, ctx)


Completion = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def completing(*choices: str) -> Completion:
    """Return the completion of an option of fixed names, of which several may be given, separated by commas."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        others, comma, last = incomplete.rpartition(",")
        return [CompletionItem(others + comma + name) for name in choices if name.startswith(last)]

    return complete


def byte_count(context: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    """Return 40000 for "40k" and "40 KB", and 1500000 for "1.5M"."""
    if value is None:
        return None
    parts = re.fullmatch(r"(\d+(?:\.\d+(?=\s*[kM]))?)\s*([kM]?)B?", value, re.IGNORECASE)
    if parts is None:
        units = "k and kB are 1000 bytes, M and MB a million"
        raise click.BadParameter(f"{value!r} is not a number of bytes, such as 40000, 40k or 1.5M; {units}")
    return int(Fraction(parts[1]) * {"": 1, "k": 1000, "m": 1_000_000}[parts[2].lower()])


def model_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the names of class models that begin so; where none does, shells complete paths, and zsh and fish both."""
    paths = CompletionItem(incomplete, type="file")  # first, as bash forgets what stands before it
    return [paths, *(CompletionItem(name) for name in _writable_names() if name.startswith(incomplete))]


def listed_model_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the names of class models that the last of several, separated by commas, begins, after the others."""
    return completing("auto", *_writable_names())(context, parameter, incomplete)


def _writable_names() -> list[str]:
    """Return the names of class models but those that are no text, or more than a line, which no shell could take."""
    from fdcodec.model import names

    return [name for name in names() if name.isprintable()]


Command = TypeVar("Command", bound=Callable[..., Any])


def inputs(command: Command, metavar: str = "INPUT...") -> Command:
    """Add the inputs: files, directories with -r, or - for stdin."""
    command = click.option("-r", "--recursive", is_flag=True, help="Take the files below directories.")(command)
    path = NonEmptyPath(readable=False)  # which reading tells, of each input for itself
    return click.argument("inputs", nargs=-1, required=True, metavar=metavar, type=path)(command)


def inputs_and_output(command: Command) -> Command:
    """Add the inputs, the last of which may be the output."""
    return inputs(command, "INPUT... [OUTPUT]")


def outputs(command: Command) -> Command:
    """Add where results go."""
    for option in (
        click.option("-f", "--force", is_flag=True, help="Replace existing outputs."),
        click.option(
            "--skip-existing", is_flag=True, help="Leave out inputs whose outputs exist, to go on after a break."
        ),
        click.option(
            "--out-dir",
            type=NonEmptyPath(file_okay=False),
            help="Directory for the outputs; the tree of inputs is mirrored.",
        ),
        click.option("-o", "--output", type=NonEmptyPath(), help="Output file, or - for stdout; for a single input."),
    ):
        command = option(command)
    return command


def reports(command: Command) -> Command:
    """Add how results are reported."""
    command = click.option("--quiet", is_flag=True, help="Say nothing but errors.")(command)
    return click.option("--json", "as_json", is_flag=True, help="Write one JSON object a line to stdout.")(command)


def threads(command: Command) -> Command:
    """Add how many threads may be used."""
    from fdcodec.arguments import MAX_THREADS

    return click.option(
        "-j",
        "--threads",
        type=int,
        default=1,
        show_default=True,
        help=f"Threads, at most {MAX_THREADS}, over inputs and over what is in each; 0 takes one for each processor.",
    )(command)


def decoding(command: Command) -> Command:
    """Add what every command that decodes takes."""
    for option in (
        threads,
        click.option(
            "-t",
            "--transform",
            shell_complete=model_names,
            help="Class model of files that name it, if it is not installed: an .fdt file.",
        ),
    ):
        command = option(command)
    return max_pixels(command)


def max_pixels(command: Command) -> Command:
    """Add the limit on the size of pictures."""
    from fdcodec.limits import DEFAULT_MAX_PIXELS

    return click.option(
        "--max-pixels",
        type=click.IntRange(min=1),
        default=DEFAULT_MAX_PIXELS,
        show_default=True,
        help="Refuse larger pictures.",
    )(command)
