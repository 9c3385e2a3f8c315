"""Sliders for muscles, numbers for cavities and cables, handles for scripted bones."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.app.live.messages import Answer, Ready, Trouble
from vastus.app.live.mover import in_time
from vastus.app.live.pull import Pull, taken, usual_stiffness
from vastus.app.live.solver import LiveSolver, live_solver
from vastus.app.text import label
from vastus.app.web_page import Page
from vastus.inputs import Inputs
from vastus.measure.fields import Fields
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.parts import Drive
from vastus.results.playback import Snapshot, snapshot_of
from vastus.state import State, rest
from vastus.timeloop import Solver

if TYPE_CHECKING:
    import viser

HINT = "Move a slider: the solver follows."
PULL_HINT = "Drag the model with the mouse to pull it; drag beside it to turn the view."
SIZE = 0.25  # of the bone's extent
STILL = (1.0, 0.0, 0.0, 0.0)


RAW = 1e6  # [Pa] where activation is a raw number, the slider's end
PAUSE = 1.0  # [s] without an answer, after which their rate begins anew
LIVE = -1  # the index of a moment that belongs to no frame
Show = Callable[[Snapshot, Mapping[str, float]], None]


class LivePanel:
    """Asks the solver for what the sliders say, and shows each answer when it comes.

    With a solver of motion in time the clock runs until somebody stops it, and what moves can be
    pulled by hand.
    """

    def __init__(
        self,
        page: Page,
        model: Model,
        show: Show,
        solver: Solver | None = None,
        laws: Sequence[Path] = (),
    ) -> None:
        self._page, self._model, self._show = page, model, show
        self._settings, self._laws = solver, laws
        self._still, self._x = rest(model).poses, model.mesh.X
        self.moves, self._running = in_time(solver), True
        self._pull: Pull | None = None
        self._aside = np.zeros(3)  # from the pointer to the middle of what it holds [m]
        self._solver: LiveSolver | None = None
        self._answered: deque[float] = deque(maxlen=10)
        gui = page.server.gui
        self._status = gui.add_markdown(PULL_HINT if self.moves else HINT)
        self._play = gui.add_button("Pause", visible=self.moves)
        self._spring = gui.add_number(
            "Pull [N/m]", usual_stiffness(model), min=0.0, visible=self.moves
        )
        self._row: dict[str, float] = {}
        self._places = gui.add_markdown("", visible=False)
        self._levels, self._forces = [], []
        for muscle in model.muscles:
            most = muscle.limit if math.isfinite(muscle.limit) else RAW
            self._levels.append(
                gui.add_slider(
                    label(muscle.name), min=0.0, max=most, step=0.01 * most, initial_value=0.0
                )
            )
            self._forces.append(gui.add_markdown("", visible=False))
        self._pressures = [
            gui.add_number(f"{label(cavity.name)} [Pa]", cavity.pressure)
            for cavity in model.cavities
        ]
        self._tensions = [
            gui.add_number(f"{label(cable.name)} [N]", cable.tension, min=0.0)
            for cable in model.cables
        ]
        self._bones = [
            BoneHandle(page.server, model, index)
            for index, bone in enumerate(model.bones)
            if bone.drive is Drive.SCRIPTED
        ]
        self._begin = gui.add_button("Start from rest")
        self._relax = gui.add_button("Relax")
        for slider in (*self._levels, *self._pressures, *self._tensions):
            page.when(slider, lambda _: self._ask(), key="ask")
        for bone in self._bones:
            page.when(bone.handle, lambda _: self._ask(), key="ask", event="on_update")
        page.when(self._play, lambda _: self._run(not self._running))
        page.when(self._begin, lambda _: self.start())
        page.when(self._relax, lambda _: self._relaxed())
        self.hold(False)

    def start(self, *, solving: bool = True) -> None:
        """Show the model as it was made, and have the solver ready before the first move.

        A motion in time begins. A model that cannot be solved is only shown.
        """
        state = rest(self._model)
        self._show(moment_of(state, Fields(self._model).lazily(state)), {})
        self.hold(solving)
        if solving and self.moves:
            self._ask()
        elif solving:
            self._ready()

    def drag(self, phase: str, region: str, start: Floats, end: Floats) -> None:
        """Pull a region from a place (3,) to the pointer's (3,) [m], or let go at the end."""
        if phase == "end":
            self._pull = None
        elif phase == "start" or self._pull is None:
            vertices = taken(self._model, self._x, region, start)
            # From the pointer to their middle, so that nothing jumps as it is taken.
            self._aside = self._x[vertices].mean(axis=0) - start
            self._pull = Pull(vertices, end + self._aside, self._spring.value)
        else:
            self._pull = replace(self._pull, place=end + self._aside)
        self._ask()

    def _run(self, running: bool) -> None:
        self._running = running
        self._play.label = "Pause" if running else "Go on"
        self._ask()

    def hold(self, shown: bool) -> None:
        """Show numbers and handles of scripted bones, or not, as when something else is shown."""
        for bone in self._bones:
            bone.handle.visible = shown
        for text in (self._places, *self._forces):
            text.visible = shown and bool(text.content)

    def remove(self) -> None:
        """End the solver, and take the handles out of the picture."""
        self.close()
        for bone in self._bones:
            bone.handle.remove()

    def close(self) -> None:
        """End the solver."""
        if self._solver is not None:
            self._solver.close()
            self._solver = None

    def _relaxed(self) -> None:
        for slider in self._levels:
            slider.value = 0.0
        for pressure, cavity in zip(self._pressures, self._model.cavities, strict=True):
            pressure.value = cavity.pressure
        for tension, cable in zip(self._tensions, self._model.cables, strict=True):
            tension.value = cable.tension
        for bone in self._bones:
            bone.back()
        self._ready().reset()

    def _ready(self) -> LiveSolver:
        self._begin.visible = False
        if self._solver is None:
            self._status.content = "The solver starts ..."
            settings = self._settings or live_solver()
            self._solver = LiveSolver(self._model, settings, laws=self._laws, ring=self._rung)
        return self._solver

    def _ask(self) -> None:
        poses = self._still.copy()
        for bone in self._bones:
            poses[bone.index] = bone.pose
        inputs = Inputs(
            0.0,
            _values(self._levels),
            poses,
            pressures=_values(self._pressures) if self._pressures else None,
            tensions=_values(self._tensions) if self._tensions else None,
        )
        self._ready().ask(inputs, running=self._running, pull=self._pull)

    def _rung(self) -> None:
        self._page.jobs.post(self._collect, key="news")

    def _collect(self) -> None:
        messages = self._solver.answers() if self._solver else []
        # A page that draws more slowly than a motion goes on would lag behind ever more.
        newest = next((m for m in reversed(messages) if isinstance(m, Answer)), None)
        for message in messages:
            if isinstance(message, Trouble):
                self._status.content = "The last good state is shown."
                self._page.complain(message.sentence)
            elif isinstance(message, Ready):
                self._status.content = f"The solver is ready after {message.seconds:.1f} s."
            elif message is newest:
                self._answer(message)

    def _answer(self, answer: Answer) -> None:
        self._x = answer.state.x
        # One on the way may have no forces: the last ones stay until new ones come.
        self._row = {**self._row, **answer.outputs}
        self._show(moment_of(answer.state, answer.fields, answer.point_fields), self._row)
        self._tell_numbers()
        now = time.perf_counter()
        if self._answered and now - self._answered[-1] > PAUSE:
            self._answered.clear()
        self._answered.append(now)
        self._status.content = self._words(answer)

    def _tell_numbers(self) -> None:
        """Say how far joints are turned, and beside each slider how strongly its muscle pulls."""
        self._places.content = "  \n".join(places(self._model, self._row))
        for muscle, force in zip(self._model.muscles, self._forces, strict=True):
            newtons = self._row.get(f"{muscle.name}_force_N")
            force.content = "" if newtons is None else f"{newtons:.1f} N"
        self.hold(True)

    def _words(self, answer: Answer) -> str:
        span = self._answered[-1] - self._answered[0]
        rate = f"{(len(self._answered) - 1) / span:.0f} frames/s, " if span > 0 else ""
        report = answer.report
        if answer.pace is not None:
            held = f"; {self._held(answer.state):.3g} N pull it" if self._pull else ""
            return f"{answer.state.time:.2f} s, {rate}{answer.pace:.2g} of real time{held}"
        if report is None:
            return f"{rate}solving for {answer.seconds:.2f} s ..."
        share = report.residual / report.load if report.load else 0.0
        gauge = f"residual {report.residual:.2g} N, {share:.1g} of the load"
        return f"{rate}solved in {answer.seconds:.2f} s: {gauge}"

    def _held(self, state: State) -> float:
        """The force of the present pull [N]."""
        if self._pull is None:
            return 0.0
        away = state.x[self._pull.vertices].mean(axis=0) - self._pull.place
        return self._pull.stiffness * float(np.linalg.norm(away))


