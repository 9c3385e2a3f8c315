"""Fig. 17: how sensitive activations are to cross-sections and via points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vastus.control.upper_body.dynamics import Dynamics
from vastus.control.upper_body.musculoskeleton import Musculoskeleton
from vastus.files.html import Table
from vastus.numerics.dual_newton import Optimum, least_activations
from vastus.numerics.rotation import unit
from vastus.numerics.types import Floats
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.upper_body import paper
from vastus.reproduce.upper_body.body import dynamics_of
from vastus.reproduce.upper_body.motion.poses import holding, six_poses

TESTS = (4, paper.TESTS)
ACTIVE = 1e-3  # an activation above which a muscle counts as activated
AREAS, POINTS = "areas, up to 5 %", "via points, up to 3 %"
BEYOND = 0.1  # a largest change that is considerable
Change = Callable[[Musculoskeleton, np.random.Generator], Musculoskeleton]


@dataclass(frozen=True, eq=False)
class Changes:
    """Of each muscle that is activated anywhere: mean and largest change (k,) of activation."""

    mean: Floats
    largest: Floats

    @property
    def small(self) -> float:
        """The share of muscles whose mean change is small."""
        return float(np.mean(self.mean < paper.SMALL))


Found = Mapping[str, Changes]


def run(setting: Setting) -> Finding:
    """Change areas and via points, and find activations again."""
    dynamics, tests = dynamics_of(), TESTS[setting.full]
    found = {}
    for name, change in CHANGES.items():
        setting.note(f"{name}, {tests} tests of {paper.POSES} poses")
        found[name] = changed(dynamics, change, tests)
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found, tests),
        tables=(_table(found),),
        figure=_drawn(found),
        caption="Muscles by the change of their activations: mean and largest over all poses and "
        "tests. The dotted line is at 0.03. Muscles that no pose activates are left out.",
    )


def with_other_areas(body: Musculoskeleton, rng: np.random.Generator) -> Musculoskeleton:
    """Each area changed by up to 5 %."""
    by = paper.AREA_CHANGE
    return body.with_areas(body.areas * rng.uniform(1.0 - by, 1.0 + by, len(body.areas)))


def with_other_points(body: Musculoskeleton, rng: np.random.Generator) -> Musculoskeleton:
    """Each point between the ends of a line moved anywhere, by up to 3 % of its length at rest."""
    model = copy(body.model)
    for t in range(len(body.muscles)):
        first, count = int(model.tendon_adr[t]), int(model.tendon_num[t])
        sites = model.wrap_objid[first + 1 : first + count - 1]
        reach = paper.VIA_CHANGE * float(model.tendon_length0[t])
        way = unit(rng.standard_normal((len(sites), 3))) if len(sites) else np.zeros((0, 3))
        model.site_pos[sites] += reach * rng.uniform(0.0, 1.0, (len(sites), 1)) * way
    return replace(body, model=model)


CHANGES: dict[str, Change] = {AREAS: with_other_areas, POINTS: with_other_points}


def changed(dynamics: Dynamics, change: Change, tests: int) -> Changes:
    """Activations of six poses before and after changes, so many times."""
    rng, poses = np.random.default_rng(0), six_poses(dynamics)
    base = {name: least_activations(*holding(dynamics, q)) for name, q in poses.items()}
    active = np.any([found.a > ACTIVE for found in base.values()], axis=0)
    differences = []
    for _ in range(tests):
        other = Dynamics(change(dynamics.body, rng))
        for name, q in poses.items():
            a = _again(other, q, base[name])
            differences.append(np.abs(a - base[name].a))
    apart = np.array(differences)[:, active]
    return Changes(apart.mean(axis=0), apart.max(axis=0))


def _again(dynamics: Dynamics, q: Floats, start: Optimum) -> Floats:
    return least_activations(*holding(dynamics, q), start=start).a


def agreement(found: Found) -> Agreement:
    """Whether nine of ten change little in the mean with areas, and some considerably at most."""
    return Agreement.of(
        found[AREAS].small > paper.SMALL_SHARE,
        bool(found[AREAS].largest.max() > BEYOND),
        bool(found[POINTS].largest.max() > BEYOND),
    )


def sentence(found: Found, tests: int) -> str:
    """How much activations change."""
    a, p = found[AREAS], found[POINTS]
    return (
        f"Of {len(a.mean)} muscles that {paper.POSES} poses activate, {100 * a.small:.1f} % change "
        f"by less than {paper.SMALL:g} in the mean when areas change by up to 5 % ({tests} tests); "
        f"the paper has more than {100 * paper.SMALL_SHARE:.0f} %. The largest mean change is "
        f"{a.mean.max():.3f}, the largest of all {a.largest.max():.2f}. With via points moved by "
        f"up to 3 % of lengths at rest it is {100 * p.small:.1f} %, {p.mean.max():.3f} and "
        f"{p.largest.max():.2f}. The paper says that activations can change considerably; of ours "
        f"{int((a.largest > BEYOND).sum())} and {int((p.largest > BEYOND).sum())} change by more "
        f"than {BEYOND:g} once."
    )


def _table(found: Found) -> Table:
    columns = ("what changes", "muscles activated", "mean change below 0.03 [%]",
               "paper [%]", "largest mean change", "largest change")  # fmt: skip
    rows = [
        (name, len(c.mean), 100 * c.small,
         "more than 90" if name == AREAS else "no number", float(c.mean.max()),
         float(c.largest.max()))
        for name, c in found.items()
    ]  # fmt: skip
    return Table("Changes of activations", columns, rows)


def _drawn(found: Found) -> Any:
    made, plots = style.figure(2, rows=2, width=5.2, height=3.0)
    letters = iter("abcd")
    axes_of = iter(plots)
    for name, changes in found.items():
        for what, values in (("mean", changes.mean), ("largest", changes.largest)):
            axes = next(axes_of)
            top = max(float(np.quantile(values, 0.995)), paper.SMALL)
            axes.hist(np.minimum(values, top), bins=40, range=(0.0, top), color=style.BLUE)
            axes.axvline(paper.SMALL, color=style.RED, ls=":", lw=1.2)
            style.label(axes, f"({next(letters)}) {name}: {what} change", "activation", "muscles")
    return made


EXPERIMENT = Experiment(
    "fig17",
    "Fig. 17: sensitivity",
    "Areas of all muscles are changed by up to 5 % at random, via points by up to 3 % of lengths "
    "at rest, ten times for six poses. More than 90 % of the muscles change by less than 0.03 in "
    "the mean when areas do; some change considerably.",
    run,
    (0.3, 0.8),
)
