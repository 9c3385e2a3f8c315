"""Fig. 4: a torus bounces on a floor, by explicit finite volumes and by implicit steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vastus.contact.floor import FloorContact
from vastus.energies.inertia import Masses
from vastus.files.html import Table
from vastus.geometry.tetmesh import together
from vastus.inputs import Inputs
from vastus.materials import StVenantKirchhoff
from vastus.model import Model
from vastus.modelling.shapes import torus
from vastus.modelling.shapes.simple import box
from vastus.modelling.tissues import bone_region
from vastus.numerics.minimise import Watch
from vastus.numerics.types import Floats
from vastus.parts import Bone, Drive, Floor
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Film, Finding, Setting
from vastus.reproduce.style import times
from vastus.solvers.motion.dynamic import Dynamic
from vastus.solvers.motion.explicit import Explicit
from vastus.solvers.motion.integrators import Scheme
from vastus.solvers.problem import Configuration, Equilibrium, Problem, Reduction
from vastus.state import Report, State, rest
from vastus.timeloop import simulate

TETS = (1_000, 8_000)
SECONDS, FRAMES = 0.32, 64
YOUNG, POISSON = 6e4, 0.3
# A soft floor, and half of the stable step: where contact sets in hard, energy is not kept.
FLOOR, COURANT = Floor(gap=5e-3, pressure=1e4), 0.5
DAMPED = 5e-3  # [s] of viscosity, times the shear modulus
EXPLICIT, STRONG = "explicit", "explicit, strongly damped"
EULER, BDF2 = "implicit Euler, 2 ms", "BDF2, 2 ms"
SOLVERS: dict[str, Any] = {  # solvers, whose steps are never of any length
    EXPLICIT: Explicit(courant=COURANT),
    STRONG: Explicit(courant=COURANT, viscosity=DAMPED),
    EULER: Dynamic(Scheme.EULER, 2e-3, tolerance=1e-6),
    BDF2: Dynamic(Scheme.BDF2, 2e-3, tolerance=1e-6),
}
COLOURS = dict(zip(SOLVERS, (style.RED, style.ORANGE, style.BLUE, style.GREEN), strict=True))
SHOWN = (0, 20, 29, 38, 50, 64)  # frames of the strip
LYING = 0.015  # [m] height of the centre at rest on the floor
FROM = (0.35, -1.0, 0.25)  # the direction to the camera
LIVELY = 0.02  # of the energy, by which that of an explicit motion may change


@dataclass(frozen=True, eq=False)
class Fall:
    """A motion: its states, heights (k,) [m] of the centre, energies (k,) [J] over lying still."""

    name: str
    states: tuple[State, ...]
    height: Floats
    energy: Floats
    lowest: float  # [m] of any vertex
    steps: int
    seconds: float

    @property
    def kept(self) -> float:
        """The part of the energy that is left in the end."""
        return float(self.energy[-1] / self.energy[0])

    @property
    def rebound(self) -> float:
        """How high the centre rises after it was lowest for the first time [m]."""
        low = int(np.flatnonzero(np.diff(self.height) > 0)[0])
        return float(self.height[low:].max() - self.height[low])


def run(setting: Setting) -> Finding:
    """Drop the torus by all solvers."""
    law = StVenantKirchhoff(YOUNG, POISSON)
    model = torus(TETS[setting.full], height=0.11, tilt=25.0)
    model = model.with_(regions=(replace(model.regions[0], laws=(law,)),), floor=FLOOR)
    setting.note(f"{model.mesh.n_tets} tets")
    found = {name: fallen(model, name) for name in SOLVERS}
    shown = [_filmed(model, found[name].states) for name in (EXPLICIT, EULER)]
    both = [np.concatenate(pair, axis=1) for pair in zip(*shown, strict=True)]
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found),
        tables=(_table(found),),
        figure=_drawn(found, shown),
        caption="The explicit motion (above) and that by implicit Euler steps (below) at the same "
        "times, then the height of the centre and the energy of all four over time. In the film, "
        "explicit left, implicit Euler right, at a fifth of the speed.",
        solvers=SOLVERS,
        film=Film(both, FRAMES / SECONDS / 5),
    )


def fallen(model: Model, name: str) -> Fall:
    """The motion of the model from rest."""
    inputs = [Inputs.rest(model, t) for t in np.linspace(0, SECONDS, FRAMES + 1)]
    tally = Tally(SOLVERS[name])
    states = tuple(f.state for f in simulate(model, tally, inputs, measured=False))
    problem, masses = Problem(model, Reduction()), Masses.of(model)
    floor = next(e for e in problem.energies if isinstance(e, FloorContact))
    objective, weights = Equilibrium(problem, Inputs.rest(model)), masses.tissue
    none = np.zeros((0, 3, 4))
    potential = [objective.value(Configuration(problem, s.x, s.poses)) for s in states]
    kinetic = [masses.energy(s.v, none) for s in states]
    height = np.array([float(weights @ s.x[:, 2] / weights.sum()) for s in states])
    ground = float(weights.sum()) * 9.81 * (height[0] - LYING)
    return Fall(
        name,
        states,
        height,
        np.array(potential) - potential[0] + np.array(kinetic) + ground,
        min(float(floor.heights(s.x).min()) for s in states),
        tally.steps,
        tally.seconds,
    )


class Tally:
    """A solver that counts its steps, of which a frame has several, and adds up their time [s]."""

    def __init__(self, solver: Any) -> None:
        self._solver, self.steps, self.seconds = solver, 0, 0.0
        self.dt: float | None = None

    def prepare(self, model: Model) -> Tally:
        """The solver made ready."""
        self._stepper = self._solver.prepare(model)
        self.dt = self._stepper.dt
        return self

    def begin(self, state: State) -> State:
        """As the solver's."""
        return self._stepper.begin(state)

    def step(
        self, state: State, inputs: Inputs, watch: Watch | None = None
    ) -> tuple[State, Report]:
        """As the solver's."""
        state, report = self._stepper.step(state, inputs, watch)
        self.steps, self.seconds = self.steps + report.substeps, self.seconds + report.seconds
        return state, report


