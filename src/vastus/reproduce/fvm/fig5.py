"""Fig. 5: what muscle and tendon answer to a stretch of their fibres."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.files.html import Table
from vastus.materials.base import Law
from vastus.materials.fibres.published import Kind, published
from vastus.numerics.types import Floats
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.fvm import paper
from vastus.reproduce.style import percent, times

ALONG = np.array([1.0, 0.0, 0.0])
LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
STATES = (200, 2_000)  # at random, at which the printed stress is compared
EQUAL = 1e-10  # of the stress: more is a difference
TAUT = 1.03  # a stretch at which both tissues are compared
EXPONENTIAL = np.linspace(1.02, 1.38, 37)  # where the passive tension is that of an exponential


@dataclass(frozen=True)
class Curves:
    """What the laws answer, over stretches (k,): stresses (k,) [Pa] per rest area."""

    stretch: Floats
    active: Floats
    passive: Floats
    half: Floats  # of both, at half activation
    off: float  # from the printed stress, of its size

    @property
    def best(self) -> float:
        """The stretch of the greatest active stress."""
        return float(self.stretch[self.active.argmax()])

    @property
    def reach(self) -> tuple[float, float]:
        """The stretches between which there is any."""
        pulls = self.stretch[self.active > 1e-9 * self.active.max()]
        return float(pulls[0]), float(pulls[-1])

    @property
    def bent(self) -> float:
        """The passive stress off an exponential that is fitted to it, of the largest."""
        chosen = np.isin(self.stretch.round(6), EXPONENTIAL.round(6))
        x, y = self.stretch[chosen], self.passive[chosen]
        # s (exp(r (x - 1)) - 1): the ratio of differences over equal steps is one number.
        rate = float(np.median(np.log(np.diff(y)[1:] / np.diff(y)[:-1]))) / float(x[1] - x[0])
        shape = np.expm1(rate * (x - 1.0))
        fitted = shape * float(shape @ y / (shape @ shape))
        return float(np.abs(fitted - y).max() / y.max())


def run(setting: Setting) -> Finding:
    """Stretch the laws along their fibres, and compare them with what is printed."""
    x = np.round(np.arange(0.30, 1.80001, 0.01), 6)
    fibres, strength = paper.MUSCLE.laws[1:], paper.MUSCLE.strength
    passive = slopes(fibres, x, 0.0)
    whole, half = slopes(fibres, x, strength), slopes(fibres, x, 0.5 * strength)
    found = Curves(x, whole - passive, passive, half, printed_off(STATES[setting.full]))
    tendon = slopes(paper.TENDON[1:], x, 0.0)
    return Finding(
        agreement=agreement(found, tendon),
        sentence=sentence(found, tendon),
        tables=(_table(x, found, tendon), _published(x, found)),
        figure=_drawn(found),
        caption="Left: stress along the fibre per rest area, over the strength, of the laws that "
        "the arm below is made of, and published curves. Middle: tendon. Right: the whole tissue, "
        "matrix and fibres, in a stretch without change of volume; lines are the stress as "
        "printed, dots that of the laws.",
    )


def slopes(laws: tuple[Law, ...], stretches: Floats, T0: float) -> Floats:
    """(k,) the derivative of the energy by the stretch of the fibre, the volume being kept [Pa]."""
    out = []
    for stretch in stretches:
        across = stretch**-0.5
        P = _stress(laws, np.diag([stretch, across, across]), T0)
        out.append(P[0, 0] - across / stretch * P[1, 1])
    return np.array(out)


def _stress(laws: tuple[Law, ...], F: Floats, T0: float) -> Floats:
    """(3, 3) the first Piola-Kirchhoff stress [Pa] of the sum of laws."""
    P = np.zeros((3, 3))
    for law in laws:
        law.point.stress(F, ALONG, T0, np.array(law.parameters()), P)
    return P


def printed_off(states: int) -> float:
    """How far the laws are from the printed stress, of its size, at worst among random states."""
    random, worst = np.random.default_rng(0), 0.0
    for _ in range(states):
        F = np.eye(3) + 0.25 * random.uniform(-1, 1, (3, 3))
        level = float(random.uniform())
        printed = paper.cauchy_stress(F, ALONG, level)
        P = _stress(paper.MUSCLE.laws, F, level * paper.MUSCLE.strength)
        mine = P @ F.T / np.linalg.det(F)
        worst = max(worst, float(np.abs(mine - printed).max() / np.abs(printed).max()))
    return worst


def agreement(found: Curves, tendon: Floats) -> Agreement:
    """Whether the curves are as the paper describes them."""
    x = found.stretch
    scaled = 0.5 * found.active + found.passive
    return Agreement.of(
        found.off < EQUAL,
        abs(found.best - 1.0) < 1e-9,
        bool(found.passive[x <= 1.0].max() <= 0.0) and found.bent < 1e-3,
        float(np.abs(scaled - found.half).max()) < EQUAL * found.active.max(),
        bool((tendon[x > 1.0] > found.passive[x > 1.0]).all()) and tendon[x <= 1.0].max() <= 0.0,
    )


def sentence(found: Curves, tendon: Floats) -> str:
    """What the curves say."""
    at = int(np.abs(found.stretch - TAUT).argmin())
    low, high = found.reach
    return (
        "The stress of the package's mooney_rivlin and isochoric_fibre is the printed one within "
        f"{found.off:.0e} of its size at random deformations and activations. Active fibres pull "
        f"hardest at a stretch of {found.best:.2f}, with {found.active.max() / 1e3:.0f} kPa, and "
        f"from {low:.2f} to {high:.2f} at all; activation scales that in proportion. Passive ones "
        "are slack up to 1 and then follow an exponential, off by "
        f"{percent(100 * found.bent)}. Tendon is the same with other constants: at a stretch of "
        f"{TAUT} its fibres carry {tendon[at] / 1e6:.1f} MPa, "
        f"{times(tendon[at] / found.passive[at])} what those of passive muscle do. The paper gives "
        "no constants and its figure no numbers; those of the fibres here are of Blemker, Pinsky "
        "and Delp 2005."
    )


def _table(x: Floats, found: Curves, tendon: Floats) -> Table:
    rows = [
        (
            f"{at:g}",
            found.active[k] / 1e3,
            found.passive[k] / 1e3,
            (found.active[k] + found.passive[k]) / 1e3,
            tendon[k] / 1e6 if at <= 1.1 else None,
        )
        for at in (0.4, 0.5, 0.7, 0.9, 1.0, 1.03, 1.1, 1.3, 1.5, 1.6)
        for k in [int(np.abs(x - at).argmin())]
    ]
    columns = ("stretch", "active [kPa]", "passive [kPa]", "both [kPa]", "tendon [MPa]")
    return Table("Stress along the fibre per rest area, at full activation", columns, rows)


def _published(x: Floats, found: Curves) -> Table:
    rows = []
    for kind, mine in ((Kind.ACTIVE, found.active), (Kind.PASSIVE, found.passive)):
        near = (x >= 0.4) & (x <= 1.6) if kind is Kind.ACTIVE else (x >= 1.0) & (x <= 1.4)
        for name, one in published(kind).items():
            force = np.array([one.curve.force(float(at)) for at in x[near]])
            apart = np.abs(force - mine[near] / paper.MUSCLE.strength).max()
            rows.append((kind.value, name, one.source, float(apart)))
    columns = ("curve", "name", "source", "largest difference / strength")
    return Table("Published curves beside these laws", columns, rows)


def _drawn(found: Curves) -> Any:
    made, (left, middle, right) = style.figure(3, width=4.3)
    x, strength = found.stretch, paper.MUSCLE.strength
    for kind, name, colour in (
        (Kind.ACTIVE, "zajac", style.ORANGE),
        (Kind.ACTIVE, "thelen", style.VIOLET),
        (Kind.PASSIVE, "thelen", style.VIOLET),
    ):
        y = [published(kind)[name].curve.force(float(at)) for at in x]
        told = f"{kind.value}, {name}"
        left.plot(x, y, "--" if kind is Kind.ACTIVE else ":", color=colour, lw=1, label=told)
    left.plot(x, found.active / strength, color=style.RED, label="active")
    left.plot(x, found.passive / strength, color=style.BLUE, label="passive")
    left.plot(x, found.half / strength, color=style.GREEN, lw=1, label="both, half active")
    left.plot(x, (found.active + found.passive) / strength, color=style.INK, label="both")
    style.label(left, "muscle fibres", "fibre stretch", "stress / strength", ylim=(-0.05, 2.0))
    style.legend(left, loc="upper left")
    near = np.linspace(0.99, 1.06, 141)
    middle.plot(near, slopes(paper.TENDON[1:], near, 0.0) / 1e6, color=style.INK, label="tendon")
    middle.plot(
        near, slopes(paper.MUSCLE.laws[1:], near, 0.0) / 1e6, color=style.BLUE, label="muscle"
    )
    style.label(middle, "passive fibres", "fibre stretch", "stress [MPa]")
    style.legend(middle, loc="upper left")
    _draw_printed(right)
    return made


def _draw_printed(axes: Any) -> None:
    fine, coarse = np.linspace(0.5, 1.5, 101), np.linspace(0.5, 1.5, 21)
    for level in LEVELS:
        for x, style_of, laws in ((fine, "-", False), (coarse, ".", True)):
            y = [_axial(float(at), level, laws=laws) / 1e3 for at in x]
            told = None if laws else f"activation {level:g}"
            axes.plot(x, y, style_of, color=(level, 0.25, 1.0 - level), ms=4, lw=1, label=told)
    style.label(axes, "the whole tissue", "fibre stretch", "Cauchy stress along - across [kPa]")
    style.legend(axes, loc="upper left")


def _axial(stretch: float, level: float, *, laws: bool) -> float:
    """The stress along the fibre over that across [Pa], which does not depend on pressure."""
    F = np.diag([stretch, stretch**-0.5, stretch**-0.5])
    if laws:
        sigma = _stress(paper.MUSCLE.laws, F, level * paper.MUSCLE.strength) @ F.T
    else:
        sigma = paper.cauchy_stress(F, ALONG, level)
    return float(sigma[0, 0] - sigma[1, 1])


EXPERIMENT = Experiment(
    "fig5",
    "Fig. 5: active and passive fibres",
    "A Mooney-Rivlin matrix, K (ln J)² against changes of volume, and fibres of the stretch at "
    "constant volume: active ones pull hardest near their rest length and in proportion to the "
    "activation, passive ones are slack up to a stretch of 1 and follow an exponential beyond. "
    "Tendon is the same with stiffer constants and is never active.",
    run,
    (0.1, 0.2),
)
