"""How far an output goes when each parameter goes from its low to its high end by itself."""

from __future__ import annotations

from pathlib import Path

from vastus.pictures.studies.canvas import BLUE, RED, figure, plain, short
from vastus.pictures.studies.labels import label
from vastus.studies.analysis import swings
from vastus.studies.folder import StudyFolder


def draw_tornado(study: StudyFolder, path: Path, *, output: str) -> None:
    """Bars about the value in the middle, the widest on top."""
    middle, found = swings(study, output)
    with figure(path, 7.6, 1.4 + 0.5 * len(found)) as made:
        axes = plain(made.add_subplot())
        reach = max((abs(end[1] - middle) for s in found for end in (s.low, s.high)), default=1.0)
        for row, swing in enumerate(reversed(found)):
            ends = ((swing.low, BLUE), (swing.high, RED))
            same = (swing.low[1] - middle) * (swing.high[1] - middle) > 0
            for number, (end, ink) in enumerate(ends):
                place = row + (0.2 if number else -0.2) * same
                axes.barh(place, end[1] - middle, 0.35 if same else 0.6, left=middle, color=ink)
                right = end[1] >= middle
                axes.annotate(
                    short(end[0]), (end[1], place), xytext=(4 if right else -4, 0),
                    textcoords="offset points", ha="left" if right else "right", va="center",
                    fontsize=7,
                )  # fmt: skip
        axes.set_yticks(range(len(found)), [swing.parameter for swing in reversed(found)])
        axes.axvline(middle, color="black", linewidth=0.8)
        axes.set_xlim(middle - 1.25 * reach - 1e-12, middle + 1.25 * reach + 1e-12)
        axes.set_xlabel(
            f"{label(study, output)}  (blue: low end, red: high end, line: all in the middle)"
        )
