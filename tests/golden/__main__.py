"""Show what the golden files and those that must be refused would change to, and with --regenerate write them.

Usage: ``python -m tests.golden [--regenerate]`` from the repository's root.
"""

import argparse
import json
from typing import Any

from tests.golden.cases import CASES, FILES, made, stored
from tests.golden.refused import REFUSED_FILES, made_refused, refusals


def difference(old: dict[str, Any], new: dict[str, Any]) -> str:
    """Return the fields of a record that change, or "same"."""
    changed = [f"{key} {old.get(key)} -> {value}" for key, value in new.items() if old.get(key) != value]
    return ", ".join(changed) or "same"


def renew_refused(regenerate: bool) -> None:
    """Show which files that must be refused are not what their golden files and edits give."""
    for name, refusal in refusals().items():
        path, data = REFUSED_FILES / f"{name}.fdc", made_refused(refusal)
        if not (path.exists() and path.read_bytes() == data):
            print(f"{name}: {len(data)} bytes, new or other ones")
        if regenerate:
            path.write_bytes(data)


def main() -> None:
    """Compare every case with its files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--regenerate", action="store_true", help="write the files; otherwise only show the differences"
    )
    regenerate = parser.parse_args().regenerate
    FILES.mkdir(exist_ok=True)
    for name in CASES:
        data, record = made(name)
        try:
            old_data, old_record = stored(name)
        except FileNotFoundError:
            old_data, old_record = b"", {}
        note = difference(old_record, record) if old_record else f"new, {len(data)} bytes"
        print(f"{name}: {note}{'' if old_data == data else ' (bytes differ)'}")
        if regenerate:
            (FILES / f"{name}.fdc").write_bytes(data)
            (FILES / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")
    REFUSED_FILES.mkdir(exist_ok=True)
    renew_refused(regenerate)


if __name__ == "__main__":
    main()
