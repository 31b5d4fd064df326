"""The lab that reruns the paper: patches, resuming, report."""

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def lab(monkeypatch) -> ModuleType:
    """Return tools/paper.py as a module, its package importable."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("paper")


def test_patches_are_blocks_row_by_row_and_column_by_column(lab):
    """`cut` takes whole blocks only, row by row; `transposed_patches` is Matlab's order."""
    data = importlib.import_module("paper_lab.data")
    image = np.arange(5 * 7, dtype=float).reshape(5, 7)
    patches = data.cut(image, 2)
    assert len(patches) == 6
    np.testing.assert_array_equal(patches[1], [2, 3, 9, 10])
    np.testing.assert_array_equal(data.transposed_patches(patches)[1], [2, 9, 3, 10])


def test_only_missing_experiments_run(lab, tmp_path, monkeypatch):
    """An experiment whose file is there is not run again, and one that fails leaves no file."""
    runs = []

    def experiment(images):
        runs.append(images)
        return {"error": 0.5}

    def broken(images):
        raise RuntimeError

    monkeypatch.setattr(lab, "all_experiments", lambda: {"a": experiment, "b": experiment, "c": broken})
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(RuntimeError):
        lab.run(lab.waiting(["a", "b", "c"], tmp_path), "images", tmp_path)
    assert runs == ["images"]
    assert json.loads((tmp_path / "b.json").read_text()) == {"error": 0.5}
    assert not (tmp_path / "c.json").exists()


def test_what_is_kept_is_told(lab, tmp_path, monkeypatch, capsys):
    """Where all results are there nothing runs, images or not, and a line says which files to delete."""
    monkeypatch.setattr(lab, "RESULTS", tmp_path)
    monkeypatch.setattr(lab, "REPORT", tmp_path / "paper.md")
    monkeypatch.setattr("paper_lab.report.write_report", lambda results, report: None)
    monkeypatch.setattr(lab, "all_experiments", lambda: {"dct-s4": None, "dct-s8": None, "q-s4": None})
    for name in ("dct-s4", "dct-s8"):
        (tmp_path / f"{name}.json").write_text("{}")
    monkeypatch.setattr(sys, "argv", ["paper.py", "--only", "dct", "--data", "nowhere"])
    assert lab.main() == 0
    assert capsys.readouterr().out == f"paper: 2 results kept, 0 run; delete files of {tmp_path} to run theirs again\n"


def test_experiments_that_there_are_not_are_refused(lab, tmp_path, monkeypatch, capsys):
    """A name that no experiment begins with is one line and exit code 2."""
    monkeypatch.setattr(lab, "RESULTS", tmp_path)
    monkeypatch.setattr(sys, "argv", ["paper.py", "--only", "nosuch", "--data", "nowhere"])
    assert lab.main() == 2
    assert capsys.readouterr().err.startswith("paper: --only is 'nosuch', with which no experiment begins; ")


def test_only_images_that_are_needed_must_be_there(lab, tmp_path):
    """An experiment needs the images of its name, and the paper's where it names none."""
    images = importlib.import_module("paper_lab.data").Images(tmp_path)
    paper = ["sipi/gray/couple_512.png", "sipi/gray/peppers_512_y601.png", "sipi/gray/boat_512.png"]
    assert images.missing(["dct-s4"]) == paper
    assert images.missing(["triple-washsat-tank-boat-patch"]) == [
        "sipi/gray/boat_512.png",
        "sipi/gray/tank_512.png",
        "sipi/gray/w_washsat_512.png",
    ]
    assert images.missing([]) == []


@pytest.mark.parametrize("arguments", [[], ["--data", "nowhere"]])
def test_absent_images_are_one_line_and_code_2(lab, arguments, tmp_path, monkeypatch, capsys):
    """Without the images the lab says so in one line and runs nothing."""
    monkeypatch.setattr(sys, "argv", ["paper.py", *arguments])
    monkeypatch.setattr(lab, "RESULTS", tmp_path)
    monkeypatch.delenv("FDCODEC_DATA", raising=False)
    code = lab.main()
    assert code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_report_of_the_shipped_results_is_the_shipped_report(lab, tmp_path):
    """docs/results/paper.md is what the results in tools/results/paper give."""
    report = importlib.import_module("paper_lab.report")
    results = tmp_path / "results"
    results.mkdir()
    for path in (ROOT / "tools/results/paper").glob("*.json"):
        (results / path.name).write_text(path.read_text())
    report.write_report(results, tmp_path / "paper.md")
    expected = (ROOT / "docs/results/paper.md").read_text()
    assert expected == (tmp_path / "paper.md").read_text()


def test_every_experiment_has_a_name_of_its_own_and_the_table_sizes(lab):
    """The experiments cover the table of the paper's sizes for every s."""
    experiments = importlib.import_module("paper_lab.experiments")
    names = experiments.all_experiments()
    for s in (4, 8, 12):
        for m in (42, 64, 85, 128, 170, 256, 341, 682):
            assert {f"g-paper-s{s}-m{m}", f"g-search-s{s}-m{m}"} <= set(names)
