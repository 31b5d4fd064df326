"""The command ``fdcodec``, also as ``python -m fdcodec``; its first lines see to Ctrl-C, as imports take a while."""

import os
import signal

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 plus the number of its signal, as in shells."""


def main() -> None:
    """Run the command line and leave with its exit code; until it is imported, Ctrl-C ends the process at once."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where it is ignored, as in the background
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    from fdcodec.cli.main import main as run_command

    run_command()


if __name__ == "__main__":
    main()
