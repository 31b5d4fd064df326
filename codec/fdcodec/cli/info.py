"""fdcodec info."""

import json
from typing import Any

import click

from fdcodec.cli import options
from fdcodec.cli.batch import Job, find_files, run_jobs
from fdcodec.cli.console import Console


@click.command()
@options.inputs
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object a line.")
def info(inputs: tuple[str, ...], recursive: bool, as_json: bool) -> int:
    """Show what .fdc files hold; nothing is decoded."""
    jobs = [Job(file) for file, _ in find_files(inputs, (".fdc",), recursive=recursive)]
    return run_jobs(jobs, lambda job: _info(job, as_json), Console(as_json=as_json, quiet=not as_json))


def _info(job: Job, as_json: bool) -> dict[str, Any]:
    from fdcodec.inspection import describe

    facts = describe(job.read())
    if not as_json:
        click.echo(f"{job.source}")
        for name, value in facts.items():
            click.echo(f"  {name.replace('_', ' '):<18}{_text(value)}")
    return {**facts, "summary": ""}


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {number}" for name, number in value.items())
    if isinstance(value, list):
        return ", ".join(" ".join(str(part) for part in item.values()) for item in value) or "none"
    return json.dumps(value).strip('"')
