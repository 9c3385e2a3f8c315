"""Fig. 14: coactivation makes muscles bulge, and joints stiff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import KDTree

from vastus.control.upper_body.dynamics import Dynamics
from vastus.energies.flesh.mixture import Tissue
from vastus.files.html import Table
from vastus.flesh.solver import FleshFrame, FleshSolver
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats
from vastus.pictures.colours import rgb
from vastus.pictures.flesh.flesh_pictures import FleshRenderer
from vastus.pictures.panels import surface_shape
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.upper_body.body import dynamics_of, seen
from vastus.reproduce.upper_body.tissue.flesh import SPACING, upper_solver
from vastus.reproduce.upper_body.tissue.held import activations, flexed, flexed_frame

LEVEL = 0.5  # the coactivation
MASS = 5.0  # [kg] in each hand, besides nothing
JOINTS = ("elbowL", "shoulderL_flex", "shoulderL_abd", "shoulderL_rot")
OVER = (
    "deltoid",
    "biceps",
    "triceps",
    "pectoralis_major",
)  # muscles by what their names begin with
REACH = 0.03  # [m] from a muscle to the skin over it
VIEW = (0.85, -0.5, 0.15)
HEIGHT = (520, 900)
BULGES = 1e-3  # [m] that can be seen
STEP = 1e-4  # [rad]


@dataclass(frozen=True, eq=False)
class Tensed:
    """Stiffness of joints [N m/rad] without and with coactivation, and how far skin bulges [m].

    `loaded` is the same of arms that carry `MASS`, `shear` [Pa] the modulus of the tissue at rest;
    `springs` [N m/rad] is what muscles alone give, if their arms did not change with the angle;
    `torques` [N m] is by how much the torque of a joint differs between the two, at most.
    """

    stiffness: Mapping[str, tuple[float, float]]
    springs: Mapping[str, tuple[float, float]]
    bulge: Mapping[str, float]
    loaded: Mapping[str, float]
    torques: float
    shear: float


def run(setting: Setting) -> Finding:
    """Tense flexed arms."""
    dynamics, spacing = dynamics_of(), SPACING[setting.full]
    q = flexed(dynamics)
    levels = [activations(dynamics, q, level) for level in (0.0, LEVEL)]
    setting.note("building flesh")
    solver = upper_solver(spacing)
    setting.note("tensing the arms")
    frames = [flexed_frame(spacing, level) for level in (0.0, LEVEL)]
    moved = outward(solver, *frames)
    setting.note(f"tensing arms that carry {MASS:g} kg")
    carrying = [flexed_frame(spacing, level, MASS) for level in (0.0, LEVEL)]
    farther = outward(solver, *carrying)
    found = Tensed(
        {joint: (stiffness(dynamics, q, levels[0], joint), stiffness(dynamics, q, levels[1], joint))
         for joint in JOINTS},
        {joint: (springs(dynamics, q, levels[0], joint), springs(dynamics, q, levels[1], joint))
         for joint in JOINTS},
        {name: over(solver, frames[0], name, moved) for name in OVER},
        {name: over(solver, carrying[0], name, farther) for name in OVER},
        float(np.abs(_torques(dynamics, q, levels[1]) - _torques(dynamics, q, levels[0]))
              [[dynamics.body.dof(j) for j in JOINTS]].max()),
        shear(solver.flesh.settings.tissue),
    )  # fmt: skip
    setting.note("pictures")
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found),
        tables=(_table(found),),
        figure=_drawn(found, _pictures(solver, frames, moved, HEIGHT[setting.full])),
        caption=f"A shoulder without and with a coactivation of {LEVEL:g}, hands empty, and how "
        "far its skin goes outward: red outward, blue inward. Right: the stiffness of joints.",
    )


def stiffness(dynamics: Dynamics, q: Floats, a: Floats, joint: str) -> float:
    """[N m/rad] how the torque of muscles at a joint falls with its angle, activations held."""
    dof, ends = dynamics.body.dof(joint), []
    for sign in (1.0, -1.0):
        there = q.copy()
        there[dof] += sign * STEP
        ends.append(_torques(dynamics, there, a)[dof])
    return float(-(ends[0] - ends[1]) / (2 * STEP))


def springs(dynamics: Dynamics, q: Floats, a: Floats, joint: str) -> float:
    """[N m/rad] the stiffness of muscles times the squares of their arms."""
    at = dynamics.at(q, np.zeros_like(q))
    stiff = dynamics.law.forces(at.lengths, at.speeds, a).by_length
    return float(stiff @ at.arms[:, dynamics.body.dof(joint)] ** 2)


def _torques(dynamics: Dynamics, q: Floats, a: Floats) -> Floats:
    """(n,) [N m] of all muscles, still."""
    at = dynamics.at(q, np.zeros_like(q))
    return np.asarray(-dynamics.law.forces(at.lengths, at.speeds, a).force @ at.arms)


def shear(tissue: Tissue) -> float:
    """[Pa] the shear modulus of a tissue at rest."""
    return 2 * (tissue.mu10 + tissue.mu01)


def outward(solver: FleshSolver, before: FleshFrame, after: FleshFrame) -> Floats:
    """(v,) [m] how far the skin goes outward from one frame to the other."""
    x = solver.skin(before)
    normals = Surface(x, solver.flesh.skin.surface.faces).vertex_normals
    return np.einsum("vi,vi->v", solver.skin(after) - x, normals)


def over(solver: FleshSolver, frame: FleshFrame, muscle: str, moved: Floats) -> float:
    """[m] how far skin goes outward at most where the nearest muscle has a name that begins so."""
    named = solver.muscles(frame)
    owner = np.repeat([name.startswith(muscle) for name in named], [len(x) for x in named.values()])
    off, nearest = KDTree(np.concatenate(list(named.values()))).query(solver.skin(frame))
    return float(moved[owner[nearest] & (off < REACH)].max())


def agreement(found: Tensed) -> Agreement:
    """Whether skin bulges visibly over arm and shoulder, and muscles and joints are stiffer."""
    return Agreement.of(
        all(each[name] > BULGES for each in (found.bulge, found.loaded) for name in OVER[:2]),
        all(tensed > relaxed for relaxed, tensed in found.springs.values()),
        all(tensed > relaxed for relaxed, tensed in found.stiffness.values()),
    )


def sentence(found: Tensed) -> str:
    """How much stiffer and thicker."""
    stiff, alone = (
        ", ".join(f"{_name(joint)} {a:.1f} to {b:.1f}" for joint, (a, b) in each.items())
        for each in (found.stiffness, found.springs)
    )
    bulge = ", ".join(
        f"{1e3 * value:.1f} mm over {name.replace('_', ' ')} ({1e3 * found.loaded[name]:.1f})"
        for name, value in found.bulge.items()
    )
    return (
        f"With a coactivation of {LEVEL:g} the skin of flexed arms goes outward by up to {bulge}; "
        f"in brackets with {MASS:g} kg in each hand. "
        f"The stiffness of muscles at joints goes from one to the other [N m/rad]: {stiff}; if "
        f"their arms did not change with the angle: {alone}. Torques differ by "
        f"{found.torques:.0e} N m. The paper shows pictures and gives no numbers. Coactivation is "
        "a share of what a pose asks of muscles, so that arms that carry more bulge more. Tissue "
        f"here has {1e-3 * found.shear:g} kPa in shear at rest, as measured; with the "
        f"{1e-3 * shear(Tissue.paper()):g} kPa of the paper muscles hardly bulge."
    )


def _name(joint: str) -> str:
    words = {"flex": "flexion", "abd": "abduction", "rot": "rotation"}
    head, _, tail = joint.partition("_")
    return f"{head.rstrip('L')} {words[tail]}" if tail else head.rstrip("L")


def _table(found: Tensed) -> Table:
    rows: list[tuple[Any, ...]] = [
        (f"stiffness of {_name(joint)} [N m/rad]", a, b)
        for joint, (a, b) in found.stiffness.items()
    ]
    rows += [
        (f"the same with fixed arms, {_name(joint)} [N m/rad]", a, b)
        for joint, (a, b) in found.springs.items()
    ]
    for load, each in (("hands empty", found.bulge), (f"{MASS:g} kg a hand", found.loaded)):
        rows += [
            (f"skin over {name.replace('_', ' ')}, {load}, outward [mm]", 0.0, 1e3 * value)
            for name, value in each.items()
        ]
    return Table("Coactivation", ("what", "0", f"{LEVEL:g}"), rows)


def _pictures(
    solver: FleshSolver, frames: Sequence[FleshFrame], moved: Floats, height: int
) -> list[Image]:
    """The left shoulder and arm in both, and where its skin goes."""
    x = solver.skin(frames[0])
    arm = x[(x[:, 0] > 0.1) & (x[:, 2] > np.quantile(x[:, 2], 0.35)) & (x[:, 2] < 1.5)]
    out = []
    with FleshRenderer(solver, arm, height, view=VIEW) as renderer:
        out += [renderer.picture(frame) for frame in frames]
    faces = solver.flesh.skin.surface.faces
    most = max(float(np.quantile(np.abs(moved), 0.999)), 1e-6)
    colours = rgb(moved[faces].mean(axis=1), "blue-red", -most, most) / 255.0
    after = solver.skin(frames[1])
    out += seen([surface_shape(after, faces, colours)], arm, height, sides=(VIEW,))
    return out


def _drawn(found: Tensed, pictures: Sequence[Image]) -> Any:
    made, axes = style.mosaic("abcS", width=3.8, height=4.6)
    names = ("(a) no coactivation", f"(b) coactivation of {LEVEL:g}", "outward")
    for letter, pixels, name in zip("abc", pictures, names, strict=True):
        style.picture(axes[letter], pixels, name)
    y = np.arange(len(found.stiffness))
    for k, (colour, name) in enumerate(((style.GREY, "0"), (style.RED, f"{LEVEL:g}"))):
        values = [pair[k] for pair in found.stiffness.values()]
        axes["S"].barh(y + 0.2 * (1 - 2 * k), values, 0.38, color=colour, label=name)
    axes["S"].set_yticks(y, [_name(joint) for joint in found.stiffness])
    style.label(axes["S"], "stiffness of muscles at joints", "N m/rad", "")
    style.legend(axes["S"], loc="best")
    return made


EXPERIMENT = Experiment(
    "fig14",
    "Fig. 14: coactivation",
    "More coactivation of agonists and antagonists lets muscles of the shoulder bulge more, and "
    "makes the body stiffer.",
    run,
    (0.3, 1.0),
)
