"""What the gallery has: a line, a size and a scene for each model, beside those of the EMU paper.

The gripper that air moves is not in the paper.

V. Modi, L. Fulton, A. Jacobson, S. Sueda and D. I. W. Levin, EMU: Efficient muscle simulation in
deformation space, Computer Graphics Forum 40 (1), 2020: its table 3 and its figures 10 to 19.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

SCENES = Path(__file__).parent / "scenes"


@dataclass(frozen=True)
class Size:
    """How large a model is."""

    tets: int
    bones: int
    muscles: int


@dataclass(frozen=True)
class Member:
    """A model of the gallery: what it does in a line, its size, and what the paper has of it, if
    it is there.
    """

    name: str
    line: str
    size: Size
    published: Size | None = None
    figure: str = ""

    @property
    def scene(self) -> str:
        """The text of its scene, which a person would change."""
        return (SCENES / f"{self.name}.yaml").read_text(encoding="utf-8")

    def sized(self, tets: int | None) -> str:
        """Its scene with about so many tets, or as many as it has."""
        if tets is None:
            return self.scene
        return re.sub(r"(?m)^(model:.*tets: )\d+", rf"\g<1>{tets}", self.scene)


MEMBERS: dict[str, Member] = {
    member.name: member
    for member in (
        Member(
            "fusiform", "a spindle of muscle lifts a bone", Size(600_000, 2, 1),
            Size(600_000, 2, 1), "20",
        ),
        Member(
            "bipennate", "a feather of muscle lifts a bone and a weight", Size(12_000, 2, 1),
            Size(12_000, 2, 1), "8",
        ),
        Member(
            "side_by_side", "two muscles contract against each other, held and then let go",
            Size(20_000, 2, 2), Size(20_000, 2, 2), "10",
        ),
        Member(
            "curved", "a muscle pulls a square bone round a corner", Size(11_000, 2, 1),
            Size(11_000, 2, 1), "10",
        ),
        Member(
            "biceps", "a biceps over two joints bends an elbow and lifts the upper arm",
            Size(33_000, 3, 1), Size(33_000, 3, 1), "12",
        ),
        Member(
            "leg", "hamstrings bend a knee", Size(43_000, 4, 5), Size(43_000, 4, 5), "13",
        ),
        Member(
            "upper_arm", "biceps bends an elbow, then triceps stretches it",
            Size(33_000, 4, 6), Size(33_000, 4, 6), "18",
        ),
        Member(
            "skull", "four muscles of a neck roll a cartoon head", Size(48_000, 2, 4),
            Size(48_000, 2, 4), "19",
        ),
        Member(
            "chest", "an arm bends while chest and back contract", Size(47_000, 5, 11),
            Size(47_000, 5, 11), "1",
        ),
        Member(
            "wheel", "two soft actuators turn the ring of a wheel to and fro", Size(3_000, 2, 2),
            Size(3_000, 2, 2), "14",
        ),
        Member(
            "elephant", "a trunk in four quarters reaches up, then curls to the mouth",
            Size(29_000, 2, 6), Size(29_000, 2, 2), "11",
        ),
        Member(
            "hand", "a soft hand reaches down, grasps a ball, lifts it and lets it fall",
            Size(18_000, 7, 9), Size(18_000, 7, 9), "14",
        ),
        Member(
            "gripper", "air closes three soft fingers on a ball and lifts it", Size(18_000, 3, 0),
        ),
        Member(
            "picker", "a trolley on rails grabs a fruit, carries it away and drops it",
            Size(289_000, 8, 6), Size(289_000, 6, 6), "15",
        ),
        Member(
            "swimmer", "a squid opens and closes its four arms in turn", Size(220_000, 5, 8),
            Size(220_000, 5, 8), "16",
        ),
    )
}  # fmt: skip
# The fourteen models of table 3.
PAPER = {name: member for name, member in MEMBERS.items() if member.published}
