"""What a terminal shows while a command works."""

import numpy as np
import pytest
from PIL import Image
from tests.images import noise

from fdcodec.cli import console as module
from fdcodec.cli.console import Console


@pytest.fixture
def terminal(monkeypatch):
    """Let stderr be a terminal."""
    monkeypatch.setattr(module, "on_terminal", lambda: True)


def test_one_step_has_no_bar(terminal, capfd):
    """What is done in one step is over at once, and a bar for it would only flicker."""
    with Console().progress() as show:
        show("tiles", 1, 1)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("options", [{"quiet": True}, {"as_json": True}], ids=str)
def test_nobody_asked_for_a_bar(terminal, capfd, options):
    """Quiet commands have no bar, nor have those whose lines are for a program."""
    with Console(**options).progress() as show:
        show("tiles", 1, 2)
    assert capfd.readouterr().err == ""


def test_lines_stand_above_the_bar(terminal, capfd):
    """A line that is said or a failure while there is a bar has a line of its own, and is not taken for markup."""
    console = Console()
    with console.progress() as show:
        show("tiles", 1, 2)
        assert console._bar is not None
        console.say("[b]done[/b] :smile:")
        console.fail("a.png", "is torn")
    assert console._bar is None
    assert capfd.readouterr().err.splitlines()[:2] == ["[b]done[/b] :smile:", "fdcodec: a.png: is torn"]


def test_tiles_of_one_picture_are_counted(cli, terminal, monkeypatch):
    """Encoding one picture shows how many of its tiles are done."""
    steps = []
    monkeypatch.setattr(Console, "_show", lambda self, *step: steps.append(step))
    Image.fromarray(noise(32, 48, 1, seed=1)[:, :, 0]).save("tiles.png")
    assert cli("encode", "tiles.png", "--tile", "16", "-e", "1").code == 0
    assert [step for step in steps if step[0] == "tiles"] == [("tiles", done, 6) for done in range(1, 7)]


def test_pictures_are_counted(cli, terminal, monkeypatch):
    """Encoding several pictures shows how many of them are done, and no tiles."""
    steps = []
    monkeypatch.setattr(Console, "_show", lambda self, *step: steps.append(step))
    np.save("b.npy", noise(8, 8, 1, seed=2))
    assert cli("encode", "a.png", "b.npy", "-e", "1").code == 0
    assert steps == [("", 0, 2), ("", 1, 2), ("", 2, 2)]
