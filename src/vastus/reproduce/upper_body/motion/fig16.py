"""Fig. 16: breathing by intercostal muscles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.control.upper_body.articulated import Points
from vastus.control.upper_body.coactivation import Sharer
from vastus.control.upper_body.dynamics import Dynamics
from vastus.control.upper_body.exercises import Breath, breathing
from vastus.control.upper_body.recording import Recording
from vastus.control.upper_body.simulation import FPS, Simulation
from vastus.files.html import Table
from vastus.numerics.types import Floats, Ints
from vastus.pictures.colours import BLUE, IVORY, SILVER, muscle_colour
from vastus.pictures.panels import lines_shape, surface_shape
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.upper_body.body import (
    FRONT,
    SIDE,
    dynamics_of,
    posed_bones,
    posed_lines,
    seen,
    upper_body,
)

PERIOD, SECONDS = 4.0, (4.0, 8.0)  # [s]
ANGLE = 3.0  # [deg] of a quiet breath
SLACK, LIMIT = 1.05, 1.0  # slack by relaxed lengths, the greatest activation
RISES, EVEN, RETURNS = 1.0, 0.3, 0.1  # [mm] at least; to a side, and from the first, at most
OUTER, INNER = "external intercostal", "internal intercostal"
HEIGHT = (430, 760)


@dataclass(frozen=True, eq=False)
class Breathed:
    """A breath: the way of the sternum (k, 3) [mm], mean activations of intercostals (k,).

    `arms` [mm] are sums of moment arms that raise the two ribs of a space, over the spaces of the
    left side, of external and of internal muscles; `tips` (k,) [mm] how high rib tips have risen.
    """

    recording: Recording
    sternum: Floats
    outer: Floats
    inner: Floats
    arms: tuple[float, float]
    tips: Floats

    @property
    def full(self) -> int:
        """The frame of the first inspiration."""
        return round(0.5 * PERIOD * FPS)


def run(setting: Setting) -> Finding:
    """Breathe, and look at ribs and muscles."""
    dynamics = dynamics_of(SLACK)
    setting.note("breathing")
    found = breathed(dynamics, SECONDS[setting.full])
    setting.note("pictures")
    pictures = _pictures(dynamics, found, HEIGHT[setting.full])
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found),
        tables=(_table(found),),
        figure=_drawn(found, pictures),
        caption="The cage in expiration and inspiration from the front and from its left; "
        "horizontal lines are at the heights of the sternum's ends and of rib 7 in expiration, "
        "which is blue glass beside inspiration; lines of intercostal muscles are the redder the "
        "more active they are. Below: the way of the sternum, and mean activations.",
    )


def breathed(dynamics: Dynamics, seconds: float) -> Breathed:
    """A breath of the body."""
    body = dynamics.body
    exercise = breathing(dynamics, seconds=seconds, breath=Breath(np.radians(ANGLE), PERIOD))
    sharer = Sharer(len(body.muscles), limit=LIMIT)
    recording = Recording.of(list(Simulation(dynamics, exercise, sharer=sharer).frames()))
    way = 1e3 * recording.centre(dynamics.skeleton, "sternum")
    outer, inner = (body.group(name) for name in (OUTER, INNER))
    return Breathed(
        recording,
        way - way[0],
        recording.activations[:, outer].mean(axis=1),
        recording.activations[:, inner].mean(axis=1),
        (raising(dynamics, outer), raising(dynamics, inner)),
        _tips(dynamics, recording),
    )


def raising(dynamics: Dynamics, muscles: Ints) -> float:
    """[mm] the sum of arms that raise ribs, of muscles of the left side at rest."""
    body, rest = dynamics.body, dynamics.rest
    ribs = body.dofs(name for name in body.joints if name.startswith("rib") and name[-1] == "L")
    own = [k for k in muscles.tolist() if body.names[k].rsplit("_", 1)[-1].startswith("L")]
    arms = dynamics.at(rest, np.zeros_like(rest)).arms[np.ix_(own, ribs)]
    return float(-1e3 * arms.sum())


def _tips(dynamics: Dynamics, recording: Recording) -> Floats:
    """(k,) [mm] how far the tips of ribs 1 to 10 of the left have risen, on the mean."""
    body, skeleton = dynamics.body, dynamics.skeleton
    marks = upper_body().landmarks
    bodies = body.bodies(*(f"rib{k}L" for k in range(1, 11)))
    tips = np.array([marks.ribs[k, "L"].tip for k in range(1, 11)])
    skeleton.place(dynamics.rest)
    places, R = skeleton.frames()
    local = np.einsum("rji,rj->ri", R[bodies], tips - places[bodies])
    heights = []
    for q in recording.q:
        skeleton.place(q)
        heights.append(skeleton.positions(Points(bodies, local))[:, 2].mean())
    return 1e3 * (np.array(heights) - heights[0])


def agreement(found: Breathed) -> Agreement:
    """Whether sternum and ribs rise evenly and return, by external intercostals."""
    up, side = found.sternum[:, 2], found.sternum[:, 0]
    return Agreement.of(
        bool(up.max() > RISES and found.tips.max() > RISES),
        bool(np.abs(side).max() < EVEN and np.linalg.norm(found.sternum[-1]) < RETURNS),
        bool(found.outer[found.full] > 3 * found.inner[found.full]),
        found.arms[0] > 0 > found.arms[1],
    )


def sentence(found: Breathed) -> str:
    """How the cage moves, and by what."""
    up, forward = found.sternum[:, 2].max(), -found.sternum[found.full, 1]
    lack = float(np.abs(found.recording.missing).max())
    return (
        f"In a breath of {ANGLE:g} degrees the tips of ribs rise by {found.tips.max():.1f} mm on "
        f"the mean, and the sternum, which no muscle drives, by {up:.1f} mm, {forward:+.1f} mm "
        f"forward and {np.abs(found.sternum[:, 0]).max():.0e} mm to a side; it returns within "
        f"{np.linalg.norm(found.sternum[-1]):.2f} mm. At full inspiration external intercostal "
        f"muscles have an activation of {found.outer[found.full]:.2f} on the mean, internal ones "
        f"of {found.inner[found.full]:.2f}; no muscle exceeds {found.recording.peaks.max():.2f}, "
        f"and torques miss {lack:.0e} N m. Summed over the spaces of one side, external muscles "
        f"have arms of {found.arms[0]:+.0f} mm that raise ribs, internal ones of "
        f"{found.arms[1]:+.0f} mm: Hamberger's rule. The paper gives no numbers."
    )


def _table(found: Breathed) -> Table:
    rows = [
        ("sternum up [mm]", float(found.sternum[:, 2].max())),
        ("sternum forward at full inspiration [mm]", float(-found.sternum[found.full, 1])),
        ("rib tips up, mean [mm]", float(found.tips.max())),
        ("external intercostals at full inspiration, mean", float(found.outer[found.full])),
        ("internal intercostals at full inspiration, mean", float(found.inner[found.full])),
        ("arms of external intercostals, sum [mm]", found.arms[0]),
        ("arms of internal intercostals, sum [mm]", found.arms[1]),
        ("largest activation", float(found.recording.peaks.max())),
        ("processor time of a second [s]", found.recording.slowness),
    ]
    return Table("A breath", ("what", "here"), rows)


def _pictures(dynamics: Dynamics, found: Breathed, height: int) -> list[Image]:
    """Expiration and inspiration, from the front and from the left."""
    poses = found.recording.poses(dynamics.skeleton)
    cage = [row.name for row in upper_body().rows
            if row.name.startswith(("rib", "cart", "sternum")) or (row.name[0] == "T"
            and row.name[1:].isdigit())]  # fmt: skip
    first = posed_bones(poses[0], cage)
    X = np.concatenate([bone.X for _, bone in first])
    body = dynamics.body
    muscles = body.group(OUTER, INNER)
    rules = _rules(first)
    out = []
    for k in (0, found.full):
        bones = [
            surface_shape(b.X, b.faces, SILVER if name.startswith("cart") else IVORY)
            for name, b in posed_bones(poses[k], cage)
        ]
        levels = np.clip(found.recording.activations[k, muscles], 0.0, 1.0)
        colours = np.array([muscle_colour(float(a)) for a in levels])
        if k:
            bones += [surface_shape(b.X, b.faces, BLUE, opacity=0.3)
                      for name, b in first if name[0] != "T"]  # fmt: skip
        lines = lines_shape(posed_lines(poses[k], muscles.tolist()), colours, width=3.0)
        out += seen([*bones, lines, *rules], X, height, sides=(FRONT, SIDE), room=0.05)
    return out


def _rules(bones: Sequence[tuple[str, Any]]) -> list[Any]:
    """Lines across both views at heights of the sternum's ends and of the tip of rib 7."""
    sternum = np.concatenate([bone.X for name, bone in bones if name == "sternum"])
    rib = np.concatenate([bone.X for name, bone in bones if name == "rib7L"])
    heights = (sternum[:, 2].max(), sternum[:, 2].min(), rib[:, 2].min())
    out = []
    for z in heights:
        ends = (
            np.array([[-0.2, -0.3, z], [0.2, -0.3, z]]),
            np.array([[0.4, -0.2, z], [0.4, 0.2, z]]),
        )
        out += [lines_shape([end], BLUE, width=1.5) for end in ends]
    return out


