"""Eqs. 14 and 15: activations of the whole body at once, and of the paper's four groups."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.control.upper_body.musculoskeleton import Musculoskeleton
from vastus.files.html import Cell, Table
from vastus.numerics.dual_newton import least_activations
from vastus.numerics.types import Floats, Ints
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.upper_body.body import dynamics_of
from vastus.reproduce.upper_body.motion.poses import Holding, holding, six_poses

GROUPS = ("arm_left", "arm_right", "neck", "trunk")  # in this order, the trunk last
RUNS = (3, 15)  # of which the quickest counts
BALANCED = 1e-3  # [N m]
NECK = ("C", "skull", "jaw", "hyoid")
ARM = ("shoulder", "elbow", "forearm", "wrist")


@dataclass(frozen=True, eq=False)
class Shared:
    """A pose shared by muscles in two ways: activations (m,), seconds, torques missed (d,)."""

    whole: Floats
    grouped: Floats
    seconds: tuple[float, float, float]  # whole, whole from a near start, groups
    missed_whole: Floats
    missed_grouped: Floats

    @property
    def dearer(self) -> float:
        """The squares of activations in groups over those of the whole."""
        return float((self.grouped**2).sum() / (self.whole**2).sum())


def run(setting: Setting) -> Finding:
    """Find activations of six poses in both ways."""
    dynamics = dynamics_of()
    rows = joints_of(dynamics.body)
    found = {
        name: shared(holding(dynamics, q), dynamics.body, rows, RUNS[setting.full])
        for name, q in six_poses(dynamics).items()
    }
    return Finding(
        agreement=agreement(found, rows),
        sentence=sentence(found, rows),
        tables=(_table(found, rows),),
        figure=_drawn(found, rows),
        caption="Left: milliseconds of the processor for one pose. Right: the largest torque that "
        "activations miss, by the part whose joint it is.",
    )


def joints_of(body: Musculoskeleton) -> dict[str, Ints]:
    """The driven joints, by their number among these, of each group; of the trunk all the rest."""
    names = [body.joints[int(d)] for d in body.driven]
    out = {
        "arm_left": [k for k, n in enumerate(names) if n.startswith(tuple(f"{a}L" for a in ARM))],
        "arm_right": [k for k, n in enumerate(names) if n.startswith(tuple(f"{a}R" for a in ARM))],
        "neck": [k for k, n in enumerate(names)
                 if n.startswith(NECK) and not n.startswith(("clavicle", "cart"))],
    }  # fmt: skip
    taken = {k for own in out.values() for k in own}
    out["trunk"] = [k for k in range(len(names)) if k not in taken]
    return {group: np.array(own, np.int64) for group, own in out.items()}


def shared(held: Holding, body: Musculoskeleton, rows: Mapping[str, Ints], runs: int) -> Shared:
    """Activations that hold a pose, found in both ways."""
    G, torques = held
    whole, cold = _timed(lambda: least_activations(G, torques), runs)
    _, warm = _timed(lambda: least_activations(G, 1.01 * torques, start=whole), runs)
    parts = {g: np.array([m.part == g for m in body.muscles]) for g in GROUPS}
    grouped, seconds = _timed(lambda: in_groups(G, torques, parts, rows), runs)
    return Shared(whole.a, grouped, (cold, warm, seconds), torques - G @ whole.a,
                  torques - G @ grouped)  # fmt: skip


def in_groups(
    G: Floats, torques: Floats, parts: Mapping[str, np.ndarray], rows: Mapping[str, Ints]
) -> Floats:
    """(m,) group by group, each for its own joints; the last counts what the others do there."""
    a = np.zeros(G.shape[1])
    for group in GROUPS:
        own, mine = rows[group], parts[group]
        rest = torques[own] - (G[own] @ a if group == GROUPS[-1] else 0.0)
        a[mine] = least_activations(np.ascontiguousarray(G[np.ix_(own, mine)]), rest).a
    return a


def _timed(function: Any, runs: int) -> tuple[Any, float]:
    spent = []
    for _ in range(runs):
        begun = time.process_time()
        result = function()
        spent.append(time.process_time() - begun)
    return result, min(spent)


def largest(missed: Floats, own: Ints) -> float:
    """[N m] of the joints of a group."""
    return float(np.abs(missed[own]).max())


def agreement(found: Mapping[str, Shared], rows: Mapping[str, Ints]) -> Agreement:
    """Whether groups are quicker, and give the torques, of the trunk and of the neck."""
    seconds = np.array([each.seconds for each in found.values()]).mean(axis=0)
    missed = {g: max(largest(e.missed_grouped, rows[g]) for e in found.values()) for g in rows}
    return Agreement.of(
        bool(seconds[2] < seconds[0]),
        missed["trunk"] < BALANCED,
        missed["neck"] < BALANCED,
    )


def sentence(found: Mapping[str, Shared], rows: Mapping[str, Ints]) -> str:
    """What either way costs and misses."""
    cold, warm, grouped = 1e3 * np.array([e.seconds for e in found.values()]).mean(axis=0)
    neck = [largest(e.missed_grouped, rows["neck"]) for e in found.values()]
    trunk = max(largest(e.missed_grouped, rows["trunk"]) for e in found.values())
    whole = max(float(np.abs(e.missed_whole).max()) for e in found.values())
    dear = [e.dearer for e in found.values()]
    return (
        f"Activations of all {len(next(iter(found.values())).whole)} muscles for "
        f"{sum(len(own) for own in rows.values())} joints take {cold:.0f} ms of the processor, "
        f"{warm:.1f} ms from the optimum of a pose that is nearly the same, as in motion, and miss "
        f"no torque by more than {whole:.0e} N m. The paper's four groups take {grouped:.0f} ms. "
        f"They balance the trunk within {trunk:.0e} N m and leave {min(neck):.1f} to "
        f"{max(neck):.1f} N m at joints of the neck, since muscles of the trunk that reach it are "
        f"found after it; their squares sum to {min(dear):.2f} to {max(dear):.2f} times the least."
    )


def _table(found: Mapping[str, Shared], rows: Mapping[str, Ints]) -> Table:
    columns = ("pose", "whole [ms]", "whole, near start [ms]", "groups [ms]",
               "whole misses [N m]", "groups miss, neck [N m]", "groups miss, arms [N m]",
               "groups miss, trunk [N m]", "squares, groups over whole")  # fmt: skip
    out: list[list[Cell]] = []
    for name, e in found.items():
        arms = max(largest(e.missed_grouped, rows[g]) for g in GROUPS[:2])
        out.append(
            [name, *(1e3 * s for s in e.seconds), float(np.abs(e.missed_whole).max()),
             largest(e.missed_grouped, rows["neck"]), arms,
             largest(e.missed_grouped, rows["trunk"]), e.dearer]
        )  # fmt: skip
    return Table("Six poses", columns, out)


def _drawn(found: Mapping[str, Shared], rows: Mapping[str, Ints]) -> Any:
    made, (left, right) = style.figure(2, width=5.6)
    y = np.arange(len(found))
    names = ("whole", "whole, near start", "four groups")
    for k, (name, colour) in enumerate(
        zip(names, (style.BLUE, style.GREEN, style.ORANGE), strict=True)
    ):
        values = [1e3 * e.seconds[k] for e in found.values()]
        left.barh(y + 0.27 * (1 - k), values, 0.25, color=colour, label=name)
    left.set_yticks(y, list(found))
    style.label(left, "processor time", "ms", "")
    parts = {"neck": style.RED, "trunk": style.GREY, "arm_left": style.VIOLET}
    for k, (part, colour) in enumerate(parts.items()):
        values = [max(largest(e.missed_grouped, rows[part]), 1e-12) for e in found.values()]
        right.barh(y + 0.27 * (1 - k), values, 0.25, left=1e-12, color=colour,
                   label=f"groups, {part.replace('_', ' ')}")  # fmt: skip
    right.plot([max(float(np.abs(e.missed_whole).max()), 1e-12) for e in found.values()], y, "D",
               color=style.BLUE, label="whole, any")  # fmt: skip
    right.set_xscale("log")
    right.set_yticks(y, [])
    style.label(right, "torque missed", "N m", "")
    for axes in (left, right):
        style.legend(axes, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3)
    return made


EXPERIMENT = Experiment(
    "qp",
    "Eqs. 14 and 15: activations, whole and in groups",
    "The least activations that give the torques are found for arms, head with neck, and torso "
    "one after the other, for the sake of speed; those of the torso so that the net torque is the "
    "wanted one.",
    run,
    (0.2, 0.3),
)
