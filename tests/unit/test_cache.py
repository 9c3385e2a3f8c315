"""Results kept on disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from vastus import cache
from vastus.cache import Store, digest
from vastus.model import Model

CALLS = []


@dataclass(frozen=True, eq=False)
class Pair:
    one: np.ndarray
    other: float


def doubled(pair: Pair, *, times: int = 2) -> Pair:
    CALLS.append(pair)
    return Pair(times * pair.one, times * pair.other)


@pytest.fixture(autouse=True)
def _no_calls() -> None:
    CALLS.clear()


def test_a_result_is_computed_once(tmp_path: Path) -> None:
    pair = Pair(np.arange(3.0), 1.5)
    first, found = Store(tmp_path).kept(doubled, pair)
    again, found_again = Store(tmp_path).kept(doubled, Pair(np.arange(3.0), 1.5))
    assert (found, found_again, len(CALLS)) == (False, True, 1)
    np.testing.assert_array_equal(first.one, again.one)
    assert first.other == again.other


@pytest.mark.parametrize(
    ("pair", "times"), [(Pair(np.arange(3), 1.5), 2), (Pair(np.arange(3.0), 1.5), 3)]
)
def test_other_inputs_are_computed_anew(tmp_path: Path, pair: Pair, times: int) -> None:
    store = Store(tmp_path)
    store.kept(doubled, Pair(np.arange(3.0), 1.5))
    assert not store.kept(doubled, pair, times=times)[1]


def test_a_damaged_file_is_computed_anew(tmp_path: Path) -> None:
    store, pair = Store(tmp_path), Pair(np.arange(3.0), 1.5)
    store.kept(doubled, pair)
    (file,) = tmp_path.glob("*.pickle")
    file.write_bytes(file.read_bytes()[:10])
    assert not store.kept(doubled, pair)[1]
    assert store.kept(doubled, pair)[1]


def test_a_folder_that_cannot_be_written_only_costs_time(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store, pair = Store(tmp_path / "file" / "below"), Pair(np.arange(3.0), 1.5)
    assert store.kept(doubled, pair)[0].other == 3.0
    assert not store.kept(doubled, pair)[1]


def test_the_oldest_results_go_when_there_is_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MOST", 3000)
    store = Store(tmp_path)
    for k in range(4):
        store.kept(doubled, Pair(np.arange(128.0) + k, 0.0))
    assert len(list(tmp_path.glob("*.pickle"))) == 2


def test_a_result_that_was_not_kept_is_none(tmp_path: Path) -> None:
    store, pair = Store(tmp_path), Pair(np.arange(3.0), 1.5)
    assert store.recall(doubled, pair) is None
    assert not CALLS
    store.kept(doubled, pair)
    found = store.recall(doubled, pair)
    assert found is not None
    assert found.other == 3.0


def test_other_code_is_another_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = Pair(np.arange(3.0), 1.5)
    Store(tmp_path).kept(doubled, pair)
    assert not Store(tmp_path, ("solvers",)).kept(doubled, pair)[1]
    monkeypatch.setattr(cache, "sources", lambda *folders: "edited")
    assert not Store(tmp_path).kept(doubled, pair)[1]


@dataclass(frozen=True, eq=False)
class Named:
    digest: str
    load: object = None  # has no digest, and needs none


def length(named: Named) -> int:
    CALLS.append(named)
    return len(named.digest)


def test_a_value_that_knows_its_digest_is_told_by_it(tmp_path: Path, bar_model: Model) -> None:
    store = Store(tmp_path)
    assert store.kept(length, Named("one", object())) == (3, False)
    assert store.kept(length, Named("one", object())) == (3, True)
    assert store.kept(length, Named("three")) == (5, False)
    assert digest(bar_model) == digest(bar_model.with_()) != digest(bar_model.with_(name="rod"))


def test_digests_tell_values_apart_but_not_copies() -> None:
    values = [1, 1.0, "1", (1,), [1, 2], {"a": 1}, np.ones(1), Pair(np.ones(2), 1.0), None, True]
    assert len({digest(value) for value in values}) == len(values)
    assert digest(Pair(np.ones(2), 1.0)) == digest(Pair(np.ones(2), 1.0))
    with pytest.raises(TypeError, match="has no digest"):
        digest(object())