def places(model: Model, row: Mapping[str, float]) -> list[str]:
    """How far each joint is turned and slid from rest, in words."""
    told = []
    for joint in model.joints:
        given = [
            f"{scale * row[f'{joint.name}_{what}']:+.1f}{unit}"
            for what, scale, unit in (("angle_deg", 1.0, "°"), ("shift_m", 1e3, " mm"))
            if f"{joint.name}_{what}" in row
        ]
        if given:
            told.append(f"{label(joint.name)}: {', '.join(given)} from rest")
    return told


def _values(widgets: Sequence[Any]) -> Floats:
    """(k,) what sliders or numbers say."""
    return np.array([widget.value for widget in widgets], float)


def moment_of(
    state: State, fields: Mapping[str, Floats], point_fields: Mapping[str, Floats] | None = None
) -> Snapshot:
    """A state of the solver as what is drawn."""
    still = replace(state, time=0.0)
    return snapshot_of(still, index=LIVE, fields=fields, point_fields=point_fields)


class BoneHandle:
    """Turns and shifts a bone about its middle at rest."""

    def __init__(self, server: viser.ViserServer, model: Model, index: int) -> None:
        self.index = index
        X = model.mesh.X[model.bone_of_vertex == index]
        self._middle = X.mean(axis=0)
        self.handle = server.scene.add_transform_controls(
            f"/handles/{index}",
            scale=SIZE * float(np.ptp(X, axis=0).max()),
            position=tuple(self._middle),
            depth_test=False,
        )

    @property
    def pose(self) -> Floats:
        """(3, 4) the pose [R | t] of the bone: x = R X + t."""
        w, x, y, z = self.handle.wxyz
        R = Rotation.from_quat([x, y, z, w]).as_matrix()
        return np.column_stack([R, np.asarray(self.handle.position) - R @ self._middle])

    def back(self) -> None:
        """Put the bone back where it was modelled."""
        self.handle.wxyz, self.handle.position = STILL, tuple(self._middle)
