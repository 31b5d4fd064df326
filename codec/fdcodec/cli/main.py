"""The command line: each command lives in a file of its own and is imported only when it is called."""

import errno
import gc
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from importlib import import_module
from threading import Thread
from types import FrameType
from typing import Any, NoReturn

import click

import fdcodec
from fdcodec.__main__ import INTERRUPTED
from fdcodec.errors import NO_MEMORY, FdcError, LimitError

_COMMANDS = {
    "encode": "Encode images to .fdc files.",
    "decode": "Decode .fdc files to images.",
    "info": "Show what .fdc files hold.",
    "check": "Check that .fdc files are intact and decode.",
    "learn": "Learn a class model from images.",
    "transforms": "List, show and export class models.",
    "compare": "Compare fdcodec with other codecs and write a report.",
    "compile": "Compile the code of all commands now instead of at its first use.",
    "completion": "Print a script for Tab completion.",
}


class ClosedPipeError(Exception):
    """The reader of standard output has gone, as with `head`."""


@contextmanager
def _closed_pipe() -> Iterator[None]:
    """Name a closed pipe, which click would turn into exit code 1."""
    try:
        yield
    except BrokenPipeError as error:
        raise ClosedPipeError from error


class LazyGroup(click.Group):
    """Commands imported by name, so that help and version need none of them."""

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Read the options before the command; --help and --version write to standard output."""
        with _closed_pipe():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command."""
        with _closed_pipe():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the help."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module ``fdcodec.cli.<name>`` and return its attribute of the same name."""
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"fdcodec.cli.{cmd_name}"), cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table above."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(fdcodec.__version__, prog_name="fdcodec", message="%(prog)s %(version)s")
def fdcodec_group() -> None:
    """Image compression whose transform is learned for a class of images.

    Exit codes: 0 done, 1 an input failed, 2 usage, 3 unsupported file, or a class model or package is missing,
    4 limit exceeded, 5 written, but not as asked, 6 decoded, but not to what was encoded, or an original has no file,
    130 interrupted.
    """


def main() -> None:
    """Run the command line and leave with its exit code; errors are one line, never a traceback."""
    gc.set_threshold(50_000)  # imports make as many objects, which all stay; looking through them takes 5 % of a start
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as it is in the background
        signal.signal(signal.SIGINT, _interrupt)
        sys.unraisablehook = _end_if_interrupted
    if hasattr(signal, "pthread_sigmask"):
        _clean_up_if_ended()
    code = run(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # or Ctrl-C while Python ends would show a traceback
    if code == INTERRUPTED:
        _end()
    sys.exit(code)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """Let the command report what is done at the first Ctrl-C; a second one ends it at once."""
    signal.signal(number, lambda *_: _end())
    raise KeyboardInterrupt


def _end_if_interrupted(lost: "sys.UnraisableHookArgs") -> None:
    """End at once if Python could not raise Ctrl-C, as in a callback of the compiler, which would go on."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        _end()
    sys.__unraisablehook__(lost)


def _end() -> NoReturn:
    """End at once: threads may be in a kernel for a minute, and files are put in place in one step."""
    with _nothing_unfinished():
        os._exit(INTERRUPTED)


def _clean_up_if_ended() -> None:
    """Let the signals of `kill` and of a closed terminal end the process as ever, but remove what is being written.

    A thread waits for them, as the main one may be in a kernel for a minute.
    """
    ending = {number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is signal.SIG_DFL}
    if ending:  # with nohup, one is ignored
        signal.pthread_sigmask(signal.SIG_BLOCK, ending)
        Thread(target=_wait_for, args=(ending,), daemon=True).start()


def _wait_for(ending: set[signal.Signals]) -> None:
    number = signal.sigwait(ending)
    with _nothing_unfinished():
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)


def _nothing_unfinished() -> AbstractContextManager[None]:
    """Return the context of that name in `fdcodec.image.files`; nothing is written before that is imported."""
    files = sys.modules.get("fdcodec.image.files")  # not imported here: this may come in the midst of an import
    context: AbstractContextManager[None] = getattr(files, "nothing_unfinished", nullcontext)()
    return context


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code."""
    try:
        return int(fdcodec_group.main(list(arguments), prog_name="fdcodec", standalone_mode=False) or 0)
    except click.ClickException as error:
        with suppress(OSError):
            error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt) as error:
        with suppress(OSError):
            click.echo(": ".join(filter(None, ("interrupted", str(error.__cause__ or error)))), err=True)
        return INTERRUPTED
    except ClosedPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains when it flushes at exit
        return 0
    except (FdcError, MemoryError, OSError) as error:
        return _tell(error)


def _tell(error: FdcError | MemoryError | OSError) -> int:
    """Say in one line why the command ends, and return its exit code."""
    from fdcodec.cli.batch import describe_os_error
    from fdcodec.cli.console import Console, in_options

    if isinstance(error, OSError):
        if error.errno == errno.ENOSPC and error.filename is None:
            error.filename = "standard output"  # as of a help, which click writes
        Console().tell(describe_os_error(error))
        return 1
    fault = error if isinstance(error, FdcError) else LimitError(NO_MEMORY)
    Console().tell(in_options(str(fault)))
    return fault.exit_code
