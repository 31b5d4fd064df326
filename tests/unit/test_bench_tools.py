"""What the benchmarks compute beside their measurements: crops, choices of images, summaries, pages."""

import importlib
import json
from hashlib import sha256
from inspect import signature
from math import inf
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

import fdcodec
from fdcodec.errors import TargetWarning
from fdcodec.model import registry

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tool(monkeypatch):
    """Return a function that imports a module of tools/."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))

    def load(name: str) -> ModuleType:
        return importlib.import_module(name)

    return load


@pytest.mark.parametrize(("side", "shape", "first"), [(2, (2, 2), 6), (9, (4, 5), 0), (4, (4, 4), 0)])
def test_middle_is_the_middle(tool, side, shape, first):
    """A crop is the middle of an image, or all of a smaller one."""
    cut = tool("bench_images").middle(np.arange(20, dtype=np.uint8).reshape(4, 5), side)
    assert (cut.shape, cut[0, 0]) == (shape, first)


def test_evenly_spaces_over_all_files(tool):
    """At most so many files, the first among them, evenly spaced."""
    evenly = tool("bench_images").evenly
    assert [evenly(list(range(10)), n) for n in (1, 3, 20)] == [[0], [0, 3, 6], list(range(10))]


def test_training_images_are_never_drawn(tool, tmp_path):
    """Held-out images are those that lie below no folder named train, and kinds take turns."""
    for name in ("a/train/1.png", "a/test/2.png", "a/test/3.png", "b/4.png", "c/notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("L", (3, 2)).save(tmp_path / name, "PNG")
    images = tool("bench_images")
    kinds = images.held_out_by_kind(tmp_path)
    assert {kind: [path.name for path in files] for kind, files in kinds.items()} == {
        "a": ["2.png", "3.png"],
        "b": ["4.png"],
    }
    assert [crop.kind for crop in images.crops(tmp_path, 5, 2)] == ["a", "b", "a"]
    assert [crop.kind for crop in images.crops(tmp_path, 5, 2, without="a")] == ["b"]


def test_rates_of_half_the_bits(tool):
    """Half the bytes at each PSNR is a BD-rate of -50 %, by the sizes that are asked for."""
    curves = tool("bench_curves")
    anchor = curves.Curve([100, 200, 400, 800], [10, 20, 40, 80], [30.0, 33.0, 36.0, 39.0])
    test = curves.Curve([50, 100, 200, 400], [10, 20, 40, 80], [30.0, 33.0, 36.0, 39.0])
    assert curves.rates([test], [anchor])["mean"] == pytest.approx(-50)
    assert curves.rates([test], [anchor], "embedded")["mean"] == pytest.approx(0)


def test_bare_model_keeps_all_but_transforms(tool):
    """A control loses the transforms only; start states and filter are the class's."""
    model = registry.get("photo")
    control = tool("bench_control").bare(model)
    assert (control.transforms, control.learned) == ({}, ())
    assert control.start_states is model.start_states
    assert control.filters is model.filters


def test_curves_are_of_lossy_files(tool, monkeypatch):
    """Also of a drawn image, which `encode` would keep exactly, the files of a curve are lossy ones."""
    drawn = np.kron(np.random.default_rng(1).integers(0, 2, (12, 12), np.uint8) * 200, np.ones((4, 4), np.uint8))
    visual, deep, made, encode = tool("bench_visual"), tool("bench_deep"), [], fdcodec.encode
    monkeypatch.setattr(fdcodec, "encode", lambda *image, **options: made.append(encode(*image, **options)) or made[-1])
    visual.curve(np.dstack([drawn] * 3), "psnr")
    deep.curve(200 * drawn.astype(np.uint16), deep.CODERS["fdcodec"]._replace(settings=(25, 80)))
    assert [fdcodec.read_header(data).lossless for data in made] == 6 * [False]


