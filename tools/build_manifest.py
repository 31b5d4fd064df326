"""Write manifests of images that stay outside the repository: their hashes, so that results can name them.

usage: python tools/build_manifest.py DIR [--output corpus/manifest]

DIR is laid out as CLASS/{train,test}/; one file CLASS.json is written for each class, one row an image:
class, path below DIR, split, origin, licence, sha256 of the file. No pixels are copied.
"""

import argparse
import json
from hashlib import sha256
from pathlib import Path

MANIFESTS = Path(__file__).parent.parent / "corpus" / "manifest"
SPLITS = ("train", "test")
SUFFIXES = {".png", ".webp", ".pgm", ".ppm", ".bmp", ".tif", ".tiff", ".jpg", ".jpeg"}


def rows_of(folder: Path) -> list[dict[str, str]]:
    """Return the manifest rows of one class, sorted by split and path."""
    return [
        {
            "class": folder.name,
            "path": path.relative_to(folder.parent).as_posix(),
            "split": split,
            "origin": "external",
            "licence": "not redistributed",
            "sha256": sha256(path.read_bytes()).hexdigest(),
        }
        for split in SPLITS
        for path in sorted((folder / split).rglob("*"))
        if path.suffix.lower() in SUFFIXES
    ]


def write(rows: list[dict[str, str]], path: Path) -> None:
    """Write rows as JSON, one a line, so that a changed image is a changed line."""
    path.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


def main() -> None:
    """Write a manifest for each class folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--output", type=Path, default=MANIFESTS)
    arguments = parser.parse_args()
    classes = [folder for folder in sorted(arguments.folder.iterdir()) if (folder / "train").is_dir()]
    if not classes:
        parser.error(f"{arguments.folder}: no CLASS/train folder in it")
    for folder in classes:
        rows = rows_of(folder)
        write(rows, arguments.output / f"{folder.name}.json")
        counts = {split: sum(row["split"] == split for row in rows) for split in SPLITS}
        print(f"{folder.name}: {counts['train']} train, {counts['test']} test")


if __name__ == "__main__":
    main()
