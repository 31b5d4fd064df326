"""What a terminal shows while a command works."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.images import noise

from fdcodec.cli import console as module
from fdcodec.cli.console import Console


@pytest.fixture
def terminal(monkeypatch):
    """Let stderr be a terminal, and one that rich does not write escapes to, whatever the environment says."""
    monkeypatch.setattr(module, "on_terminal", lambda: True)
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)


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


def _told(capfd, console, inputs, **facts):
    """Return the lines that reports of inputs make, whose notes `facts` give by a function of their number."""
    notes = facts.pop("notes")
    with console.gathered_notes(inputs), console.progress() as show:
        for number in range(inputs):
            console.report(f"{number}.png", {"summary": "made", "notes": notes(number), **facts})
            show("", number + 1, inputs)
    return [line for line in capfd.readouterr().err.splitlines() if "note" in line]


def test_nobody_sees_a_bar_without_stderr(monkeypatch):
    """Where standard error is closed, progress is shown to nobody, and the work goes on."""
    monkeypatch.setattr(sys, "stderr", None)
    with Console().progress() as show:
        show("tiles", 0, 9)


def test_few_inputs_have_notes_of_their_own(capfd):
    """A note on one of a few inputs, six at most, names it."""
    assert _told(capfd, Console(), 6, notes=lambda _: ["IPTC was left out"]) == [
        f"{number}.png: note: IPTC was left out" for number in range(6)
    ]


def test_many_inputs_have_each_kind_of_note_once(terminal, capfd):
    """A kind of note on many inputs is told once, with how many have it and the first of them, below the bar."""
    told = _told(
        capfd,
        Console(),
        12,
        notes=lambda number: [
            f"texts were left out: {'ab'[number // 6]}",
            *(["IPTC was left out"] if number < 9 else []),
        ],
    )
    assert [re.search(r"\d+ inputs: .*", line)[0] for line in told] == [
        "12 inputs: notes such as: texts were left out: a (0.png, 1.png, 2.png, 3.png, 4.png, 5.png, 6 more)",
        "9 inputs: note: IPTC was left out (0.png, 1.png, 2.png, 3.png, 4.png, 5.png, 3 more)",
    ]


def test_a_note_on_one_of_many_inputs_names_it(capfd):
    """What is noted of one input alone is told as it is where there are few."""
    told = _told(capfd, Console(), 9, notes=lambda number: ["IPTC was left out"] if number == 4 else [])
    assert told == ["4.png: note: IPTC was left out"]


def test_notes_of_one_kind_on_one_of_many_inputs_are_all_told(capfd):
    """Two notes on one input that differ in numbers only are both told."""
    told = _told(
        capfd, Console(), 9, notes=lambda number: ["tag 1 is damaged", "tag 7 is damaged"][: 2 * (number == 4)]
    )
    assert told == ["4.png: note: tag 1 is damaged", "4.png: note: tag 7 is damaged"]


def test_numbers_make_no_other_kind_of_note(capfd):
    """Notes that differ in numbers only, whole ones or not, are of one kind."""
    told = _told(capfd, Console(), 9, notes=lambda number: [f"values 0..{number + number % 2 / 2:g} were scaled"])
    assert [line[:49] for line in told] == ["9 inputs: notes such as: values 0..0 were scaled "]


def test_what_was_missed_is_told_of_each_of_many_inputs(capfd):
    """A result that is not as asked has its notes by name, as a failure would."""
    told = _told(capfd, Console(), 9, notes=lambda _: ["a size was not met"], not_as_asked=True)
    assert told == [f"{number}.png: note: a size was not met" for number in range(9)]


def _failures(capfd, console, inputs, message):
    """Return the lines that failures of inputs make, whose messages a function of their number gives."""
    with console.gathered_notes(inputs):
        for number in range(inputs):
            if fault := message(number):
                console.fail(f"{number}.png", fault)
    return capfd.readouterr().err.splitlines()


def test_few_failures_tell_what_to_do_each(capfd):
    """A failure of one of a few inputs ends with what to do."""
    assert _failures(capfd, Console(), 2, lambda _: "is torn; get it again") == [
        "fdcodec: 0.png: is torn; get it again",
        "fdcodec: 1.png: is torn; get it again",
    ]


def test_many_failures_tell_what_to_do_once(capfd):
    """Each of many inputs that fail has a line with the reason; what to do is told once, at the end, quiet or not."""
    told = _failures(capfd, Console(quiet=True), 9, lambda k: f"row {k} is torn; get it again; or not" if k > 1 else "")
    assert told[:-1] == [f"fdcodec: {k}.png: row {k} is torn" for k in range(2, 9)]
    first = "2.png, 3.png, 4.png, 5.png, 6.png, 7.png, 8.png"
    assert told[-1] == f"fdcodec: 7 inputs: get it again; or not ({first})"


def test_what_to_do_may_differ_in_numbers(capfd):
    """Of advice that differs in numbers one stands for all, and a failure alone has its own."""
    told = _failures(capfd, Console(), 7, lambda k: f"is torn; mend row {k}" if k < 3 else "cut; get it" * (k == 5))
    assert told[-2:] == [
        "fdcodec: 3 inputs: for example, mend row 0 (0.png, 1.png, 2.png)",
        "fdcodec: 5.png: get it",
    ]


@pytest.mark.parametrize("name", ["a; b  0.png", "c; d/; e.png", "a; b/a; b; c.png", "; .png", "a\u00a0b.png"])
def test_what_to_do_is_not_looked_for_in_names(capfd, name):
    """Names of inputs and of outputs are told whole wherever they stand in a message, whatever is in them."""
    console, target = Console(), Path("out; put") / name
    with console.gathered_notes(7):
        console.fail(name, f"{name}: {target} exists; add --force to {target}", paths=[target])
    assert capfd.readouterr().err.splitlines() == [
        f"fdcodec: {name}: {target} exists",
        f"fdcodec: {name}: add --force to {target}",
    ]


@pytest.mark.parametrize("inputs", [1, 7])
def test_names_do_not_break_lines(capfd, inputs):
    """Line breaks and other controls of names are escaped for people, and in JSON the message has the name itself."""
    name = "a\n b\x1b.png"
    for console in (Console(), Console(as_json=True)):
        with console.gathered_notes(inputs):
            console.fail(name, f"{name}.fdc exists; add --force")
    out, err = capfd.readouterr()
    assert json.loads(out) == {"input": name, "error": f"{name}.fdc exists; add --force"}
    assert err.splitlines()[0].startswith(r"fdcodec: a\n b\x1b.png: a\n b\x1b.png.fdc exists")


@pytest.mark.parametrize("inputs", [1, 8])
def test_many_outputs_that_exist_are_told_by_their_names(cli, inputs):
    """A run onto outputs that exist names each as it is called, with one piece of advice."""
    names = [f"a; b  {number}\n.png" for number in range(inputs)]
    for name in names:
        Path(name).write_bytes(Path("a.png").read_bytes())
        Path(name).with_suffix(".fdc").touch()
    result, shown = cli("encode", *names, "--json"), [name.replace("\n", "\\n") for name in names]
    records = [json.loads(line) for line in result.out.splitlines()]
    whole = "{0}.fdc exists; add --force to replace it"
    assert [(record["input"], record["error"]) for record in records] == [
        (name, whole.format(name.removesuffix(".png"))) for name in names
    ]
    reasons = [f"fdcodec: {name}: {name.removesuffix('.png')}.fdc exists" for name in shown]
    assert [line.partition("; add")[0] for line in result.err.splitlines()[:inputs]] == reasons
    assert result.err.count("add --force to replace it") == 1


def test_json_has_the_whole_message_of_each_of_many_failures(cli):
    """Advice is gathered for people; lines for programs keep theirs."""
    for number in range(8):
        Path(f"{number}.fdc").touch()
    result = cli("check", "-r", ".", "--json")
    told = [json.loads(line)["error"] for line in result.out.splitlines()]
    assert len(told) == 8
    assert all("; " in message for message in told)
    assert result.err.count("8 inputs: ") == 1


def test_json_has_the_notes_of_each_of_many_inputs(cli):
    """Notes are gathered for people; lines for programs keep their own."""
    for number in range(8):
        Image.fromarray(noise(8, 8, 1, seed=1)[:, :, 0]).save(f"{number}.gif", comment=b"hello")
    told = [json.loads(line) for line in cli("encode", "-r", ".", "--json", "-e", "1").out.splitlines()]
    assert [facts["notes"] for facts in told if facts["input"] != "a.png"] == [["texts were left out: comment"]] * 8


def test_learning_from_many_images_gathers_notes(cli, monkeypatch):
    """Notes on many images that a class model is learned from are told as those of many encodes."""
    monkeypatch.setattr("fdcodec.api_learn.learn_from", lambda *_: sys.exit(0))
    for number in range(8):
        Image.fromarray(noise(8, 8, 1, seed=1)[:, :, 0]).save(f"{number}.gif", comment=b"hello")
    with pytest.raises(SystemExit):
        cli("learn", "-r", ".", "-o", "new.fdt")
    assert "8 inputs: note: texts were left out: comment (0.gif" in cli("--version").err
