"""A second result: the nearest frame in time, its distance, and where it stands."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("viser", reason="the pages need viser")

from builders import pair
from moments import StillPlayback, moment
from vastus.app.look import ColourBy, Look
from vastus.app.view.compare import Arrangement, Comparison, breadth
from vastus.app.view.timeline import CachedPlayback
from vastus.model import Model
from vastus.results.playback import Snapshot
from visited import Visited


class Lifted(StillPlayback):
    """A playback of a model that has risen by 1 mm a frame."""

    def __getitem__(self, index: int, /) -> Snapshot:
        rest = super().__getitem__(index)
        lift = np.array([0.0, 0.0, 1e-3 * index])
        return moment(self.model, index, rest.time, x=rest.x + lift)


@pytest.fixture
def page() -> Iterator[Visited]:
    with Visited() as made:
        yield made


def test_the_other_is_shown_at_the_nearest_time_with_its_distance(
    page: Visited, bar_model: Model
) -> None:
    first = CachedPlayback(StillPlayback(bar_model, np.array([0.0, 0.5, 1.0])))
    other = CachedPlayback(Lifted(bar_model, np.linspace(0, 1.2, 13)))
    compare = Comparison(page, first, other, lambda: None)
    assert compare.same_mesh
    told = compare.draw(
        first[1], Look(colour_by=ColourBy.DISTANCE, limits={ColourBy.DISTANCE: (0, 1)})
    )
    np.testing.assert_allclose(told.fields["distance"], 5e-3)
    np.testing.assert_allclose(compare.draw(first[2], Look()).fields["distance"], 10e-3)
    low, high = compare.limits
    assert low < high
    assert high == pytest.approx(10e-3, rel=0.1)


def test_a_shorter_result_stays_at_its_end(page: Visited, bar_model: Model) -> None:
    first = CachedPlayback(StillPlayback(bar_model, np.linspace(0, 9, 10)))
    other = CachedPlayback(Lifted(bar_model, np.array([0.0])))
    compare = Comparison(page, first, other, lambda: None)
    np.testing.assert_allclose(compare.draw(first[9], Look()).fields["distance"], 0.0)


def test_other_meshes_are_drawn_without_a_distance(page: Visited, bar_model: Model) -> None:
    first, other = (
        CachedPlayback(StillPlayback(bar_model, np.arange(3))),
        CachedPlayback(StillPlayback(pair(), np.arange(2))),
    )
    compare = Comparison(page, first, other, lambda: None)
    assert not compare.same_mesh
    now = first[2]
    hidden = Look(hidden=frozenset({"belly"}), isolated=frozenset({"tip"}))
    assert compare.draw(now, hidden) is now
    assert compare.draw(now, Look()) is now


def test_side_by_side_they_do_not_overlap_and_overlaid_they_do(
    page: Visited, bar_model: Model
) -> None:
    drawn: list[bool] = []
    first = CachedPlayback(StillPlayback(bar_model, np.arange(2)))
    compare = Comparison(
        page, first, CachedPlayback(StillPlayback(bar_model, np.arange(2))), lambda: drawn.append(1)
    )
    assert np.linalg.norm(compare.apart) > 0.05
    page.do("Second result", Arrangement.OVER)
    assert drawn == [True]
    assert not compare.apart.any()
    assert not compare._figure.offset.any()


def test_the_breadth_is_level_and_as_far_as_the_model_reaches(bar_model: Model) -> None:
    across = breadth(bar_model, bar_model.mesh.X)
    assert across[2] == 0.0
    length = np.linalg.norm(across)
    assert length == pytest.approx(np.ptp(bar_model.mesh.X @ (across / length)))
    assert 0.06 < length < 0.09
