"""Fig. 3: BFGS at a joint, with and without preconditioning, against EMU and Newton."""

from __future__ import annotations

from typing import Any

from vastus.inputs import Inputs
from vastus.model import Model
from vastus.modelling.shapes.elbow import elbow
from vastus.reproduce import style
from vastus.reproduce.emu import paper
from vastus.reproduce.emu.turning import BUDGET, Body, Swing, body, draw, swing, table
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.solving import solved
from vastus.schedules import ramp
from vastus.solvers.emu.baselines import DeformationLBFGS
from vastus.solvers.emu.directions import Woodbury, WoodburyLBFGS
from vastus.solvers.emu.emu import Emu
from vastus.solvers.newton import Newton
from vastus.timeloop import Solver

ALPHA, MOST = 100.0, 200
PLAIN, BLOCKS, EMU, LOW = "BFGS", "BFGS (preconditioned)", "EMU (exact)", "EMU (Woodbury)"
SOLVERS: dict[str, Solver] = {
    "Newton": Newton(),
    EMU: Emu(ALPHA, max_iterations=MOST),
    LOW: Emu(ALPHA, Woodbury(), max_iterations=MOST),
    PLAIN: DeformationLBFGS(ALPHA, max_iterations=MOST),
    BLOCKS: DeformationLBFGS(ALPHA, blocks=True, max_iterations=MOST),
    "EMU (Woodbury, memory)": Emu(ALPHA, WoodburyLBFGS(), max_iterations=MOST),
}
FOREARM = ("ulna", "radius", "hand")


def run(setting: Setting) -> Finding:
    """Bend a hinge by one muscle, and an elbow."""
    hinge, arm = paper.hinged_muscle(), elbow(12_000 if setting.full else 3_000)
    cases = {
        "hinge": (body(hinge, ("B",), (0.0, -1.0, 0.0)), _activated(hinge, m=1.0)),
        "elbow": (body(arm, FOREARM, (1.0, 0.0, 0.0)), _activated(arm, biceps=0.4)),
    }
    found = {}
    for name, (watched, inputs) in cases.items():
        setting.note(f"{name}, {watched.model.mesh.n_tets} tets: {len(SOLVERS)} methods")
        found[name] = _swings(watched, inputs)
    return Finding(
        agreement=_agreement(found),
        sentence=" ".join(_sentence(name, swings) for name, swings in found.items())
        + _conclusion(found),
        tables=tuple(table(_title(name, cases[name][0].model), s) for name, s in found.items()),
        figure=_drawn(found),
        caption="The joint's angle at each iteration; dashed, that of the equilibrium.",
        solvers=SOLVERS,
    )


def _activated(model: Model, **levels: float) -> Inputs:
    return ramp(model, fps=1, **levels)[-1]


def _swings(watched: Body, inputs: Inputs) -> list[Swing]:
    end = watched.angle(solved(Newton(), watched.model, inputs).x)
    return [swing(name, solver, watched, inputs, end) for name, solver in SOLVERS.items()]


def _named(swings: list[Swing]) -> dict[str, Swing]:
    return {s.name: s for s in swings}


def _agreement(found: dict[str, list[Swing]]) -> Agreement:
    claims = []
    for swings in map(_named, found.values()):
        claims += [swings[PLAIN].locked, swings[BLOCKS].locked]
        claims += [not swings[EMU].locked, not swings[LOW].locked]
    return Agreement.of(*claims)


def _sentence(name: str, swings: list[Swing]) -> str:
    by = _named(swings)
    parts = [
        f"{s.name} {s.verdict} ({s.after(BUDGET):.1f}°)"
        for s in (by[PLAIN], by[BLOCKS], by[LOW], by[EMU])
    ]
    return (
        f"On the {name}, whose equilibrium is at {swings[0].end:.1f}°, after {BUDGET} iterations "
        f"{', '.join(parts[:-1])} and {parts[-1]}."
    )


def _conclusion(found: dict[str, list[Swing]]) -> str:
    free = [name for name, swings in found.items() if not _named(swings)[BLOCKS].locked]
    stuck = [name for name, swings in found.items() if _named(swings)[LOW].locked]
    text = ""
    if free:
        text += (
            f" So preconditioning by the elements' own Hessians does not lock on the "
            f"{' and the '.join(free)}, against what the paper says."
        )
    if stuck:
        text += (
            f" The paper's own direction locks on the {' and the '.join(stuck)}: few modes of a "
            "whole arm hardly contain the turn of one joint."
        )
    return text


def _title(name: str, model: Model) -> str:
    return f"The {name} ({model.mesh.n_tets:,} tets), alpha {ALPHA:g}"


def _drawn(found: dict[str, list[Swing]]) -> Any:
    made, axes = style.figure(len(found))
    for each, (name, swings) in zip(axes, found.items(), strict=True):
        draw(each, swings, f"the {name}")
    style.legend(axes[-1], loc="center left", bbox_to_anchor=(1.0, 0.5))
    return made


EXPERIMENT = Experiment(
    "fig3",
    "Fig. 3: BFGS at a joint",
    "A muscle pulls across a joint. BFGS over the deformation gradients knows nothing of how "
    "elements are coupled, so the muscle shortens and the bone stays: the joint locks. The paper "
    "says that preconditioning does not help, and that its own direction moves the joint. Here "
    "both start from the weights alone or from the elements' exact Hessians. A joint locks if it "
    "has made less than half of its way after 100 iterations, and creeps if it is not there.",
    run,
    (0.2, 1.5),
)
