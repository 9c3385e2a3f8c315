"""Force against length: an active muscle drawn out, and the same muscle at rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from vastus.experiments.clamp import ClampedTrial
from vastus.experiments.trial import Finding, Run, Table

LEAD = 4  # frames to activate, and as many to the first length


class ForceLength(ClampedTrial):
    """The far end is moved along the muscle's line, active and, above rest length, passive."""

    name = "force-length"
    title = "force against length"
    says = (
        "The far end is moved along the muscle's line, at constant activation; above length 1 it "
        "is moved at activation 0 too. Below, a muscle at rest is slack and folds."
    )
    unit = "mean fibre lengths; 1 is where the model has its ends"
    low, high, steps = 0.6, 1.4, 9

    def runs(self) -> Sequence[Run]:
        """The active one, and the passive one at the lengths above 1."""
        level, first = self.asked.activation, float(self.range[0])
        lengths = np.concatenate([np.ones(LEAD), np.linspace(1.0, first, LEAD), self.range])
        levels = np.full(len(lengths), level)
        levels[:LEAD] = np.linspace(0.0, level, LEAD)
        active = Run(
            "active", self.clamp.model, self.clamp.schedule(lengths, levels), len(self.range)
        )
        return [active, *self._passive()]

    def _passive(self) -> list[Run]:
        long = self.range[self.range >= 1.0]
        if not len(long):
            return []
        lengths = np.concatenate([[1.0], long])
        inputs = self.clamp.schedule(lengths, np.zeros(len(lengths)))
        return [Run("passive", self.clamp.model, inputs, len(long))]

    def finding(self, tables: Mapping[str, Table]) -> Finding:
        """Both curves over the mean fibre length, as shares of F0."""
        name, best = self.clamp.muscle, self.clamp.strongest
        found = dict(tables["active"])
        table = {
            "length": self.range,
            "stretch": found[f"{name}_stretch"],
            "optimal_length": found[f"{name}_stretch"] / self.clamp.optimal,
            "stretch_spread": found[f"{name}_stretch_spread"],
            "total_N": self.clamp.pull(found),
            "tension_N": found[f"{name}_force_N"],
            "active_N": found[f"{name}_active_N"],
            "passive_N": found[f"{name}_passive_N"],
        }
        table |= self._rest(tables)
        shares = {k.replace("_N", "_F0"): v / best for k, v in table.items() if k.endswith("_N")}
        table |= shares
        top = int(np.argmax(table["active_F0"]))
        return Finding(
            table,
            "optimal_length",
            "mean fibre length / optimal length",
            f"force / F0, F0 = {best:.4g} N",
            {
                "total_F0": "pull on the far end, active",
                "active_F0": "active fibre tension",
                "passive_F0": "passive fibre tension",
                **({"rest_F0": "pull on the far end, at rest"} if "rest_F0" in table else {}),
            },
            f"the active tension of '{name}' is largest, {table['active_N'][top]:.4g} N or "
            f"{table['active_F0'][top]:.3f} F0, at {table['optimal_length'][top]:.3f} of the "
            f"optimal fibre length (fibre stretch {table['stretch'][top]:.3f})",
            {"rest_F0": "rest_optimal_length"},
        )

    def _rest(self, tables: Mapping[str, Table]) -> dict[str, np.ndarray]:
        """Stretch and pull of the muscle at rest, in the same rows; not a number below length 1."""
        if "passive" not in tables:
            return {}
        found, long = dict(tables["passive"]), self.range >= 1.0
        names = ("rest_stretch", "rest_optimal_length", "rest_N")
        out = {name: np.full(len(self.range), np.nan) for name in names}
        out["rest_stretch"][long] = found[f"{self.clamp.muscle}_stretch"]
        out["rest_optimal_length"] = out["rest_stretch"] / self.clamp.optimal
        out["rest_N"][long] = self.clamp.pull(found)
        return out


class Passive(ClampedTrial):
    """The far end of a muscle at rest is moved along its line."""

    name = "passive"
    title = "force against length at rest"
    says = "The far end is moved along the muscle's line, at activation 0."
    unit = "mean fibre lengths; 1 is where the model has its ends"
    low, high, steps = 1.0, 1.4, 9
    levelled = False

    def runs(self) -> Sequence[Run]:
        """One, from rest to the first length and on to the last."""
        lengths = np.concatenate([np.linspace(1.0, self.range[0], LEAD), self.range])
        inputs = self.clamp.schedule(lengths, np.zeros(len(lengths)))
        return [Run("passive", self.clamp.model, inputs, len(self.range))]

    def finding(self, tables: Mapping[str, Table]) -> Finding:
        """Tension of the fibres and pull on the far end over the mean fibre length."""
        name, best = self.clamp.muscle, self.clamp.strongest
        found = dict(tables["passive"])
        tension, pull = found[f"{name}_passive_N"], self.clamp.pull(found)
        table = {
            "length": self.range,
            "stretch": found[f"{name}_stretch"],
            "optimal_length": found[f"{name}_stretch"] / self.clamp.optimal,
            **self.clamp.forces(tension, pull),
        }
        return Finding(
            table,
            "optimal_length",
            "mean fibre length / optimal length",
            f"force / F0, F0 = {best:.4g} N",
            {"tension_F0": "passive fibre tension", "pull_F0": "pull on the far end"},
            f"at rest and {table['optimal_length'][-1]:.3f} of the optimal fibre length "
            f"(fibre stretch {table['stretch'][-1]:.3f}), '{name}' pulls by "
            f"{pull[-1]:.4g} N or {pull[-1] / best:.3f} F0; its fibres carry {tension[-1]:.4g} N",
        )
