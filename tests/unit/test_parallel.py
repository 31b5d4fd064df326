"""Work in threads: results in order, no more at a time than asked."""

from threading import Barrier, Lock
from time import sleep

import pytest

from fdcodec.parallel import each, usable_processors


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 7])
def test_results_come_in_order(threads, count):
    """However many threads there are, results have the order of their items."""
    assert list(each(lambda item: item * item, range(count), threads)) == [item * item for item in range(count)]


def test_threads_work_at_a_time():
    """Two items are worked on at the same time by two threads: each waits for the other."""
    barrier = Barrier(2, timeout=20)
    assert sorted(each(lambda item: barrier.wait(), range(2), 2)) == [0, 1]


def test_no_more_than_asked_at_a_time():
    """Of nine items never more than three are in work."""
    lock, now, most = Lock(), 0, 0

    def work(item):
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        sleep(0.01)
        with lock:
            now -= 1

    list(each(work, range(9), 3))
    assert most == 3


@pytest.mark.parametrize("threads", [1, 2])
def test_failure_is_raised_where_its_result_would_be(threads):
    """Results before a failure come; then it is raised."""
    results = each(lambda item: 1 // item, [1, 1, 0, 1], threads)
    assert [next(results), next(results)] == [1, 1]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_one_thread_works_as_results_are_asked_for():
    """Without threads an item is worked on when its result is taken, not before."""
    begun = []
    results = each(begun.append, "ab", 1)
    next(results)
    assert begun == ["a"]


def test_there_is_a_processor():
    """At least one processor may be used."""
    assert usable_processors() >= 1


@pytest.mark.parametrize(("ahead", "begun"), [(None, 9), (3, 4), (1, 2)])
def test_no_more_is_begun_than_asked_ahead(ahead, begun):
    """Once the first result is taken, `ahead` items more than that one are begun, or all where there is no bound."""
    taken = []
    results = each(lambda item: item, (taken.append(item) or item for item in range(9)), 2, ahead)
    next(results)
    assert len(taken) == begun
    assert list(results) == list(range(1, 9))