def test_tunes_are_compared_by_each_measure(tool):
    """Half the bytes at each score, and at 1.5 dB less where a doubling buys 3, are -50 and -29 %, in the table too."""
    bench, table = tool("bench_visual"), tool("visual_table")
    anchor = {"size_bytes": [100, 200, 400, 800], "ssimulacra2": [40, 55, 70, 85], "psnr_db": [30, 33, 36, 39]}
    test = {"size_bytes": [50, 100, 200, 400], "ssimulacra2": [40, 55, 70, 85], "psnr_db": [28.5, 31.5, 34.5, 37.5]}
    rates = bench.rates({"psnr": [anchor], "visual": [test]})
    assert rates["ssimulacra2"]["mean"] == pytest.approx(-50)
    assert rates["psnr_db"]["mean"] == pytest.approx(100 * (0.5**0.5 - 1))
    row = table.rows({"kodak": {"images": [{}], "bd_rate_percent": rates}})[-1]
    assert row == "| kodak (1) | -50.0 | -50.0 | -50.0 | -29.3 |"
    small, large = ({"size_bytes": [size], "ssimulacra2": [70], "psnr_db": [size / 5]} for size in (100, 200))
    entry = {"images": [{"shape": [10, 20, 3]}, {"shape": [10, 40]}], "curves": {"psnr": [small, large]}}
    assert table.quality_rows([75], entry)[-1] == "| 75 | psnr | 4.00 | 30.0 | 70 |"


def test_rival_of_two_ways_counts_by_its_better_one(tool):
    """Of a rival that is used in two ways, the gain against the smaller one is told; one without overlap is none."""
    rates = {"JPEG XL": {"percent": -50.0}, "JPEG XL, spread": {"percent": None}}
    gain = tool("deep_table").worst_gain
    assert gain(rates, "JPEG XL") == -50
    assert gain(rates | {"JPEG XL, spread": {"percent": -40.0}}, "JPEG XL") == -40


def test_curve_of_a_rival_is_on_the_samples_own_scale(tool):
    """Samples that are spread over 16 bits for a rival are measured as they were, and exact files are no points."""
    deep = tool("bench_deep")
    samples = np.arange(100, 356, dtype=np.uint16).reshape(16, 16)
    exact = deep.Coder(lambda given, setting: given.tobytes(), lambda data: np.frombuffer(data, np.uint16), (1,), True)
    assert deep.curve(samples, exact) == {"rate_bpp": [], "psnr_db": []}
    coarse = exact._replace(encode=lambda given, setting: (given & 0xFF00).tobytes())
    assert deep.curve(samples, coarse)["rate_bpp"] == [16.0]
    assert deep.curve(samples, coarse)["psnr_db"][0] > 90


def test_shares_count_targets_apart(tool):
    """A PSNR and bits per pixel have shares of their own, and a size above its limit is not met."""
    rows = [
        {"target": "psnr_db", "value": 30, "encodes": 3, "met": True, "reached": 30.05},
        {"target": "psnr_db", "value": 30, "encodes": 8, "met": False, "reached": inf, "exact": True},
        {"target": "bpp", "value": 1, "encodes": 8, "met": False, "reached": 1.2, "above": True},
    ]
    summary = tool("bench_rate_control").summary(rows, [])
    assert (summary["psnr_db"]["met"], summary["psnr_db"]["exact"], summary["psnr_db"]["most_encodes"]) == (0.5, 1, 8)
    assert (summary["bpp"]["above"], summary["bpp"]["met"], summary["size_bytes"]["met"]) == (1, 0, None)


def test_generated_images_have_every_kind(tool):
    """A third of 300 images covers every shape, number of channels and depth, and repeats exactly."""
    lossless = tool("bench_lossless_exact")
    images = lossless.generated(100)
    assert len(images) == 100
    assert {image.samples.shape[:2] for image in images} == set(lossless.SHAPES)
    assert {image.samples.shape[2:] for image in images} == {(), (1,), (2,), (3,), (4,)}
    assert {image.samples.dtype.itemsize for image in images} == {1, 2}
    assert [image.sha256 for image in images] == [image.sha256 for image in lossless.generated(100)]


def test_rows_come_after_their_baseline(tool):
    """Rows of gray and colour bring the full codec of their own kind, once."""
    ablation = tool("ablation")
    assert ablation.chosen("scalar,opponent") == ["full", "full-colour", "scalar", "opponent"]
    assert ablation.chosen("scalar,full") == ["full", "scalar"]
    assert set(ablation.chosen("")) == set(ablation.ROWS)


