"""Words of messages."""

import pytest

from fdcodec import container
from fdcodec.errors import FormatError
from fdcodec.recovery import loss_in_words
from fdcodec.words import counted, first_of


@pytest.mark.parametrize(("number", "words"), [(0, "0 tiles"), (1, "1 tile"), (2, "2 tiles")])
def test_only_one_is_singular(number, words):
    """One thing is named in the singular, none and several in the plural."""
    assert counted(number, "tile") == words


@pytest.mark.parametrize(("lost", "words"), [(1, "1 of 6 tiles is missing"), (2, "2 of 6 tiles are missing")])
def test_verb_goes_with_the_missing(lost, words):
    """The verb is that of the tiles that are missing, not of all."""
    assert words in loss_in_words([(0, 0, 16, 16)] * lost, 6, ())


@pytest.mark.parametrize(("extra", "words"), [(1, "1 byte too many"), (2, "2 bytes too many")])
def test_bytes_after_the_end_are_counted(extra, words):
    """What follows the end of a file is refused with its number, in both forms."""
    for metadata in (container.Metadata(), container.Metadata(icc=b"icc")):
        with pytest.raises(FormatError, match=words):
            container.read(
                container.write(container.File(container.Header(4, 4), [b""], metadata=metadata)) + bytes(extra)
            )


@pytest.mark.parametrize(("number", "last"), [(7, ["7"]), (8, ["2 more"]), (20, ["14 more"])])
def test_the_first_of_many_are_named(number, last):
    """Up to seven things are all named; of more than that six are, and the rest is counted, never a single one."""
    assert first_of([str(each + 1) for each in range(number)]) == [*"123456", *last]
