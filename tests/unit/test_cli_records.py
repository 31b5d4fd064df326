"""The command line: nothing is passed over, replaced or cut without a word, and the JSON has all that was done."""

import json
import os
import sys
from io import BytesIO, RawIOBase
from pathlib import Path

import pytest
from PIL import Image
from tests.images import noise

import fdcodec
from fdcodec.cli import encode as command
from fdcodec.cli.batch import run_jobs
from fdcodec.cli.console import Console
from fdcodec.cli.jobs import Job
from fdcodec.image.files import replace_file

FAST = ("-q", "5", "-e", "1")


def lines(result):
    """Return the JSON objects of a result."""
    return [json.loads(line) for line in result.out.splitlines()]


class Slow(RawIOBase):
    """A raw stream that takes three bytes at a time, as a pipe without a buffer may."""

    def __init__(self):
        self.taken = BytesIO()

    def writable(self):
        """Say that it can be written."""
        return True

    def write(self, data):
        """Take three bytes."""
        return self.taken.write(bytes(data[:3]))


def test_output_without_a_buffer_is_whole(monkeypatch):
    """All is written where a stream takes a part at a time."""
    stream = Slow()
    monkeypatch.setattr(sys, "stdout", type("Stdout", (), {"buffer": stream}))
    Job(Path("x")).write(b"0123456789")
    assert stream.taken.getvalue() == b"0123456789"


@pytest.mark.parametrize("links", [True, False])
def test_file_that_appears_meanwhile_is_kept(tmp_path, monkeypatch, links):
    """A file that another process wrote during the work is not replaced, on file systems without links either."""
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", lambda *_: (_ for _ in ()).throw(PermissionError(1, "no links")))
    path = tmp_path / "a.fdc"
    replace_file(path, b"first", may_replace=False)
    with pytest.raises(FileExistsError, match="it exists by now; add --force"):
        replace_file(path, b"second", may_replace=False)
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("a.fdc", b"first")]
    replace_file(path, b"third")
    assert path.read_bytes() == b"third"


def test_file_that_appears_during_an_encode_is_kept(cli, monkeypatch):
    """Without --force the check before the work is not the last one."""
    original = command.Pictures.read

    def read(*arguments, **options):
        Path("a.fdc").write_bytes(b"another's")
        return original(*arguments, **options)

    monkeypatch.setattr(command.Pictures, "read", read)
    result = cli("encode", "a.png", *FAST)
    assert (result.code, Path("a.fdc").read_bytes()) == (1, b"another's")
    assert cli("encode", "a.png", *FAST, "--force").code == 0
    assert fdcodec.info("a.fdc")["quality"] == 5


def test_directory_that_cannot_be_written_is_told_first(cli, monkeypatch):
    """Nothing is encoded for a directory that takes no files."""
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    monkeypatch.setattr(command, "_encode", lambda *_, **__: pytest.fail("work was begun"))
    result = cli("encode", "a.png", *FAST)
    assert (result.code, "cannot be written to; name another directory" in result.err) == (1, True)


@pytest.mark.parametrize("name", ["/dev/null", "pipe"])
def test_outputs_that_need_no_place_need_no_directory(cli, monkeypatch, name):
    """Devices and pipes are written to wherever they are."""
    if name == "pipe":
        os.mkfifo(name)
        reader = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert cli("encode", "a.png", "-o", name, *FAST).code == 0
    if name == "pipe":
        assert fdcodec.info(os.read(reader, 1 << 16))["quality"] == 5
        os.close(reader)


def test_files_that_are_left_out_are_counted(cli):
    """Below directories, files of other names are told, with how these end; what macOS adds does not count."""
    Path("in").mkdir()
    for name in ("a.png", "b.heic", "c.HEIC", "README", "._a.png", "d.fdc", "e.a\x1b"):
        Path("in", name).write_bytes(Path("a.png").read_bytes())
    result = cli("encode", "-r", "in", "--out-dir", "out", *FAST)
    assert (result.code, [path.name for path in Path("out").iterdir()]) == (0, ["a.fdc"])
    assert "note: 4 files below directories left out, by suffix: .heic, .a\\x1b, no suffix\n" in result.err
    assert "left out" not in cli("encode", "in/a.png", "--out-dir", "other", *FAST).err


def test_trees_are_walked_once(cli, monkeypatch):
    """One pass over a directory finds the inputs and what is left out."""
    walked, original = [], os.walk
    monkeypatch.setattr(os, "walk", lambda top, **options: walked.append(top) or original(top, **options))
    Path("README").touch()
    assert "note: 1 file below directories left out" in cli("encode", "-r", ".", "--out-dir", "out", *FAST).err
    assert walked == [Path()]


def test_encoded_file_is_read_once(cli, monkeypatch):
    """The record and the note on --lossless are of one parse of the file that was made."""
    read, original = [], fdcodec.container.read
    monkeypatch.setattr("fdcodec.container.read", lambda *data, **options: read.append(0) or original(*data, **options))
    assert cli("encode", "a.png", *FAST).code == 0
    assert len(read) == 1


def test_skipped_inputs_have_a_record(cli):
    """The JSON of a run that goes on has what was there already."""
    Path("b.png").write_bytes(Path("a.png").read_bytes())
    assert cli("encode", "a.png", "--out-dir", "out", *FAST).code == 0
    first, second = lines(cli("encode", "a.png", "b.png", "--out-dir", "out", "--skip-existing", "--json", *FAST))
    assert first == {"input": "a.png", "output": "out/a.fdc", "skipped": True}
    assert (second["input"], "skipped" in second) == ("b.png", False)


def test_what_is_done_before_an_interrupt_is_reported(capfd):
    """Jobs that are finished behind one that is not are in the JSON when the run is broken off."""
    jobs = [Job(Path(name)) for name in "abc"]

    def work(job):
        if job.source.name == "b":
            raise KeyboardInterrupt
        return {"summary": ""}

    def work_ahead(job, finished=[]):  # noqa: B006
        finished.append(job)
        return work(job)

    with pytest.raises(KeyboardInterrupt, match="2 of 3 done"):
        run_jobs(jobs, work_ahead, Console(as_json=True), at_once=3)
    assert {json.loads(line)["input"] for line in capfd.readouterr().out.splitlines()} == {"a", "c"}


@pytest.mark.parametrize(("options", "quality"), [(("-q", "30"), 30), (("--lossless",), None)])
def test_record_says_how_a_file_was_encoded(cli, options, quality):
    """The JSON of an encode has the quality, the class model, and the hash where one is stored."""
    (facts,) = lines(cli("encode", "a.png", "--verify", "--json", *options))
    own = fdcodec.info(Path("a.fdc").read_bytes())
    assert (facts["quality"], facts["lossless"]) == (quality, quality is None)
    assert (facts["transform_name"], facts["pixel_hash"]) == (own["transform_name"], own["pixel_hash"])
    assert facts["pixel_hash"] is not None


def test_tags_of_tiff_are_kept_or_told(cli):
    """The name of a page comes back; other tags that tell of the picture have a note, those of storage none."""
    tags = {285: "page three", 297: (3, 9), 333: "cyan"}
    Image.fromarray(noise(8, 8, 3, seed=1)).save("t.tif", tiffinfo=tags)
    result = cli("encode", "t.tif", "--lossless")
    assert "t.tif: note: tags were left out: 297 PageNumber, 333 InkNames\n" in result.err
    assert cli("decode", "t.fdc", "back.tif").code == 0
    with Image.open("back.tif") as back:
        assert back.tag_v2[285] == "page three"
