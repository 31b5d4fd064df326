"""fdcodec transforms."""

import json
from pathlib import Path

import click

from fdcodec.cli.console import Console, write_line
from fdcodec.cli.options import NonEmptyPath, model_names
from fdcodec.cli.outputs import check_model_path
from fdcodec.cli.streams import in_one_line
from fdcodec.errors import FdcError


@click.group(invoke_without_command=True)
@click.pass_context
def transforms(context: click.Context) -> int:
    """List, show and export installed class models; without a command it lists them.

    Installed are the presets, and the .fdt files in the directories that FDCODEC_MODEL_PATH names.
    """
    return int(context.invoke(list_models)) if context.invoked_subcommand is None else 0


@transforms.command("list")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object per line.")
def list_models(as_json: bool) -> int:
    """List names, hashes and sizes.

    A file that holds no model is named on stderr; the exit code is then 1. Files that an earlier model of the same
    name hides are also named there.
    """
    from fdcodec import model
    from fdcodec.model import registry
    from fdcodec.model.facts import describe_model

    failed = False
    if not as_json:
        write_line(f"{'name':<16}{'hash':<16}  {'rotations':>9}  {'bytes':>6}")
    for name in sorted(registry.paths()):
        try:
            facts = describe_model(model.get(name))
        except (FdcError, OSError) as error:
            Console().tell(f"{name}: {error}")
            failed = True
            continue
        line = f"{in_one_line(name):<16}{facts['hash'][:16]}  {facts['rotations']:>9}  {facts['embedded_bytes']:>6}"
        write_line(json.dumps(facts) if as_json else line)
    for path in registry.hidden():
        Console().tell(f"{path}: another model has this name and comes first; rename the file to use it")
    return int(failed)


@transforms.command("show")
@click.argument("name", shell_complete=model_names)
def show_model(name: str) -> None:
    """Write everything about a model as JSON.

    NAME is one that `fdcodec transforms` lists, or the path of an .fdt file.
    """
    from fdcodec import model
    from fdcodec.model.facts import describe_model

    found = model.resolve(name, "NAME")
    write_line(json.dumps({**describe_model(found), "recipe": found.recipe}, indent=1))


@transforms.command("export")
@click.argument("name", shell_complete=model_names)
@click.argument("last", required=False, metavar="[OUTPUT]", type=NonEmptyPath(dir_okay=False, path_type=Path))
@click.option(
    "-o",
    "--output",
    type=NonEmptyPath(dir_okay=False, path_type=Path),
    help="Output file; NAME.fdt by default.",
)
@click.option("-f", "--force", is_flag=True, help="Replace an existing output.")
def export_model(name: str, last: Path | None, output: Path | None, force: bool) -> None:
    """Write a model to an .fdt file: `export photo mine.fdt`."""
    from fdcodec import model

    if last is not None and output is not None:
        raise click.UsageError(f"{last} and -o {output} are two outputs of one model; name one of them")
    target = last or output or Path(f"{name}.fdt")
    check_model_path(target, force)
    model.resolve(name, "NAME").save(target, may_replace=force)
    Console().say(f"{name}: to {target}")
