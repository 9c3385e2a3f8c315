"""Sections 3.3.4 and 4: what a frame of flesh and a second of control cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.control.upper_body.exercises import Breath, curl
from vastus.control.upper_body.recording import Recording
from vastus.control.upper_body.simulation import Simulation
from vastus.files.html import Table, shown
from vastus.flesh.solver import FleshFrame
from vastus.numerics.types import Floats
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.upper_body import paper
from vastus.reproduce.upper_body.body import dynamics_of
from vastus.reproduce.upper_body.tissue.flesh import SPACING, levels_of, upper_solver
from vastus.reproduce.upper_body.tissue.held import activations, flexed, poses_at

FRAMES = (3, 8)
TURN = 1.0 / 10.0  # of the way to flexed arms in a frame: 9 degrees of the elbows
SECONDS = (0.5, 2.0)  # of a curl with breathing


@dataclass(frozen=True, eq=False)
class Costs:
    """Processor seconds of frames of flesh (k,), of so many tets, and of a second of control."""

    frames: Floats
    newton: Floats  # (k,) iterations
    tets: int
    control: float

    @property
    def of_paper(self) -> float:
        """The mean [s] of a frame if it had as many tets as the paper's."""
        return float(self.frames.mean()) * paper.TETS / self.tets


def run(setting: Setting) -> Finding:
    """Solve frames, and control a curl."""
    dynamics, spacing = dynamics_of(), SPACING[setting.full]
    setting.note("building flesh")
    solver = upper_solver(spacing)
    frame, frames = solver.start, []
    for k in range(1, FRAMES[setting.full] + 1):
        setting.note(f"frame {k}")
        frame = _bent(spacing, k * TURN, frame)
        assert frame.report is not None
        frames.append((frame.report.seconds, frame.report.newton))
    setting.note("control")
    exercise = curl(dynamics, seconds=SECONDS[setting.full], masses=(2.0,), breath=Breath())
    control = Recording.of(list(Simulation(dynamics, exercise).frames())).slowness
    seconds, newton = np.array(frames, float).T
    found = Costs(seconds, newton, solver.flesh.mesh.n_tets, control)
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found),
        tables=(_table(found),),
        figure=_drawn(found),
        caption="Processor time of one frame of flesh, beside the paper's on one core of 2009, "
        "and of one second of control.",
    )


def _bent(spacing: float, share: float, start: FleshFrame) -> FleshFrame:
    """The next frame, arms bent and lifted to a share of the way."""
    dynamics = dynamics_of()
    q = flexed(dynamics, share)
    levels = levels_of(activations(dynamics, q, 0.0))
    return upper_solver(spacing).frame(poses_at(dynamics, q), levels, start=start)


def agreement(found: Costs) -> Agreement:
    """Whether frames cost no more than the paper's, also if there were as many tets."""
    return Agreement.of(
        bool(found.frames.max() <= paper.FRAME_SECONDS[1]),
        found.of_paper <= paper.FRAME_SECONDS[1],
    )


def sentence(found: Costs) -> str:
    """What it costs."""
    low, high = paper.FRAME_SECONDS
    return (
        f"A frame of {found.tets:,} tets in which elbows bend by 9 degrees takes "
        f"{found.frames.mean():.1f} s of the processor on the mean ({found.frames.min():.1f} to "
        f"{found.frames.max():.1f} s, {found.newton.mean():.1f} iterations of Newton's method); "
        f"by the number of tets, {paper.TETS:,} of them would take {found.of_paper:.1f} s. The "
        f"paper tells of {low:g} to {high:g} s for {paper.TETS:,} on one core of 2009. Control of "
        f"a second of a curl with breathing takes {found.control:.2f} s; the paper tells nothing "
        "of it."
    )


def _table(found: Costs) -> Table:
    low, high = paper.FRAME_SECONDS
    rows: list[tuple[Any, ...]] = [
        ("a frame of flesh, mean", found.tets, float(found.frames.mean())),
        ("a frame of flesh, most", found.tets, float(found.frames.max())),
        ("a frame of flesh, by the paper's number of tets", paper.TETS, found.of_paper),
        ("paper: a frame of flesh, least", paper.TETS, low),
        ("paper: a frame of flesh, most", paper.TETS, high),
        ("a second of control", None, found.control),
    ]
    return Table("Processor time", ("what", "tets", "s"), rows)


def _drawn(found: Costs) -> Any:
    made, (axes,) = style.figure(1, width=9.0, height=2.8)
    rows = {
        "paper, most": (paper.FRAME_SECONDS[1], style.GREY),
        "paper, least": (paper.FRAME_SECONDS[0], style.GREY),
        "by the paper's tets": (found.of_paper, style.ORANGE),
        "a frame of flesh": (float(found.frames.mean()), style.BLUE),
        "a second of control": (found.control, style.GREEN),
    }
    names = list(rows)[::-1]
    values = [rows[name][0] for name in names]
    axes.barh(names, values, color=[rows[name][1] for name in names], log=True)
    for y, value in enumerate(values):
        axes.annotate(f"{shown(value)} s", (value, y), (4, 0), textcoords="offset points",
                      va="center", fontsize=9)  # fmt: skip
    axes.set_xlim(min(values) / 3, max(values) * 4)
    style.label(axes, "processor time", "s", "")
    return made


EXPERIMENT = Experiment(
    "timing",
    "Section 3.3.4: the cost of a frame",
    "Quasi-static frames of 354,000 tets take 1 to 4 minutes on one core of a 3 GHz Xeon.",
    run,
    (0.5, 2.0),
)
