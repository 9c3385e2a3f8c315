"""A quick release without time: an active muscle let shorten by small steps, each at equilibrium.

There is no inertia and no force-velocity relation yet, so that the force after a release is the
static one of the shorter length: it shows how stiff muscle and tendons are in series, not how fast
force comes back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from vastus.experiments.clamp import ClampedTrial
from vastus.experiments.trial import Finding, Run, Table

LEAD = 4  # frames to activate


class QuickRelease(ClampedTrial):
    """An active muscle at rest length is let shorten by ever longer steps."""

    name = "quick-release"
    title = "static release of an active muscle"
    says = (
        "The muscle is activated with its ends held, and the far end is then released by ever "
        "longer steps. Each step ends in equilibrium: without dynamics this is the static answer, "
        "which has no force-velocity relation and no recovery in time."
    )
    unit = "per cent of the mean fibre length, by which the far end is let go"
    low, high, steps = 0.0, 10.0, 11

    def runs(self) -> Sequence[Run]:
        """One: activation, then the releases."""
        lengths = np.concatenate([np.ones(LEAD), 1.0 - self.range / 100])
        levels = np.full(len(lengths), self.asked.activation)
        levels[:LEAD] = np.linspace(0.0, self.asked.activation, LEAD)
        inputs = self.clamp.schedule(lengths, levels)
        return [Run("release", self.clamp.model, inputs, len(self.range))]

    def finding(self, tables: Mapping[str, Table]) -> Finding:
        """The pull that is left, and how much of the release the belly took."""
        name, best = self.clamp.muscle, self.clamp.strongest
        found = dict(tables["release"])
        pull, belly = self.clamp.pull(found), found[f"{name}_belly_m"]
        table = {
            "release_percent": self.range,
            "release_m": self.range / 100 * self.clamp.fibre_length,
            "belly_shortening_m": belly[0] - belly,
            "stretch": found[f"{name}_stretch"],
            "tension_N": found[f"{name}_force_N"],
            "pull_N": pull,
            "pull_share": pull / pull[0],
        }
        slope = (pull[0] - pull[1]) / (table["release_m"][1] - table["release_m"][0])
        return Finding(
            table,
            "release_percent",
            "release [% of the fibre length]",
            f"force / force before, which is {pull[0]:.4g} N",
            {"pull_share": "static force after release"},
            f"'{name}' at activation {self.asked.activation:g} pulls {pull[0]:.4g} N or "
            f"{pull[0] / best:.3f} F0, falling by {slope:.3g} N/m at first (static)",
        )
