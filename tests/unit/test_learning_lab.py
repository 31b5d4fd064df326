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
        lab.run_missing("images", tmp_path, "")
    assert runs == ["images"]
    assert json.loads((tmp_path / "b.json").read_text()) == {"error": 0.5}
    assert not (tmp_path / "c.json").exists()


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
