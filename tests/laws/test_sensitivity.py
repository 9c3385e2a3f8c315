"""Every kind of parameter: derivatives are those of equilibria that are solved again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from builders import SOFT, box, hinge, made, pair, solid
from hollows import hollow_box
from vastus import Cable, Inputs, Load, Model, Newton, Pin, Volume
from vastus.materials import HillFibre, MuscleTissue, NeoHookean, StableNeoHookean
from vastus.measure.outputs import Outputs
from vastus.muscle import Density, ForceLength
from vastus.numerics.minimise import Rule, minimise
from vastus.numerics.types import Floats
from vastus.parts import Drive, Floor
from vastus.sensitivity.derivatives import derivatives_at
from vastus.sensitivity.equilibrium import StableEquilibrium
from vastus.sensitivity.parameters import KINDS
from vastus.sensitivity.parameters.parameter import Parameter
from vastus.sensitivity.parameters.paths import parameter_of, parameters_of
from vastus.skeleton.passive import Passive
from vastus.solvers.hessian import Hessian
from vastus.solvers.newton import NewtonObjective
from vastus.solvers.problem import Problem, Reduction
from vastus.state import State, rest

BOUND = 1e-7  # of an output's largest derivative by a parameter of its kind
ROUGH = {"poisson": 1e-5}  # a step of which is large beside what is left to 1/2


# Columns that do not cancel: of others, such as arms, differences leave noise.
MAIN = ("_angle_deg", "_shift_m", "_force_N", "_length_m", "_belly_m", "_stretch", "_pressure_Pa",
        "_volume_m3", "_tension_N", "_reaction_Nm", "_reaction_N", "_x_N", "_z_N")  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A model, what drives it, and the paths by which its equilibrium is derived."""

    make: Callable[[], Model]
    paths: tuple[str, ...]
    drive: Callable[[Model], Inputs] = Inputs.rest


def bar(*laws: object, **given: object) -> Model:
    """A bar along x, held at its left end and by its right end along the axes y and z."""
    mesh = box((5, 2, 2), (0.05, 0.01, 0.01))
    left, right = (np.flatnonzero(mesh.X[:, 0] == x) for x in (0.0, mesh.X[:, 0].max()))
    pins = (Pin("left", left), Pin("right", right, (False, True, True), (0.0, 0.001, 0.0)))
    tip = Load("tip", right, np.full(len(right), 1 / len(right)), np.array([0.3, 0.0, 0.0]))
    return solid(mesh, laws or SOFT, pins=pins, loads=(tip,), **given)  # type: ignore[arg-type]


def contracting(level: float = 0.3) -> Callable[[Model], Inputs]:
    def drive(model: Model) -> Inputs:
        return replace(Inputs.rest(model), excitation=np.full(len(model.muscles), level))

    return drive


def turned(model: Model) -> Inputs:
    joints = np.full(model.n_coordinates, 0.05)
    return replace(contracting(0.2)(model), joints=joints)


def scripted() -> Model:
    """Two bones, of which the second is animated."""
    model = pair()
    first, second = model.bones
    return model.with_(bones=(first, replace(second, drive=Drive.SCRIPTED)))


def belly(**said: object) -> Model:
    """A pair whose muscle pulls by the length of its belly, its volume averaged."""
    model = pair(hinge(), volume=Volume.AVERAGED)
    own = {"force_length": ForceLength.BELLY, "optimal": 0.9, "density": Density.CONSERVED, **said}
    laws = (StableNeoHookean(young=4e4, poisson=0.49),)
    regions = tuple(replace(r, laws=laws) if r.laws else r for r in model.regions)
    return model.with_(
        regions=regions,
        muscles=tuple(replace(m, **own) for m in model.muscles),  # type: ignore[arg-type]
    )


def limited() -> Model:
    """A pair whose hinge has a spring, and a range that its muscle turns it beyond."""
    joint = replace(hinge(), passive=(Passive(range=(-0.02, 0.02), stiffness=0.4),))
    return pair(joint)


def touching() -> Model:
    """A bar that lies on a floor."""
    model = bar(gravity=np.array([0.0, 0.0, -200.0]))
    return model.with_(floor=Floor((0.0, 0.0, -5e-4), gap=1e-3), pins=model.pins[:1])


def drawn(**given: object) -> Model:
    model = bar()
    line = np.flatnonzero((model.mesh.X[:, 1:] == 0.0).all(axis=1))
    return model.with_(cables=(Cable("wire", line, **given),))  # type: ignore[arg-type]


def inflated() -> Model:
    model = hollow_box()
    return model.with_(cavities=tuple(replace(c, pressure=500.0) for c in model.cavities))


