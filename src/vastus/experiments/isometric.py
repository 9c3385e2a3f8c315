"""Force against activation of a muscle held at one length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from vastus.experiments.clamp import ClampedTrial
from vastus.experiments.trial import Finding, Run, Table

LEAD = 4  # frames on the way to the first that counts


class Isometric(ClampedTrial):
    """Both ends are held where the model has them; the activation rises."""

    name = "isometric"
    title = "isometric force against activation"
    says = "Both ends are held where the model has them, and the activation rises."
    levelled = False
    unit = "activation"
    low, high, steps = 0.0, 1.0, 11

    def runs(self) -> Sequence[Run]:
        """One, from rest to the lowest activation and on to the highest."""
        lead = np.linspace(0.0, self.range[0], LEAD)[: LEAD * bool(self.range[0])]
        levels = np.concatenate([lead, self.range])
        inputs = self.clamp.schedule(np.ones(len(levels)), levels)
        return [Run("isometric", self.clamp.model, inputs, len(self.range))]

    def finding(self, tables: Mapping[str, Table]) -> Finding:
        """Fibre tension and the pull on the far end, in newtons and as shares of F0."""
        found, name = dict(tables["isometric"]), self.clamp.muscle
        tension, pull = found[f"{name}_force_N"], self.clamp.pull(found)
        best = self.clamp.strongest
        table = {
            "activation": found[f"{name}_activation"],
            "stretch": found[f"{name}_stretch"],
            **self.clamp.forces(tension, pull),
        }
        return Finding(
            table,
            "activation",
            "activation",
            f"force / F0, F0 = {best:.4g} N",
            {"tension_F0": "fibre tension", "pull_F0": "pull on the far end"},
            f"at activation {table['activation'][-1]:g}, '{name}' carries {tension[-1]:.4g} N and "
            f"pulls its far end by {pull[-1]:.4g} N; strength times cross-section is {best:.4g} N",
        )