def _drawn(found: Breathed, pictures: Sequence[Image]) -> Any:
    made, axes = style.mosaic("abcd;abcd;SSAA", width=3.2, height=2.2)
    names = ("expiration", "expiration, from its left", "inspiration", "inspiration, from its left")
    for letter, name, pixels in zip("acbd", (names[0], names[1], names[2], names[3]),
                                    pictures, strict=True):  # fmt: skip
        style.picture(axes[letter], pixels, name)
    times = found.recording.times
    for k, (name, colour) in enumerate(
        (("to the left", style.GREY), ("back", style.ORANGE), ("up", style.BLUE))
    ):
        axes["S"].plot(times, found.sternum[:, k], color=colour, label=name)
    axes["S"].plot(times, found.tips, color=style.GREEN, label="rib tips up")
    style.label(axes["S"], "the sternum from where it was", "time [s]", "mm")
    style.legend(axes["S"], loc="best")
    for name, values, colour in (
        ("external intercostals", found.outer, style.RED),
        ("internal intercostals", found.inner, style.VIOLET),
    ):
        axes["A"].plot(times, values, color=colour, label=name)
    style.label(axes["A"], "mean activation", "time [s]", "", ylim=(0, None))
    style.legend(axes["A"], loc="best")
    return made


EXPERIMENT = Experiment(
    "fig16",
    "Fig. 16: breathing",
    "Target angles of ribs follow a cosine, the same from the fifth rib on and less above. "
    "Intercostal muscles raise the ribs in inspiration; there is no diaphragm.",
    run,
    (0.5, 0.9),
)
