"""Section 5: what planning and simulation cost, beside the paper's trajectory optimisation."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.bellies.shapes import diamond
from vastus.bellies.volumes import Bellies
from vastus.bodies import Body, juggler
from vastus.control.tendons import OnTendons
from vastus.files.html import Table, shown
from vastus.juggling.juggle import juggle
from vastus.juggling.kinematics import Reach
from vastus.juggling.optimisation import Aim, Optimisation, Swing, held_swing, optimise
from vastus.juggling.result import Result
from vastus.juggling.style import usual_style
from vastus.juggling.timing import launch
from vastus.numerics.least_squares import Stop
from vastus.reproduce import style
from vastus.reproduce.control import paper
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting

SECONDS = (1.8, 6.0)  # of juggling by bellies
ITERATIONS = (2, 12)  # of trajectory optimisation
VALUE = 3  # the throw
NEAR = 0.05  # [m] within which a ball is caught


@dataclass(frozen=True, eq=False)
class Costs:
    """Processor times [s]: of the plan of a throw, of its optimisation, and of juggling a second.

    `landings` [m] are how far from its aim the ball comes down, planned and optimised.
    """

    plan: float
    optimisation: float
    iterations: int
    rollouts: int
    landings: tuple[float, float]
    lines: float
    bellies: float
    by_lines: Result
    by_bellies: Result

    @property
    def throw(self) -> float:
        """[s] the plan of a throw and its share of the simulation, a beat."""
        return self.plan + self.lines * usual_style((VALUE,)).timing.beat


def run(setting: Setting) -> Finding:
    """Time a throw and some seconds of juggling."""
    body = juggler()
    swing = thrown(body)
    plan = _least(swing.planned, 5)
    by_plan = _landing(swing)
    setting.note(f"optimising a throw, at most {ITERATIONS[setting.full]} iterations")
    begun = time.process_time()
    stop = Stop(most=ITERATIONS[setting.full], enough=0.01)
    best = optimise(swing, Optimisation(stop=stop))
    optimisation = time.process_time() - begun
    how, seconds = usual_style((VALUE,)), SECONDS[setting.full]
    setting.note("juggling by lines")
    lines = juggle(body, "3", seconds, how)
    setting.note(f"juggling by {len(body.units)} volumes")
    volumes = juggle(body, "3", seconds, how, law=OnTendons(bellies_of(body), body.slack))
    found = Costs(
        plan, optimisation, best.minimum.iterations, best.rollouts,
        (by_plan, best.landings[-1]), lines.cpu / seconds, volumes.cpu / seconds, lines, volumes,
    )  # fmt: skip
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found),
        tables=(_table(found),),
        figure=_drawn(found),
        caption="Processor time of what brings one throw about. The paper's is of its machine; the "
        "others are of this one.",
    )


def thrown(body: Body) -> Swing:
    """A right hand that rests with a ball where it would catch it, and has to throw a 3."""
    how, reach = usual_style((VALUE,)), Reach(body)
    right, left = (how.places.of(reach, body.arm(name)) for name in ("right", "left"))
    flight = how.timing.flight(VALUE)
    aim = Aim(right[0], launch(right[0], left[1], flight), flight)
    return held_swing(body, aim, how.timing.hold, start=right[1])


def bellies_of(body: Body) -> Bellies:
    """The units of a body as volumes of nine tets each."""
    return Bellies([diamond(unit, width=float(np.sqrt(unit.area))) for unit in body.units])


def _landing(swing: Swing) -> float:
    from vastus.control.rollouts import Rollouts

    with Rollouts(swing.arms.plant, swing.arms.tracker) as rollouts:
        (outcome,) = swing.outcomes(rollouts, [swing.planned()])
    return swing.thrown(outcome).landing


def _least(function: Callable[[], object], runs: int) -> float:
    spent = []
    for _ in range(runs):
        begun = time.process_time()
        function()
        spent.append(time.process_time() - begun)
    return min(spent)


def agreement(found: Costs) -> Agreement:
    """Whether throws come down near their aim by either way, and volumes juggle."""
    return Agreement.of(
        found.landings[0] < NEAR, found.landings[1] < NEAR, found.by_bellies.drops == 0
    )


def sentence(found: Costs) -> str:
    """What a throw costs."""
    least = 60.0 * paper.OPTIMISATIONS[0] * paper.MINUTES[0]
    each = found.optimisation / max(found.iterations, 1)
    r = found.by_bellies
    return (
        f"The plan of a throw, a polynomial in space and the angles that follow it, takes "
        f"{1e3 * found.plan:.0f} ms of the processor, and the ball comes down "
        f"{100 * found.landings[0]:.1f} cm from its aim. By optimisation of a Bezier reference "
        f"over rollouts, with the paper's goal, {found.rollouts} rollouts take "
        f"{found.optimisation:.0f} s ({each:.0f} s for each iteration of {found.iterations}, by "
        f"Gauss and Newton in place of descent) to come to {100 * found.landings[1]:.2f} cm. The "
        f"paper tells of {paper.OPTIMISATIONS[0]} to {paper.OPTIMISATIONS[1]} iterations of "
        f"{paper.MINUTES[0]:g} to {paper.MINUTES[1]:g} minutes, {least / 60:.0f} minutes at least, "
        f"on the machine of its time: {least / found.throw:,.0f} times what plan and simulation of "
        f"a beat take here. A second of juggling costs {found.lines:.1f} s by lines and "
        f"{found.bellies:.1f} s with every muscle a volume of nine tets that is solved at each "
        f"millisecond, with {r.catches} catches and {r.drops} drops."
    )


def _table(found: Costs) -> Table:
    columns = ("what", "CPU [s]", "landing off [cm]", "catches", "drops")
    low = 60.0 * paper.OPTIMISATIONS[0] * paper.MINUTES[0]
    high = 60.0 * paper.OPTIMISATIONS[1] * paper.MINUTES[1]
    a, b = found.by_lines, found.by_bellies
    rows = [
        ("plan of a throw", found.plan, 100 * found.landings[0], None, None),
        (f"optimisation of a throw, {found.iterations} iterations", found.optimisation,
         100 * found.landings[1], None, None),
        ("paper: optimisation of a throw, least", low, None, None, None),
        ("paper: optimisation of a throw, most", high, None, None, None),
        ("a second of juggling, lines", found.lines, 100 * float(a.landings.mean()),
         a.catches, a.drops),
        ("a second of juggling, volumes", found.bellies, 100 * float(b.landings.mean()),
         b.catches, b.drops),
    ]  # fmt: skip
    return Table("What throws and juggling cost", columns, rows)


def _drawn(found: Costs) -> Any:
    made, (axes,) = style.figure(1, width=9.0, height=3.0)
    rows = {
        "paper, at least": (60.0 * paper.OPTIMISATIONS[0] * paper.MINUTES[0], style.GREY),
        "optimisation here": (found.optimisation, style.ORANGE),
        "a second by volumes": (found.bellies, style.VIOLET),
        "a second by lines": (found.lines, style.GREEN),
        "plan of a throw": (found.plan, style.BLUE),
    }
    names = list(rows)[::-1]
    values = [rows[name][0] for name in names]
    axes.barh(names, values, color=[rows[name][1] for name in names], log=True)
    for y, value in enumerate(values):
        axes.annotate(f"{shown(value)} s", (value, y), (4, 0), textcoords="offset points",
                      va="center", fontsize=9)  # fmt: skip
    axes.set_xlim(min(values) / 3, max(values) * 6)
    style.label(axes, "processor time", "s", "")
    return made


EXPERIMENT = Experiment(
    "timing",
    "Section 5: the cost of a throw",
    "Trajectory optimisation by gradient descent with numerical derivatives takes 10 to 20 "
    "iterations of 10 to 15 minutes each. Control and soft bodies run at 200 Hz, rigid bodies at "
    "1000 Hz.",
    run,
    (0.8, 3.0),
)