ELBOWLIKE = ("inputs.activation.m", "materials.muscle.young", "materials.muscle.poisson")
CASES: dict[str, Case] = {
    "a bar": Case(
        bar,
        (
            *("inputs.activation.body", "muscles.body.strength", "materials.body.young"),
            *("pins.right.shift.y", "loads.tip.force.x", "gravity.z", "rest.40.y"),
            "muscles.body.fibres.turn_z",
        ),
        contracting(),
    ),
    "laws with kinks and curves": Case(
        lambda: bar(NeoHookean(6e4, 0.45), HillFibre(1.05, 0.6)),
        ("materials.body.width", "materials.muscle.optimal", "materials.muscle.hill_fibre.width"),
        contracting(0.15),
    ),
    "a law of eight numbers": Case(
        lambda: bar(MuscleTissue(K=1e5, G1=3e4, G2=3e4)),
        ("materials.muscle.G1", "materials.muscle.p2", "materials.muscle.smax", "materials.body.K"),
        contracting(0.3),
    ),
    "a hinge": Case(
        lambda: pair(hinge()),
        (
            *ELBOWLIKE,
            *("inputs.torques.AB", "muscles.m.attachments.B.z", "inputs.bones.A.turn_y"),
            *("inputs.bones.A.x", "gravity.x"),
        ),
        contracting(),
    ),
    "a belly of averaged volume": Case(
        belly,
        (*ELBOWLIKE, "muscles.m.strength", "muscles.m.optimal", "muscles.m.attachments.B.z"),
        contracting(),
    ),
    "a muscle by its force": Case(
        lambda: belly(force=20.0), ("muscles.m.force", "muscles.m.attachments.A.x"), contracting()
    ),
    "a scripted bone": Case(
        scripted,
        ("inputs.bones.B.x", "inputs.bones.B.turn_y", "muscles.m.attachments.B.x"),
        contracting(),
    ),
    "a driven hinge": Case(
        lambda: pair(hinge()), ("inputs.joints.AB", "inputs.activation.m", "gravity.z"), turned
    ),
    "a driven slider": Case(
        lambda: pair(made("slider")), ("inputs.joints.joint", "muscles.m.strength"),
        lambda m: replace(contracting(0.2)(m), joints=np.full(m.n_coordinates, 0.002)),
    ),
    "a joint at its limit": Case(limited, ("inputs.activation.m", "muscles.m.strength"),
                                 contracting(0.6)),
    "a floor": Case(touching, ("materials.muscle.young", "gravity.z", "pins.left.shift.z")),
    "a cavity": Case(inflated, ("cavities.chamber.pressure",)),
    "a cable": Case(lambda: drawn(tension=2.0), ("cables.wire.tension",)),
    "a spool": Case(
        lambda: drawn(stiffness=2e3, shortening=1e-3), ("cables.wire.shortening",)
    ),
}  # fmt: skip


@cache
def equilibrium(name: str) -> StableEquilibrium:
    case = CASES[name]
    model = case.make()
    inputs = case.drive(model)
    state, _ = Newton(1e-9).prepare(model).step(rest(model), inputs)
    return StableEquilibrium(model, state)


def solved(here: StableEquilibrium, parameter: Parameter, change: float) -> State:
    """The equilibrium beside this one, solved again."""
    value = parameter.value(here.model, here.inputs) + change
    model, inputs = parameter.varied(here.model, here.inputs, value)
    problem = Problem(model, Reduction())
    objective = NewtonObjective(problem, inputs, Hessian(problem))
    outcome = minimise(objective, problem.driven(here.state, inputs), Rule(1e-13, 40))
    assert outcome.converged or outcome.stalled
    return outcome.point.state(inputs)


def richardson(here: StableEquilibrium, parameter: Parameter, names: tuple[str, ...]) -> Floats:
    """(o,) derivatives by central differences of equilibria, extrapolated twice."""

    def outputs(change: float) -> Floats:
        value = parameter.value(here.model, here.inputs) + change
        model, _ = parameter.varied(here.model, here.inputs, value)
        row = Outputs(model).of(solved(here, parameter, change))
        return np.array([row[name] for name in names])

    h = 2 * parameter.step(here.model, here.inputs)
    a, b, c = ((outputs(s) - outputs(-s)) / (2 * s) for s in (h, h / 2, h / 4))
    return ((16 * (4 * c - b) / 3) - (4 * b - a) / 3) / 15


@pytest.mark.parametrize(
    ("name", "path"), [(name, path) for name, case in CASES.items() for path in case.paths]
)
def test_derivatives_are_those_of_equilibria_solved_again(name: str, path: str) -> None:
    here = equilibrium(name)
    parameter = parameters_of([path], here.model, here.inputs)[0]
    found = derivatives_at(here, by=[parameter])
    smooth = [n for n in found.of if n.endswith(MAIN) and np.isfinite(found[n, path])]
    assert smooth
    given = richardson(here, parameter, tuple(smooth))
    bound, wrong = ROUGH.get(path.split(".")[-1], BOUND), {}
    # Of columns that are named, some know their own derivative and are not measured.
    named = derivatives_at(here, by=[parameter], of=smooth)
    for way, output, wanted in [
        (way, *each) for way in (found, named) for each in zip(smooth, given, strict=True)
    ]:
        # An output that hardly depends on it is compared by what would matter of it.
        least = 1e-2 * abs(way.outputs[output]) / parameter.scale(here.model, here.inputs)
        size = max(abs(wanted), least, 1e-9)
        error = abs(way[output, path] - wanted) / size
        if error > bound:
            wrong[output, "named" if way is named else "all"] = error
    assert not wrong


@pytest.mark.parametrize(
    ("letter", "number"),
    [
        ("loads.tip.force.x", "loads.tip.force.0"),
        ("gravity.z", "gravity.2"),
        ("pins.right.shift.y", "pins.right.shift.1"),
        ("rest.40.y", "rest.40.1"),
    ],
)
def test_axes_are_letters_or_numbers(letter: str, number: str) -> None:
    here = equilibrium("a bar")
    one, other = derivatives_at(here, by=[letter, number], of=["body_force_N"]).J[0]
    assert one == other != 0.0


def test_every_kind_has_a_case() -> None:
    cased = {parameter_of(path).kind for case in CASES.values() for path in case.paths}
    assert cased == set(KINDS)
