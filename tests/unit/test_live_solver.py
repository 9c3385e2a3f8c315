"""The solver of live mode: what it follows, what it tells, and what it leaves behind."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

from patience import Deadline, patience, until
from vastus import shapes
from vastus.app.live import follower as following
from vastus.app.live.follower import Follower
from vastus.app.live.messages import Answer, Message, Question, Ready, Trouble
from vastus.app.live.solver import LiveSolver, live_solver
from vastus.errors import ModelError
from vastus.inputs import Inputs
from vastus.materials import law
from vastus.measure import fields
from vastus.measure.outputs import joint_columns
from vastus.model import Model
from vastus.parts import Contact, ContactKind, Drive, Tissue
from vastus.schedules import from_arrays
from vastus.solvers.newton import Newton, length
from vastus.state import rest

PATIENCE = 60.0  # [s] on a quiet machine


@pytest.fixture(scope="module")
def elbow() -> Model:
    return shapes.elbow(tets=1_000)


def levels(model: Model, **activation: float) -> Inputs:
    at = {name: np.array([level]) for name, level in activation.items()}
    return from_arrays(model, np.zeros(1), at)[0]


class Told(list[Message]):
    """What a follower has told."""

    @property
    def last(self) -> Answer:
        assert isinstance(self[-1], Answer)
        return self[-1]


def follower(model: Model, told: Told, newer: Callable[[], bool] = lambda: False) -> Follower:
    return Follower(model, live_solver(), newer, told.append)


def test_an_answer_holds_state_fields_outputs_and_report(elbow: Model) -> None:
    told = Told()
    follower(elbow, told).answer(Question(7, levels(elbow, biceps=0.3), 0))
    assert told.last.number == 7
    assert told.last.final
    assert told.last.report.residual <= 1e-4 * told.last.report.load
    assert {"activation", "fibre_stretch", "von_mises", "volume_ratio"} < set(told.last.fields)
    assert {len(field) for field in told.last.fields.values()} == {elbow.mesh.n_tets}
    assert told.last.point_fields == {}
    assert told.last.outputs["biceps_activation"] == 0.3
    assert told.last.outputs["elbow_angle_deg"] > 5.0


def test_an_answer_holds_the_contact_of_its_state(elbow: Model) -> None:
    model, told = elbow.with_(contact=Contact(muscles=ContactKind.NONE)), Told()
    follower(model, told).answer(Question(1, levels(model, triceps=0.2), 0))
    force = told.last.point_fields["contact_force"]
    own = np.unique(model.mesh.T[model.muscle_of_tet == model.muscle("triceps")])
    size = float(np.linalg.norm(force[own].sum(axis=0)))
    assert size == pytest.approx(told.last.outputs["triceps_humerus_contact_N"])
    assert size > 1
    assert told.last.point_fields["contact_pressure"].max() > 0


def test_a_followed_answer_equals_one_from_rest_far_below_what_is_seen(elbow: Model) -> None:
    told = Told()
    warm = follower(elbow, told)
    for number, level in enumerate((0.1, 0.5, 1.0, 0.4)):
        warm.answer(Question(number, levels(elbow, biceps=level, triceps=0.1), 0))
    exact, _ = Newton(1e-8).prepare(elbow).step(rest(elbow), Inputs.of(told.last.state))
    off = np.linalg.norm(told.last.state.x - exact.x, axis=1).max()
    assert off < 1e-4 * length(elbow)


def test_a_stale_solve_is_given_up_and_the_next_goes_on_from_there(
    elbow: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "PREVIEW", np.inf)
    told = Told()
    looks = iter([False, False, True])
    one = follower(elbow, told, lambda: next(looks, False))
    one.answer(Question(1, levels(elbow, biceps=1.0), 0))
    assert told == []
    one.answer(Question(2, levels(elbow, biceps=1.0), 0))
    cold = Told()
    follower(elbow, cold).answer(Question(1, levels(elbow, biceps=1.0), 0))
    assert told.last.number == 2
    assert told.last.report.iterations < cold.last.report.iterations
    np.testing.assert_allclose(told.last.state.x, cold.last.state.x, atol=1e-4 * length(elbow))


def test_states_on_the_way_are_shown(elbow: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "PREVIEW", 0.0)
    told = Told()
    follower(elbow, told).answer(Question(1, levels(elbow, biceps=1.0), 0))
    assert len(told) > 3
    assert [news.final for news in told] == [False] * (len(told) - 1) + [True]
    assert told[0].outputs["inverted"] == 0


def test_one_back_solve_leads_most_of_a_short_way(elbow: Model) -> None:
    told = Told()
    one = follower(elbow, told)
    for number, level in enumerate((0.1, 0.3, 0.31)):
        one.answer(Question(number, levels(elbow, biceps=level), 0))
    before, count = told.last.state.x, len(told)
    one.answer(Question(9, levels(elbow, biceps=0.33), 0))
    first = told[count]
    assert isinstance(first, Answer)
    assert not first.final
    assert first.number == 9
    assert first.outputs.keys() == joint_columns(elbow, first.state).keys()
    left = np.linalg.norm(first.state.x - told.last.state.x, axis=1).max()
    assert left < 0.2 * np.linalg.norm(before - told.last.state.x, axis=1).max()
    assert told.last.outputs["elbow_angle_deg"] == pytest.approx(
        first.outputs["elbow_angle_deg"], abs=0.5
    )


def test_nothing_is_shown_ahead_where_nothing_has_changed(elbow: Model) -> None:
    told = Told()
    one = follower(elbow, told)
    for number in range(2):
        one.answer(Question(number, levels(elbow, biceps=0.2), 0))
    assert [news.number for news in told if isinstance(news, Answer)][-1] == 1
    assert told[-1].final
    assert told[-2].final or told[-2].number == 0


def test_fields_are_found_when_they_are_shown(
    elbow: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(fields, "von_mises", lambda stress: asked.append(stress) or stress[:, 0, 0])
    told = Told()
    follower(elbow, told).answer(Question(1, levels(elbow, biceps=0.2), 0))
    assert asked == []
    assert "von_mises" in told.last.fields
    assert asked == []
    assert len(told.last.fields["von_mises"]) == elbow.mesh.n_tets
    assert told.last.fields["von_mises"] is told.last.fields["von_mises"]
    assert len(asked) == 1
    assert pickle.loads(pickle.dumps(told.last)).fields == {}


def test_a_reset_begins_at_rest(elbow: Model) -> None:
    told = Told()
    one = follower(elbow, told)
    one.answer(Question(1, levels(elbow, biceps=1.0), 0))
    one.answer(Question(2, Inputs.rest(elbow), 2))
    fresh = Told()
    follower(elbow, fresh).answer(Question(1, Inputs.rest(elbow), 0))
    assert np.array_equal(told.last.state.x, fresh.last.state.x)


def test_laws_that_no_other_process_could_find_are_refused(elbow: Model) -> None:
    @law
    def live_local(F, mu=2e4):
        return mu * (F[0, 0] - 1) ** 2

    regions = tuple(
        region if region.tissue is Tissue.BONE else replace(region, laws=(live_local(),))
        for region in elbow.regions
    )
    with pytest.raises(ModelError, match="at the top of a file"):
        LiveSolver(elbow.with_(regions=regions, volume="tet"))


def test_no_equilibrium_is_one_sentence_and_keeps_the_last_state() -> None:
    bones = {"upper": Drive.PINNED, "lower": Drive.SCRIPTED}
    model = shapes.fusiform(tets=1_100)
    model = model.with_(bones=tuple(replace(b, drive=bones[b.name]) for b in model.bones))
    told = Told()
    one = Follower(model, replace(live_solver(), max_iterations=6), lambda: False, told.append)
    one.answer(Question(1, Inputs.rest(model), 0))
    good = told.last.state
    far = np.column_stack([np.eye(3), [0.0, 0.0, 40.0]])
    one.answer(Question(2, from_arrays(model, np.zeros(1), {}, poses={"lower": far[None]})[0], 0))
    trouble = told[-1]
    assert isinstance(trouble, Trouble)
    assert trouble.number == 2
    assert trouble.sentence.startswith("no equilibrium")
    assert "\n" not in trouble.sentence
    one.answer(Question(3, Inputs.rest(model), 0))
    np.testing.assert_allclose(told.last.state.x, good.x, atol=1e-9)


def test_a_scripted_bone_is_followed() -> None:
    model = shapes.fusiform(tets=1_100)
    model = model.with_(
        bones=tuple(
            replace(b, drive=Drive.SCRIPTED) if b.name == "lower" else b for b in model.bones
        )
    )
    pulled = np.column_stack([np.eye(3), [0.0, 0.0, -0.01]])
    told = Told()
    inputs = from_arrays(model, np.zeros(1), {}, poses={"lower": pulled[None]})[0]
    follower(model, told).answer(Question(1, inputs, 0))
    assert np.array_equal(told.last.state.poses[model.bone("lower")], pulled)
    assert told.last.outputs["belly_on_lower_N"] > 1.0


class Page:
    """What a page does with a live solver."""

    def __init__(self, model: Model) -> None:
        self._rung = Event()
        self.heard: list[Message] = []
        self.live = LiveSolver(model, threads=1, ring=self._rung.set)

    def until(self, wanted: Callable[[Message], bool]) -> Message:
        """The first news of a kind."""
        deadline = Deadline(PATIENCE)
        while not deadline.over:
            self._rung.wait(0.5)
            self._rung.clear()
            arrived = self.live.answers()
            self.heard += arrived
            found = [news for news in arrived if wanted(news)]
            if found:
                return found[0]
        raise AssertionError(f"nothing came; heard {self.heard}")

    def answered(self, number: int) -> Answer:
        """The equilibrium of a question."""
        news = self.until(lambda n: isinstance(n, Answer) and n.final and n.number == number)
        assert isinstance(news, Answer)
        return news


@pytest.fixture(scope="module")
def page(elbow: Model) -> Iterator[Page]:
    """A page whose solver is used by the tests below, one after the other."""
    made = Page(elbow)
    yield made
    made.live.close()


def test_of_a_burst_the_last_question_is_answered_and_few_others(page: Page, elbow: Model) -> None:
    asks = [page.live.ask(levels(elbow, biceps=k / 50)) for k in range(1, 51)]
    assert page.answered(asks[-1]).state.activation[0] == 1.0
    assert isinstance(page.heard[0], Ready)
    assert sum(isinstance(news, Answer) and news.final for news in page.heard) <= 10


def test_asking_never_waits_for_the_solver(page: Page, elbow: Model) -> None:
    numbers: list[int] = []

    def drag() -> None:
        for k in range(2_000):  # more than any pipe holds
            numbers.append(page.live.ask(levels(elbow, biceps=k / 2_000)))

    os.kill(page.live.pid, signal.SIGSTOP)  # a solver that reads nothing
    asking = Thread(target=drag, daemon=True)
    asking.start()
    asking.join(patience(PATIENCE))
    os.kill(page.live.pid, signal.SIGCONT)
    assert not asking.is_alive()
    page.answered(numbers[-1])


def test_a_killed_process_is_told_and_the_next_question_starts_another(
    page: Page, elbow: Model
) -> None:
    former = page.answered(page.live.ask(levels(elbow, biceps=0.5)))
    os.kill(page.live.pid, signal.SIGKILL)
    trouble = page.until(lambda news: isinstance(news, Trouble))
    assert trouble == Trouble(
        None,
        "the solver's process died (SIGKILL); "
        "the next move starts a new one from the last equilibrium",
    )
    answer = page.answered(page.live.ask(levels(elbow, biceps=0.5)))
    assert answer.report.iterations == 0
    assert np.array_equal(answer.state.x, former.state.x)


def test_a_reset_goes_back_to_rest(page: Page, elbow: Model) -> None:
    answer = page.answered(page.live.reset())
    assert not answer.state.activation.any()


@pytest.mark.parametrize("shape", [(1,), (3,)])
def test_inputs_that_do_not_fit_are_refused(page: Page, elbow: Model, shape: tuple[int]) -> None:
    poses = Inputs.rest(elbow).poses
    with pytest.raises(ModelError, match="the activation has shape"):
        page.live.ask(Inputs(0.0, np.zeros(shape), poses))
    with pytest.raises(ModelError, match="finite"):
        page.live.ask(Inputs(0.0, np.full(2, np.nan), poses))


def test_a_closed_solver_leaves_no_process(page: Page, elbow: Model) -> None:
    pid = page.live.pid
    page.live.close()
    assert not alive(pid)
    assert not any(isinstance(news, Trouble) for news in page.live.answers())
    with pytest.raises(ModelError, match="closed"):
        page.live.ask(Inputs.rest(elbow))


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.exists() and ") Z" in stat.read_text())


PARENT = """
    import os, signal
    from vastus import shapes
    from vastus.app.live.solver import LiveSolver

    if __name__ == "__main__":
        live = LiveSolver(shapes.fusiform(tets=1_100), threads=1)
        print(live.pid, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_page_that_is_killed_leaves_no_orphan(tmp_path: Path) -> None:
    script = tmp_path / "page.py"
    script.write_text(textwrap.dedent(PARENT))
    command = [sys.executable, script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=patience(PATIENCE))
    assert until(lambda: not alive(int(done.stdout)), PATIENCE)


def test_laws_that_cannot_be_loaded_are_one_sentence(elbow: Model, tmp_path: Path) -> None:
    live = LiveSolver(elbow, laws=[tmp_path / "none.py"], threads=1)
    news: list[Message] = []
    assert until(lambda: bool(news.extend(live.answers()) or news), PATIENCE)
    live.close()
    assert len(news) == 1
    assert "there is no file" in news[0].sentence