def test_kernels_of_the_ablation_take_what_those_in_whose_place_they_are_put_take(tool, monkeypatch):
    """Each row finds what it switches off, and its kernels have the arguments of the package's."""
    rows, kernels, pairs = tool("ablation_rows"), tool("ablation_kernels"), []
    for module, name in (
        (rows.tuning, "_HALVE_BITS"),
        (rows.tuning, "_CANDIDATES"),
        (kernels, "SMALLEST_LOG2"),
        (kernels, "LARGEST_LOG2"),
    ):
        monkeypatch.setattr(module, name, getattr(module, name))  # put back after the test
    monkeypatch.setattr(rows, "put", lambda *pair: pairs.append(pair))
    for row in rows.ROWS.values():
        row.apply(rows.Setup(registry.get("photo")))
    functions = [[getattr(one, "py_func", one) for one in pair] for pair in pairs if callable(pair[0])]
    assert len(functions) > 8
    assert [[*signature(a).parameters] for a, _ in functions] == [[*signature(b).parameters] for _, b in functions]


def test_patched_kernels_have_a_cache_of_their_own(tool, monkeypatch):
    """Machine code of patched kernels lies apart from the package's, and apart from that of other rows."""
    monkeypatch.setenv("FDCODEC_CACHE_DIR", "cache")
    ablation = tool("ablation")
    compiled = [name for name, row in ablation.ROWS.items() if row.compiled]
    folders = [ablation.cache_of(name) for name in compiled]
    assert len(set(folders)) == len(compiled)
    assert Path("cache") not in folders
    assert ablation.cache_of("full") == Path("cache")


def test_page_says_what_a_row_did(tool):
    """A row of the page has its effect, or why it has none."""
    table = tool("ablation_table")
    row = {"label": "no x", "images": "rgb", "research": "+1"}
    assert table.table_row(row | {"mean": 1.234, "low": 1.0, "high": 2.0}).startswith("| no x (RGB) | +1.23 % |")
    assert "| nothing to remove |" in table.table_row(row | {"skipped": "nothing to remove"})


def test_roundtrip_compares_tiles_as_encoded_and_decoded(tool, tmp_path):
    """Every tile of both directions is noted, those of equal payload and other shapes apart."""
    child = tool("bench_child")
    image = np.full((33, 33), 7, np.uint8)
    with child.recorded_planes() as (encoded, decoded):
        fdcodec.decode(fdcodec.encode(image, transform="photo", tile=32))
    assert encoded == decoded
    assert {shape for _, shape, _ in encoded} == {(1, 32, 32), (1, 32, 4), (1, 4, 32), (1, 4, 4)}
    np.save(tmp_path / "a.npy", image)
    row = child.roundtrip(tmp_path / "a.npy", 1, {"lossless": True})
    assert row["same_planes"]
    assert row["pixels"] == sha256(image.tobytes()).hexdigest()


def test_encodes_of_a_search_are_counted(tool):
    """The count is of encodes, whatever the target, and a target is met or not by its own rule."""
    rate_control = tool("bench_rate_control")
    crop = tool("bench_images").Crop("a", "b", "", np.arange(64 * 64, dtype=np.uint8).reshape(64, 64))
    assert rate_control.attempt(crop, "quality", 50)["encodes"] == 1
    with pytest.warns(TargetWarning, match="a size of 4 bytes was not met"):
        row = rate_control.attempt(crop, "size_bytes", 4)
    assert (row["met"], row["above"]) == (False, True)
    assert 1 <= row["encodes"] <= 8


@pytest.mark.parametrize(
    ("module", "result", "document"),
    [
        ("control_table", "control", "controls"),
        ("ablation_table", "ablation", "ablation"),
        ("visual_table", "visual", "visual"),
        ("deep_table", "deep", "deep"),
    ],
)
def test_pages_are_what_the_tools_make_of_the_results(tool, module, result, document):
    """A page of docs/results is not written by hand, nor left behind by a new result."""
    record = json.loads((ROOT / "tools" / "results" / f"{result}.json").read_text())
    assert tool(module).page(record) == (ROOT / "docs" / "results" / f"{document}.md").read_text()


def test_page_of_classes_is_what_the_tool_makes_of_the_results(tool):
    """The page on classes is made of three results."""
    assert tool("results_table").page() == (ROOT / "docs" / "results" / "classes.md").read_text()


def test_table_of_the_readme_is_what_the_tool_makes_of_the_results(tool):
    """The README's figures are not written by hand, nor left behind by a new result."""
    assert tool("results_table").readme() == (ROOT / "README.md").read_text()


def test_page_of_the_engine_is_what_the_tool_makes_of_the_results(tool):
    """The page on speed, exactness and targets is made of four results."""
    engine_table = tool("engine_table")
    assert engine_table.page(engine_table.records()) == (ROOT / "docs" / "results" / "engine.md").read_text()
