"""fdcodec completion."""

import click
from click.shell_completion import get_completion_class

from fdcodec.cli.console import write_line


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script for Tab completion, to be sourced from the start-up file of your shell."""
    complete = get_completion_class(shell)
    assert complete is not None
    write_line(complete(context.find_root().command, {}, "fdcodec", "_FDCODEC_COMPLETE").source())