def agreement(found: dict[str, Fall]) -> Agreement:
    """Whether it bounces, nothing passes the floor, and only implicit steps eat the energy."""
    explicit, euler = found[EXPLICIT], found[EULER]
    return Agreement.of(
        all(fall.lowest > 0 for fall in found.values()) and explicit.rebound > 0.01,
        float(np.abs(explicit.energy / explicit.energy[0] - 1).max()) < LIVELY,
        euler.kept < found[BDF2].kept < 1 - LIVELY,
        found[STRONG].steps < 1.5 * explicit.steps,
    )


def sentence(found: dict[str, Fall]) -> str:
    """What the motions say."""
    explicit, strong, euler, bdf2 = (found[name] for name in (EXPLICIT, STRONG, EULER, BDF2))
    return (
        f"Explicit finite volumes keep {explicit.kept:.0%} of the energy in {SECONDS:g} s and "
        f"through the bounce, after which the centre rises by {1e3 * explicit.rebound:.0f} mm; "
        f"implicit Euler steps of 2 ms keep {euler.kept:.0%} ({1e3 * euler.rebound:.0f} mm) and "
        f"BDF2 {bdf2.kept:.0%} ({1e3 * bdf2.rebound:.0f} mm). No vertex comes nearer to the floor "
        f"than {1e3 * min(f.lowest for f in found.values()):.2f} mm. Implicit damping of "
        f"{1e3 * DAMPED:g} ms leaves {strong.kept:.0%} and shortens no step: {strong.steps:,} "
        f"instead of {explicit.steps:,}. The explicit motion took "
        f"{times(explicit.seconds / bdf2.seconds)} the time of BDF2."
    )


def _table(found: dict[str, Fall]) -> Table:
    columns = (
        "motion",
        "steps",
        "seconds",
        "energy left [%]",
        "rebound [mm]",
        "nearest to the floor [mm]",
    )
    rows = [
        (f.name, f.steps, f.seconds, 100 * f.kept, 1e3 * f.rebound, 1e3 * f.lowest)
        for f in found.values()
    ]
    return Table("A torus on a floor", columns, rows)


def _filmed(model: Model, states: Sequence[State]) -> list[Image]:
    """Pictures of the motion over a slab that shows where the floor is."""
    slab = box((1, 1, 1), (0.22, 0.2, 0.004))
    slab = replace(slab, X=slab.X - slab.X.mean(axis=0) - np.array([0.0, 0.0, 0.002]))
    stage = Model(
        together(model.mesh, slab),
        np.concatenate([model.region, np.ones(slab.n_tets, np.int64)]),
        (*model.regions, bone_region("floor")),
        np.zeros((model.mesh.n_tets + slab.n_tets, 3)),
        bones=(Bone("floor", ("floor",), Drive.PINNED),),
    )
    poses = rest(stage).poses
    placed = [State.still(s.time, np.vstack([s.x, slab.X]), poses, s.activation) for s in states]
    return style.pictures(stage, placed, 300, view=FROM, glass=())


def _drawn(found: dict[str, Fall], shown: Sequence[Sequence[Image]]) -> Any:
    made, axes = style.mosaic("abcdefHHH;ghijklEEE", width=1.7, height=2.3)
    for letters, pictures in (("abcdef", shown[0]), ("ghijkl", shown[1])):
        for letter, frame in zip(letters, SHOWN, strict=True):
            told = f"{SECONDS * frame / FRAMES:.2f} s"
            style.picture(axes[letter], pictures[frame], told)
    t = np.linspace(0, SECONDS, FRAMES + 1)
    for fall in found.values():
        colour = COLOURS[fall.name]
        axes["H"].plot(t, 1e3 * fall.height, color=colour, label=fall.name)
        axes["E"].plot(t, 100 * fall.energy / fall.energy[0], color=colour)
    style.label(axes["H"], "height of the centre", "time [s]", "mm")
    style.label(axes["E"], "energy left", "time [s]", "%", ylim=(0, 105))
    style.legend(axes["H"], loc="upper right")
    return made


EXPERIMENT = Experiment(
    "fig4",
    "Fig. 4: a bouncing torus",
    "A deformable torus of isotropic linear elasticity bounces on a floor. Elastic forces are "
    "explicit and damping is implicit: such steps do not have the artificial viscosity of fully "
    "implicit ones, and damping does not shorten them.",
    run,
    (1.0, 6.0),
)
