"""fdcodec info."""

import json
from typing import Any

import click

from fdcodec.cli import options
from fdcodec.cli.batch import run_jobs
from fdcodec.cli.console import COUNTING, Console, write_line
from fdcodec.cli.inputs import find_files, note_on_links
from fdcodec.cli.jobs import Job, jobs_of
from fdcodec.cli.streams import in_one_line

HASH_DIGITS = 16
"""Digits shown of a class model's hash, as by `transforms`."""


@click.command()
@options.inputs
@click.option("--bits", is_flag=True, help="Decode, and show where the bits go.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object per line.")
def info(inputs: tuple[str, ...], recursive: bool, bits: bool, as_json: bool) -> int:
    """Show what .fdc files hold, and of damaged files what is readable. Only --bits decodes them."""
    if bits:
        Console().announce_compilation(COUNTING)
    files, others = find_files(inputs, (".fdc",), recursive=recursive)
    Console().say_if(note_on_links(others))
    return run_jobs(jobs_of(files), lambda job: _info(job, bits, as_json), Console(as_json=as_json, quiet=not as_json))


def _info(job: Job, bits: bool, as_json: bool) -> dict[str, Any]:
    from fdcodec import inspection

    facts, fault = inspection.facts_and_fault(job.read(), bits)
    if facts and not as_json:
        write_line(in_one_line(str(job.source)))
        for name, value in facts.items():
            if name in ("part_bits", "element_bits"):
                _echo_table(name.replace("_", " "), value)
            elif value is not None:
                shown = value[:HASH_DIGITS] if name == "transform_hash" else value
                write_line(f"  {name.replace('_', ' '):<18}{_text(shown)}")
    return facts | ({"summary": ""} if fault is None else {"fault": fault})


def _echo_table(title: str, counts: dict[str, Any]) -> None:
    """Write counts, flat or by plane, each with its share of the whole, the largest first."""
    flat = {
        f"{name} {detail}".strip(): count
        for name, value in counts.items()
        for detail, count in (value.items() if isinstance(value, dict) else [("", value)])
    }
    if flat:
        write_line(f"  {title}")
    for name, count in sorted(flat.items(), key=lambda item: -item[1]):
        if count > 0:
            write_line(f"    {name:<20}{count:>12}  {100 * count / sum(flat.values()):5.1f} %")


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {number}" for name, number in value.items())
    if isinstance(value, list):
        return ", ".join(" ".join(str(part) for part in item.values()) for item in value) or "none"
    return in_one_line(value) if isinstance(value, str) else json.dumps(value)
