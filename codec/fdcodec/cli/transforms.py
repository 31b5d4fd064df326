"""fdcodec transforms."""

import json
from pathlib import Path

import click

from fdcodec.cli.batch import Job, run_jobs
from fdcodec.cli.console import Console, write_line
from fdcodec.errors import FdcError


@click.group(invoke_without_command=True)
@click.pass_context
def transforms(context: click.Context) -> int:
    """List, show and export the class models that are installed; alone it lists them."""
    return int(context.invoke(list_models)) if context.invoked_subcommand is None else 0


@transforms.command("list")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object a line.")
def list_models(as_json: bool) -> int:
    """List names, hashes and sizes; a file that holds no model is named on stderr, and the exit code is then 1."""
    from fdcodec import model
    from fdcodec.inspection import describe_model

    failed = False
    for name in model.names():
        try:
            facts = describe_model(model.get(name))
        except (FdcError, OSError) as error:
            click.echo(f"fdcodec: {name}: {error}", err=True)
            failed = True
            continue
        line = f"{name:<16}{facts['hash'][:16]}  {facts['rotations']:>6} rotations  {facts['embedded_bytes']:>6} bytes"
        write_line(json.dumps(facts) if as_json else line)
    return int(failed)


@transforms.command("show")
@click.argument("name")
def show_model(name: str) -> None:
    """Write everything about a model, given by name or by the path of an .fdt file, as JSON."""
    from fdcodec import model
    from fdcodec.inspection import describe_model

    found = model.resolve(name)
    write_line(json.dumps({**describe_model(found), "recipe": found.recipe}, indent=1))


@transforms.command("export")
@click.argument("name")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Output file; NAME.fdt if it is not given.")
@click.option("-f", "--force", is_flag=True, help="Replace an existing output.")
def export_model(name: str, output: Path | None, force: bool) -> int:
    """Write a model to an .fdt file."""
    from fdcodec import model

    def export(job: Job) -> dict[str, str]:
        model.resolve(name).save(job.target)
        return {"summary": f"to {job.target}"}

    return run_jobs([Job(Path(name), output or Path(f"{name}.fdt"))], export, Console(), force=force)
