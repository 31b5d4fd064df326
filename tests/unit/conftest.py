"""Fixtures of the command line's tests."""

import errno
import os
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.images import PNG

from fdcodec import api_learn
from fdcodec.cli.main import run


class Result(NamedTuple):
    """What a run of the command line gave."""

    code: int
    out: bytes
    err: str


@pytest.fixture
def cli(tmp_path, monkeypatch, capfdbinary):
    """Return a function that runs a command line in an empty directory that holds one image, a.png."""
    monkeypatch.chdir(tmp_path)
    Path("a.png").write_bytes(PNG)

    def call(*arguments: str, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(stdin)))
        code = run(arguments)
        out, err = capfdbinary.readouterr()
        return Result(code, out, err.decode())

    return call


@pytest.fixture
def encoded(cli):
    """Return the bytes of a.fdc, which is made from a.png."""
    assert cli("encode", "a.png").code == 0
    return Path("a.fdc").read_bytes()


@pytest.fixture
def locked(monkeypatch):
    """Let no directory called `locked` be read, also by root."""
    scandir = os.scandir

    def refusing(path):
        if os.fspath(path).endswith("locked"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)


@pytest.fixture
def learned_from(monkeypatch):
    """Return what `learn` keeps of images, and learn nothing."""
    given = []

    def learn_from(images, *options):
        given.extend(image.middle for image in images)
        raise KeyboardInterrupt

    monkeypatch.setattr(api_learn, "learn_from", learn_from)
    return given
