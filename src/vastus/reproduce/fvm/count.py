"""Section 4: how many multiplications the forces of a tet take, and how long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vastus.energies.elastic import Elastic
from vastus.energies.finite_volumes.forces import FiniteVolumes, Form
from vastus.files.html import Table
from vastus.materials import StVenantKirchhoff
from vastus.model import Model
from vastus.modelling.shapes.simple import box
from vastus.numerics.sparse import Scatter
from vastus.parts import Region, Tissue
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.fvm import paper
from vastus.reproduce.fvm.operations import Tets, Way, least_time
from vastus.reproduce.style import times

CELLS = ((24, 16, 12), (54, 18, 17))
VOLUMES, ELEMENTS = "finite volumes, one pass", "elements, then assembled"


def run(setting: Setting) -> Finding:
    """Count and time three forms, and time whole passes over a mesh."""
    mesh = Tets.of(20_000 if setting.full else 8_000)
    ways = [mesh.cited(), mesh.piola(), mesh.cauchy()]
    passes = whole_passes(CELLS[setting.full])
    return Finding(
        agreement=agreement(ways),
        sentence=sentence(ways, passes),
        tables=(_table(ways), _passes(passes)),
        figure=_drawn(ways, passes),
        caption="Left: operations from the stress of a tet to the forces on its corners, as "
        "counted; the line is what the paper says. Middle: the time of just that. Right: the time "
        "of all forces of a mesh, of the law of Fig. 4.",
    )


def whole_passes(cells: tuple[int, int, int]) -> dict[str, float]:
    """[ns] a tet for all forces of a block, by each way."""
    mesh = box(cells, (0.01 * cells[0], 0.01 * cells[1], 0.01 * cells[2]))
    region = Region("block", Tissue.PASSIVE, (StVenantKirchhoff(6e4, 0.3),))
    model = Model(mesh, np.zeros(mesh.n_tets, np.int64), (region,), np.zeros((mesh.n_tets, 3)))
    elastic, tension = Elastic(model), np.zeros(mesh.n_tets)
    scatter = Scatter.of(elastic.T, mesh.n_vertices)
    x = mesh.X + 3e-4 * np.random.default_rng(0).standard_normal(mesh.X.shape)
    piola, cauchy = (FiniteVolumes(model, elastic, form) for form in Form)
    ways: dict[str, Callable[[], object]] = {
        ELEMENTS: lambda: scatter.gather(elastic.respond(x, tension).forces),
        f"{VOLUMES}, {Form.PIOLA}": lambda: piola.forces(x, tension),
        f"{VOLUMES}, {Form.CAUCHY}": lambda: cauchy.forces(x, tension),
    }
    return {name: 1e9 * least_time(way) / mesh.n_tets for name, way in ways.items()}


def agreement(ways: list[Way]) -> Agreement:
    """Whether the counts are the paper's, and the forces the same."""
    cited, piola, cauchy = ways
    return Agreement.of(
        (piola.times, piola.plus) == (paper.PIOLA, paper.PIOLA_ADDITIONS),
        cauchy.times == paper.CAUCHY and cauchy.plus <= paper.CAUCHY_ADDITIONS,
        cited.times == paper.TYPICAL,
        all(way.off < 1e-12 for way in ways),
    )


def sentence(ways: list[Way], passes: dict[str, float]) -> str:
    """What was counted and timed."""
    cited, piola, cauchy = ways
    elements, *volumes = passes.values()
    return (
        f"From stress to forces a tet takes {piola.times} multiplications and {piola.plus} "
        f"additions with the second Piola-Kirchhoff stress, and {cauchy.times} and {cauchy.plus} "
        f"with Cauchy's, against {cited.times} in sums over pairs of corners; all give the same "
        f"forces within {max(w.off for w in ways):.0e}. That is {times(cited.times / piola.times)} "
        f"as few, and {times(cited.ns / piola.ns)} and {times(cited.ns / cauchy.ns)} as fast. "
        f"With the stress and all else, forces of a mesh by one pass of finite volumes take "
        f"{volumes[0]:.0f} and {volumes[1]:.0f} ns a tet, and {elements:.0f} ns by elements and "
        "assembly, which give the energy as well."
    )


def _table(ways: list[Way]) -> Table:
    columns = (
        "form",
        "multiplications",
        "paper",
        "additions",
        "paper ",
        "numbers stored",
        "ns a tet",
    )
    said = ((paper.TYPICAL, None), (paper.PIOLA, paper.PIOLA_ADDITIONS),
            (paper.CAUCHY, paper.CAUCHY_ADDITIONS))  # fmt: skip
    rows = [
        (w.name, w.times, theirs[0], w.plus, theirs[1], w.stored, w.ns)
        for w, theirs in zip(ways, said, strict=True)
    ]
    return Table("From the stress of a tet to the forces on its corners", columns, rows)


def _passes(passes: dict[str, float]) -> Table:
    rows = [(name, ns, 1e3 / ns) for name, ns in passes.items()]
    return Table("All forces of a mesh", ("way", "ns a tet", "million tets a second"), rows)


def _drawn(ways: list[Way], passes: dict[str, float]) -> Any:
    made, (left, middle, right) = style.figure(3, width=4.6, height=3.2)
    names = [w.name for w in ways]
    left.barh(names, [w.times for w in ways], color=style.BLUE)
    for y, said in enumerate((paper.TYPICAL, paper.PIOLA, paper.CAUCHY)):
        left.plot([said, said], [y - 0.4, y + 0.4], color=style.RED, lw=2)
    style.label(left, "multiplications a tet", "", "")
    middle.barh(names, [w.ns for w in ways], color=style.GREEN)
    middle.set_yticklabels([])
    style.label(middle, "time of a tet [ns]", "", "")
    right.barh([name.replace(", ", ",\n") for name in passes], passes.values(), color=style.GREY)
    style.label(right, "time of a tet with its law [ns]", "", "")
    return made


EXPERIMENT = Experiment(
    "count",
    "Sections 4.1 and 4.2: multiplications",
    "The forces on the four corners of a tet from its stress take 54 multiplications, by the "
    "second Piola-Kirchhoff stress with 9 numbers stored, or by Cauchy's with none, against about "
    "288 in finite elements as they were usual.",
    run,
    (0.3, 0.6),
)
