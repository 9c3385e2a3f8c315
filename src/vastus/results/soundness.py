"""Whether the frames of a result are sound: nothing inverted, joints closed, nothing in another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.results.result import Result


@dataclass(frozen=True)
class Soundness:
    """The worst of all frames: tets turned inside out, depth and gap [m]; without joints no gap."""

    inverted: int
    depth: float
    gap: float | None

    @classmethod
    def of(cls, result: Result) -> Soundness:
        """The soundness of a result.

        Contact does not act between two bones, whose joints have ranges instead: their depth does
        not count.
        """
        bones = {bone.name for bone in result.model.bones}
        depths = [
            inside.depth
            for frame in result.penetrations
            for inside in frame
            if not bones >= {inside.one, inside.other}
        ]
        gaps = [float(np.max(v)) for n, v in result.table.items() if n.endswith("_gap_m")]
        inverted = int(np.max(result.table["inverted"]))
        return cls(inverted, max(depths, default=0.0), max(gaps, default=None))
