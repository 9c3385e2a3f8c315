"""Whether an equilibrium lies on the branch of the one before: tets upright, energy paid for.

Along a path of equilibria the energy changes by the work of what drives the model and by nothing
else: dE/ds is the explicit derivative W of the energy by the drivers, the rest being in balance. So
the energy at the end is that at the beginning and the area under W, of which both ends are known. A
state that a solver strayed to has another energy (theory, "Branches").
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.energies.loops import squared_strains
from vastus.inputs import Inputs
from vastus.numerics.minimise import Moment, Outcome, Watch
from vastus.numerics.small import determinants, longest
from vastus.solvers.problem import Configuration, Equilibrium

ABOVE = 0.05  # of the change of W: how much more than a trapezium may lie under a smooth W
BELOW = 0.5  # and how much less: nothing, if W stays where it was until the end and then changes
SMALL = 1e-6  # of the load times the model's length: energies that no solver resolves
PLATEAU = 0.02  # of W: where it hardly changes, as after buckling, its change is no measure
BALANCED = 1e-2  # of the load: forces of a state that counts as an equilibrium
FORESEEN = 0.1  # of a step: how far from its end a prediction may have been that told the branch
LONG = 0.1  # mean change of Green's strain in a step that may still be made at once
PLAIN = 2  # iterates in a row that are farther than that, after which the end will be as well
NUDGE = 1e-4  # of a step, by which the drivers are moved to find W
FAIR = 1.0 / 16.0  # of a step: what repeats itself in steps so small is the model's
TINY = FAIR / 4  # of a step: what is too long even then is so by itself


@dataclass(frozen=True)
class Doubt:
    """Why a converged state may be the wrong one.

    If `bearable`, it is accepted where it repeats itself in steps of `patience`, and its sentence,
    if it has one, is said. Else the step is made smaller, to the part `shorter` of it.
    """

    sentence: str
    bearable: bool = False
    patience: float = 0.0
    shorter: float = 0.5


def doubt(
    before: Configuration,
    now: Inputs,
    outcome: Outcome[Configuration],
    ahead: Inputs,
    *,
    energy: bool = True,
) -> Doubt | None:
    """What is wrong with a step from one equilibrium to another, if anything is.

    Without `energy`, as for a method that only comes close to equilibria, tets alone are judged;
    so they are where the path before leads to the state.
    """
    after = outcome.point
    turned = _inverted(before, after)
    if turned or not energy or after.foreseen:
        return turned
    start = Equilibrium(before.problem, now)
    if not _balanced(start, before):
        return None  # the path begins beside the branch
    return _unpaid(before, start, now, outcome, ahead) or _long(before, after)


class Leap:
    """A watch that ends a step early: once it is plain that its end will be doubted as too long.

    Strain has nearly its final change after a few iterations, long before forces balance.
    """

    def __init__(self, before: Configuration, now: Inputs, watch: Watch | None) -> None:
        self._before, self._now, self._watch = before, now, watch
        self._start: Configuration | None = None  # of the iterations
        self._long = 0  # iterates in a row that were too far from where the step began
        self.doubt: Doubt | None = None  # of the step, if it was ended

    def __call__(self, moment: Moment) -> object:
        """Whether it is enough, by the other watch or because the step is too long."""
        if self._watch and self._watch(moment) is True:
            return True
        q = moment.place()
        if moment.iteration == 0 or self._start is None:
            self._start, self._long = q, 0
            return False
        found = _long(self._before, q)
        if found is None or came_near(self._start, self._before, q):
            self._long = 0
            return False
        self._long += 1
        begun = Equilibrium(self._before.problem, self._now)
        if self._long == PLAIN and _balanced(begun, self._before):
            self.doubt = found
        return self.doubt is not None


def came_near(start: Configuration, before: Configuration, after: Configuration) -> bool:
    """Whether a prediction was so near to what was found that it told the branch."""
    return _apart(start, after) <= FORESEEN * _apart(before, after)


def _balanced(there: Equilibrium, q: Configuration) -> bool:
    """Whether forces are near enough to balance for q to count as an equilibrium."""
    return bool(np.linalg.norm(there.gradient(q)) <= BALANCED * there.load + there.floor)


def _apart(a: Configuration, b: Configuration) -> float:
    """The largest distance of any vertex between two places [m]."""
    return longest(a.x - b.x)


def _long(before: Configuration, after: Configuration) -> Doubt | None:
    """A change of strain across which a path can hardly be told from its neighbours."""
    weights = before.problem.elastic.volumes
    if not len(weights):
        return None  # bones alone
    squares = np.empty(len(weights))
    squared_strains(before.F, after.F, squares)
    mean = float(np.sqrt(np.average(squares, weights=weights)))
    if mean <= LONG:
        return None
    return Doubt("", bearable=True, patience=TINY, shorter=min(0.5, LONG / mean))


def _inverted(before: Configuration, after: Configuration) -> Doubt | None:
    """Tets that the step turned inside out."""
    J = determinants(after.F)
    turned = np.flatnonzero(J <= 0)
    if not (determinants(before.F[turned]) > 0).any():
        return None
    worst = after.tet_name(int(np.argmin(J)))
    count = len(turned)
    what = "1 tet is" if count == 1 else f"{count} tets are"
    return Doubt(f"{what} inverted, worst {worst}", bearable=True, patience=FAIR)


def _unpaid(
    before: Configuration,
    start: Equilibrium,
    now: Inputs,
    outcome: Outcome[Configuration],
    ahead: Inputs,
) -> Doubt | None:
    """Energy that the drivers did not pay, or that was lost on the way."""
    problem, after, old = before.problem, outcome.point, start.value(before)
    first, last = _rate(before, now, ahead, 0.0), _rate(after, now, ahead, 1.0)
    gained, paid, change = outcome.value - old, 0.5 * (first + last), abs(last - first)
    length = problem.model.mesh.extent
    unresolved = (SMALL * outcome.load + start.floor / NUDGE) * length
    unresolved += PLATEAU * max(abs(first), abs(last))
    if -BELOW * change - unresolved <= gained - paid <= ABOVE * change + unresolved:
        return None
    if gained > paid:
        bearable = gained - paid <= BELOW * change
        return Doubt(
            f"the energy rose by {gained:.3g} J where about {paid:.3g} J were put in, so this is "
            "another equilibrium than the one that the path leads to",
            bearable=bearable,
            # W may have a peak on the way, as where something buckles: smaller steps tell.
            patience=FAIR if bearable else 0.0,
        )
    return Doubt(
        f"the energy fell by {paid - gained:.3g} J in a jump", bearable=True, patience=FAIR
    )


def _rate(q: Configuration, now: Inputs, ahead: Inputs, s: float) -> float:
    """The energy's derivative [J] by the drivers alone, at `s` of a step from `now` to `ahead`."""
    energies = []
    for nudge in (-NUDGE, NUDGE):
        inputs = now.towards(ahead, s + nudge)
        moved = q.problem.driven(q.state(inputs), inputs)
        energies.append(Equilibrium(q.problem, inputs).value(moved))
    return float(energies[1] - energies[0]) / (2 * NUDGE)
