"""Section 4: how many multiplications the forces of a tet take, and how long."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.energies.elastic import Elastic
from vastus.energies.finite_volumes import forms
from vastus.energies.finite_volumes.forces import FiniteVolumes, Form
from vastus.files.html import Table
from vastus.materials import StVenantKirchhoff
from vastus.model import Model
from vastus.modelling.shapes.simple import box
from vastus.numerics.sparse import Scatter
from vastus.numerics.types import Floats
from vastus.parts import Region, Tissue
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.fvm import cited_forms, paper
from vastus.reproduce.style import times

CELLS = ((24, 16, 12), (54, 18, 17))
REPEATS = 7
SYMMETRIC = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))
CITED, PIOLA, CAUCHY = "double sums over corners", "P = F S, G = P Bm", "Bs, G = sigma Bs"
VOLUMES, ELEMENTS = "finite volumes, one pass", "elements, then assembled"


class Counted:
    """A number that counts what it is multiplied and added."""

    def __init__(self, value: float, counts: dict[str, int]) -> None:
        self.value, self._counts = value, counts

    def _made(self, what: str, value: float) -> Counted:
        self._counts[what] += 1
        return Counted(value, self._counts)

    def __mul__(self, other: Any) -> Counted:
        return self._made("times", self.value * getattr(other, "value", other))

    __rmul__ = __mul__

    def __add__(self, other: Any) -> Counted:
        return self._made("plus", self.value + getattr(other, "value", other))

    def __sub__(self, other: Any) -> Counted:
        return self._made("plus", self.value - getattr(other, "value", other))

    def __neg__(self) -> Counted:
        return Counted(-self.value, self._counts)


@dataclass(frozen=True)
class Way:
    """A way to the forces of a tet: what it costs, what it stores, how far its forces are off."""

    name: str
    times: int
    plus: int
    stored: int
    off: float
    ns: float  # [ns] a tet


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


@dataclass(frozen=True, eq=False)
class Tets:
    """Tets with edges at rest Dm and now Ds (m, 3, 3), in columns, and stresses S (m, 3, 3)."""

    Dm: Floats
    Ds: Floats
    S: Floats

    @classmethod
    def of(cls, count: int) -> Tets:
        """Tets and stresses at random."""
        random = np.random.default_rng(0)
        Dm, Ds, A = (np.eye(3) + 0.2 * random.normal(size=(count, 3, 3)) for _ in range(3))
        return cls(Dm, Ds, A + np.swapaxes(A, 1, 2))

    @property
    def volumes(self) -> Floats:
        """(m,) at rest, of either sign."""
        return np.asarray(np.linalg.det(self.Dm) / 6)

    @property
    def forces(self) -> Floats:
        """(m, 3, 4) the right ones: F S Bm, and their opposite in the first corner."""
        F = self.Ds @ np.linalg.inv(self.Dm)
        Bm = self.volumes[:, None, None] * np.swapaxes(np.linalg.inv(self.Dm), 1, 2)
        G = F @ self.S @ Bm
        return np.concatenate([-G.sum(axis=2, keepdims=True), G], axis=2)

    def cited(self) -> Way:
        """As O'Brien and Hodgins wrote it."""
        inner = np.linalg.inv(self.Dm)
        beta = np.concatenate([-inner.sum(axis=1, keepdims=True), inner], axis=1)
        corners = np.concatenate([np.zeros_like(self.Ds[:, :, :1]), self.Ds], axis=2)
        p = np.swapaxes(corners, 1, 2)
        arrays = [_columns(a) for a in (p, beta, self.S)]
        counts = {"times": 0, "plus": 0}
        W, f = _counted(np.zeros(16), counts), _counted(np.zeros(12), counts)
        numbers = [_counted(a[:, 0], counts) for a in arrays]
        cited_forms.pair_sums(numbers[1], numbers[2], 0, W)
        sums = counts["times"]
        cited_forms.corner_forces(numbers[0], W, 0, f)
        out = np.zeros((12, len(self.Dm)))
        seconds = _least(lambda: cited_forms.all_cited(*arrays, out))
        off = _off(self.forces, out * self.volumes)
        # The paper's count is of the inner sums alone.
        return Way(CITED, sums, counts["plus"], 9, off, 1e9 * seconds / len(self.Dm))

    def piola(self) -> Way:
        """By the second Piola-Kirchhoff stress and the faces at rest."""
        inner = np.linalg.inv(self.Dm)
        F, B = _columns(self.Ds @ inner), _columns(self.volumes[:, None, None] * inner)
        S = np.array([self.S[:, i, j] for i, j in SYMMETRIC])
        counts = {"times": 0, "plus": 0}
        P, H = _counted(np.zeros(9), counts), _counted(np.zeros(9), counts)
        forms.first_piola(_counted(F[:, 0], counts), _counted(S[:, 0], counts), 0, P)
        forms.pushes(P, _counted(B[:, 0], counts), 0, H)
        for r in range(3):
            forms.last_push(H, r, 0)
        out = np.zeros((12, len(self.Dm)))
        seconds = _least(lambda: cited_forms.all_piola(F, S, B, out))
        ns = 1e9 * seconds / len(self.Dm)
        return Way(PIOLA, counts["times"], counts["plus"], 9, _off(self.forces, out), ns)

    def cauchy(self) -> Way:
        """By Cauchy's stress and the faces as they are."""
        F = self.Ds @ np.linalg.inv(self.Dm)
        J = np.linalg.det(F)[:, None, None]
        E = _columns(np.swapaxes(self.Ds, 1, 2))
        sigma = _columns(F @ self.S @ np.swapaxes(F, 1, 2) / J)
        counts = {"times": 0, "plus": 0}
        B, H = _counted(np.zeros(9), counts), _counted(np.zeros(9), counts)
        forms.faces(_counted(E[:, 0], counts), 0, B)
        forms.pushes(_counted(sigma[:, 0], counts), B, 0, H)
        for r in range(3):
            forms.last_push(H, r, 0)
        out = np.zeros((12, len(self.Dm)))
        seconds = _least(lambda: cited_forms.all_cauchy(E, sigma, out))
        ns = 1e9 * seconds / len(self.Dm)
        return Way(CAUCHY, counts["times"], counts["plus"], 0, _off(self.forces, out), ns)


def _columns(a: Floats) -> Floats:
    """(9 or 12, m) the numbers of matrices (m, 3 or 4, 3), row by row, side by side."""
    return np.ascontiguousarray(a.reshape(len(a), -1).T)


def _counted(numbers: Floats, counts: dict[str, int]) -> Any:
    return np.array([[Counted(float(v), counts)] for v in numbers], object)


def _off(right: Floats, out: Floats) -> float:
    """How far forces out (12, m) are from the right ones (m, 3, 4), of their size."""
    mine = np.swapaxes(out.T.reshape(-1, 4, 3), 1, 2)
    return float(np.abs(mine - right).max() / np.abs(right).max())


def _least(run: Callable[[], object]) -> float:
    """The least time [s] of several, after one that does not count."""
    run()
    taken = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return min(taken)


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
    return {name: 1e9 * _least(way) / mesh.n_tets for name, way in ways.items()}


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
