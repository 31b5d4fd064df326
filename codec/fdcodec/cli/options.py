"""Options that several commands share."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem


class NonEmptyPath(click.Path):
    """A path that is not empty: an unset shell variable gives an empty one, which would mean the current directory."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse an empty text."""
        if value == "":
            self.fail("the path is empty; give a name, or . for the current directory", param, ctx)
        return super().convert(value, param, ctx)


def is_given(name: str) -> bool:
    """Tell whether the command line has the option of that parameter."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


Completion = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def completing(*choices: str) -> Completion:
    """Return the completion of an option that takes fixed names, one or several separated by commas."""

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
    """Return the names of class models that begin so; if none does, shells complete paths (zsh and fish: both)."""
    paths = CompletionItem(incomplete, type="file")  # first, as bash forgets what stands before it
    return [paths, *(CompletionItem(name) for name in _writable_names() if name.startswith(incomplete))]


def listed_model_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return completions of the last of several names of class models that are separated by commas."""
    return completing("auto", *_writable_names())(context, parameter, incomplete)


def _writable_names() -> list[str]:
    """Return the names of class models that a shell can take: text of one line."""
    from fdcodec.model import names

    return [name for name in names() if name.isprintable()]


Command = TypeVar("Command", bound=Callable[..., Any])


def inputs(command: Command, metavar: str = "INPUT...") -> Command:
    """Add the inputs: files, directories with -r, or - for stdin."""
    command = click.option("-r", "--recursive", is_flag=True, help="Take the files in and below directories.")(command)
    path = NonEmptyPath(readable=False)  # reading says that, for each input by itself
    return click.argument("inputs", nargs=-1, required=True, metavar=metavar, type=path)(command)


def inputs_and_output(command: Command) -> Command:
    """Add the inputs, the last of which may be the output."""
    return inputs(command, "INPUT... [OUTPUT]")


def outputs(command: Command) -> Command:
    """Add where results go."""
    for option in (
        click.option("-f", "--force", is_flag=True, help="Replace existing outputs."),
        click.option(
            "--skip-existing", is_flag=True, help="Skip inputs whose outputs exist, to continue an interrupted run."
        ),
        click.option(
            "--out-dir",
            type=NonEmptyPath(file_okay=False),
            help="Directory for the outputs; it mirrors the tree of inputs.",
        ),
        click.option("-o", "--output", type=NonEmptyPath(), help="Output file, or - for stdout; for a single input."),
    ):
        command = option(command)
    return command


def reports(command: Command) -> Command:
    """Add how results are reported."""
    command = click.option("--quiet", is_flag=True, help="Print only errors.")(command)
    return click.option("--json", "as_json", is_flag=True, help="Write one JSON object per line to stdout.")(command)


def threads(command: Command) -> Command:
    """Add how many threads may be used."""
    from fdcodec.arguments import MAX_THREADS

    return click.option(
        "-j",
        "--threads",
        type=int,
        default=1,
        show_default=True,
        help=f"Threads, at most {MAX_THREADS}, for several inputs and for the parts of each; 0 is one per processor.",
    )(command)


def decoding(command: Command) -> Command:
    """Add what every command that decodes takes."""
    for option in (
        threads,
        click.option(
            "-t",
            "--transform",
            shell_complete=model_names,
            help="Class model for files that name one that is not installed: an .fdt file.",
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
        help="Refuse larger images.",
    )(command)
