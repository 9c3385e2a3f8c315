"""What a model of the gallery is to have done, by numbers of its frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.numerics.rotation import unit
from vastus.numerics.types import Floats
from vastus.reproduce.emu.models.performance import Measure
from vastus.results.playback import Playback
from vastus.results.result import Result


@dataclass(frozen=True)
class Deed:
    """A number that a model is to exceed, and how it is told: `bends its elbow by {:.0f} deg`."""

    name: str
    least: float
    told: str

    def done(self, measured: dict[str, float]) -> bool:
        """Whether it was done."""
        return measured[self.name] > self.least

    def sentence(self, measured: dict[str, float]) -> str:
        """What the number says."""
        return self.told.format(measured[self.name])


def turned(joint: str) -> Measure:
    """How far a joint turned from its first frame [deg]: to either side, at most, and from there
    back at the end, which may be beyond where it began.
    """

    def measure(result: Result) -> dict[str, float]:
        angle = result.table[f"{joint}_angle_deg"]
        moved = angle - angle[0]
        most = int(np.abs(moved).argmax())
        side = np.sign(moved[most])
        return {
            f"{joint} forward": float(moved.max()),
            f"{joint} backward": float(-moved.min()),
            f"{joint} reached": float(np.abs(moved[most])),
            f"{joint} returned": float(np.abs(moved[most] - moved[-1])),
            f"{joint} beyond": float(-side * moved[-1]),
        }

    return measure


def swung(joint: str) -> Measure:
    """How far a ball joint swung [deg]."""

    def measure(result: Result) -> dict[str, float]:
        return {f"{joint} swung": float(np.ptp(result.table[f"{joint}_swing_deg"]))}

    return measure


def carried(bone: str) -> Measure:
    """How a free bone was carried [mm]: up, along the ground, and how far it fell after that."""

    def measure(result: Result) -> dict[str, float]:
        way = 1e3 * middle(result, bone)
        way -= way[0]
        top = int(way[:, 2].argmax())
        return {
            f"{bone} lifted": float(way[top, 2]),
            f"{bone} carried": float(np.linalg.norm(way[:, :2], axis=1).max()),
            f"{bone} fell": float(way[top, 2] - way[top:, 2].min()),
        }

    return measure


def rolled(bone: str) -> Measure:
    """How far an upright bone leans [deg], and round how much of a circle it does [deg]."""

    def measure(result: Result) -> dict[str, float]:
        up = result.poses[:, _number(result, bone), :, 2]
        lean = np.degrees(np.arccos(np.clip(unit(up)[:, 2], -1.0, 1.0)))
        leaning = lean > 0.5 * lean.max()
        round_ = np.degrees(np.unwrap(np.arctan2(up[leaning, 1], up[leaning, 0])))
        return {f"{bone} leans": float(lean.max()), f"{bone} rolls": float(np.ptp(round_))}

    return measure


def tip(muscles: tuple[str, ...], mouth: str) -> Measure:
    """How far the free end of muscles rises [mm], and comes nearer to a joint than at first."""

    def measure(result: Result) -> dict[str, float]:
        model = result.model
        at = next(joint.centre for joint in model.joints if joint.name == mouth)
        own = np.isin(model.muscle_of_tet, [_muscle(result, name) for name in muscles])
        vertices = np.unique(model.mesh.T[own])
        far = vertices[np.argsort(-np.linalg.norm(model.mesh.X[vertices] - at, axis=1))[:40]]
        way = 1e3 * np.array([shot.x[far].mean(axis=0) for shot in Playback(result)])
        off = np.linalg.norm(way - 1e3 * at, axis=1)
        return {"tip rises": float(way[:, 2].max() - way[0, 2]), "nearer": float(off[0] - off[-1])}

    return measure


def spread(bones: tuple[str, ...]) -> Measure:
    """How far bones go apart from their common middle [mm], and back again."""

    def measure(result: Result) -> dict[str, float]:
        ways = 1e3 * np.array([middle(result, bone) for bone in bones])
        off = np.linalg.norm(ways - ways.mean(axis=0), axis=2).max(axis=0)
        top = int(off.argmax())
        return {"opens": float(off[top] - off[0]), "closes": float(off[top] - off[top:].min())}

    return measure


def all_of(*measures: Measure) -> Measure:
    """Several measures of one result."""

    def measure(result: Result) -> dict[str, float]:
        found: dict[str, float] = {}
        for each in measures:
            found |= each(result)
        return found

    return measure


def middle(result: Result, bone: str) -> Floats:
    """(k, 3) [m] where the middle of a bone is in each frame."""
    number = _number(result, bone)
    X = result.model.mesh.X[result.model.bone_of_vertex == number].mean(axis=0)
    poses = result.poses[:, number]
    return np.asarray(poses[:, :, :3] @ X + poses[:, :, 3])


def _number(result: Result, bone: str) -> int:
    return result.model.bone(bone)


def _muscle(result: Result, name: str) -> int:
    return [muscle.name for muscle in result.model.muscles].index(name)
