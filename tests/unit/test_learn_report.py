"""What `learn` tells at its end: first what the model saves, beside what, and what to do."""

from pathlib import Path

import pytest

from fdcodec.cli.learn_report import advice, report, saving, worth_of_modes, worth_of_parts
from fdcodec.model import ClassModel, get

RECIPE = {
    "share_saved_against_presets": 0.034, "presets_compared": ["photo", "map"], "images_held_out": 3,
    "share_saved_by_filter": 0.0412, "share_saved_by_rotations": 0.0234, "share_saved_by_learned_modes": {},
    "parent": None,
}  # fmt: skip


def recipe(share):
    """Return a recipe of a model that saves a share of the bytes."""
    return RECIPE | {"share_saved_against_presets": share}


def test_first_comes_what_is_saved_and_what_to_do():
    """The first line has the saving on images held out and the presets beside which it is, the second what is next."""
    model = ClassModel("scans", recipe=RECIPE)
    first, second, *others = report(model, Path("my/scans.fdt"), 12)
    told = "3.4% fewer bytes at equal error than with the best preset, most often photo, on 3 held-out images"
    assert first == f"my/scans.fdt: {told}, without the model's own bytes"
    assert second.startswith("  next: encode -t my/scans.fdt")
    assert others[0] == f"  from 12 images, 3 of them held out; hash {model.hash.hex()[:16]}"
    parts = "rotations save 2.3% of the cost of blocks, the filter 4.1% of the squared error"
    assert others[1] == f"  on what was held out, {parts}"
    assert others[2] == "  learned modes, and the share of the rate they save on held-out blocks: none"


def test_learned_modes_are_counted_by_the_side_of_their_blocks():
    """Each size that has modes says how many and what they save, or that they are the parent's."""
    learned = tuple(get("photo").learned[0]._replace(log2_size=size) for size in (2, 3, 3, 4))
    model = ClassModel(
        "scans", learned=learned, recipe=RECIPE | {"share_saved_by_learned_modes": {"8": 0.0312, "4": 0.0}}
    )
    told = "1 of 4x4 (0.0%), 2 of 8x8 (3.1%), 1 of 16x16 (the parent's)"
    assert worth_of_modes(model) == f"learned modes, and the share of the rate they save on held-out blocks: {told}"


def test_what_is_not_saved_is_told():
    """A model that costs more, or of which nothing was measured, does not pass for one that saves."""
    worse = RECIPE | {"share_saved_against_presets": -0.012, "presets_compared": ["map"]}
    assert saving(worse).startswith("1.2% more bytes at equal error than with the preset map, on 3 held-out images")
    unknown = RECIPE | {"share_saved_against_presets": None, "presets_compared": [], "images_held_out": 0}
    assert saving(unknown).startswith(
        "what it saves is not known: with fewer than five images, or copies of few, none is held out"
    )


@pytest.mark.parametrize(
    ("share", "n_bytes", "told"),
    [
        (
            0.05,
            12_000,
            "encode -t my/scans.fdt, for files above 240 kB: each carries 12000 bytes of the model. For smaller ",
        ),
        (0.012, 24_000, "encode -t my/scans.fdt, for files above 2.0 MB: each carries 24000 bytes"),
        (0, 12_000, "encode with -t auto; or learn from more images"),
        (
            None,
            12_000,
            "learn from five different images or more; or compare the sizes that encode -t my/scans.fdt ",
        ),
    ],
)
def test_advice_follows_the_saving(share, n_bytes, told):
    """A file is worth carrying the model from where what it saves is as much; else another way is told."""
    assert advice(recipe(share), Path("my/scans.fdt"), n_bytes).startswith(told)


@pytest.mark.parametrize(("best", "told"), [("map", ", or with --parent map"), ("photo", "")])
def test_parent_to_try_is_the_preset_that_was_the_best(best, told):
    """Of a model that saves nothing another parent is advised, unless it had that one."""
    given = recipe(-0.01) | {"presets_compared": [best, "gray"], "parent": get("photo").hash.hex()}
    assert advice(given, Path("x.fdt"), 1) == f"encode with -t auto; or learn from more images{told}"


def test_advice_can_be_typed():
    """A path with spaces is quoted as a shell has it."""
    assert advice(recipe(0.05), Path("my scans.fdt"), 12_000).startswith("encode -t 'my scans.fdt', ")


def test_filter_without_images_held_out_has_no_share():
    """Of fewer than five images rotations are judged by blocks, and the filter by nothing."""
    assert worth_of_parts(RECIPE | {"share_saved_by_filter": None}).endswith(
        "rotations save 2.3% of the cost of blocks"
    )


def test_too_few_blocks_are_told():
    """Where no group of blocks was large enough to learn from, that is said in the place of a share of nothing."""
    assert "too few blocks to learn rotations from" in worth_of_parts(RECIPE | {"share_saved_by_rotations": None})


@pytest.mark.parametrize(("share", "hardly"), [(0.009, True), (0.01, False)])
def test_small_savings_are_called_so(share, hardly):
    """Of a model that saves less than one percent it is told that the presets do nearly as well."""
    assert (
        advice(recipe(share), Path("x.fdt"), 1).startswith("the presets do nearly as well, and -t auto takes one")
        == hardly
    )
