"""The arm whose elbow Figs. 10 to 13 examine: the built-in body's right one, or one of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vastus.bodies import Body, juggler, read_body
from vastus.bodies.appearance import bone_surfaces, course
from vastus.control.disorders import Disorder, Examination, Holding, Insertion, Patient, Weight
from vastus.control.disorders.examination import hinges_of
from vastus.errors import ModelError
from vastus.numerics.types import Floats
from vastus.pictures.bodies.body_pictures import BodyRenderer
from vastus.pictures.renderer import Image

BENT = 90.0  # [deg] of the elbow
# A fist is so many times as far from the elbow as the centre of forearm and hand: the latter is at
# 0.682 of the forearm (Winter), and a fist 0.06 m beyond its end.
FIST = 1.82
FIXED = 0.78  # of the humerus, from the shoulder, where an operation fixes a muscle
NEAREST = 0.02  # an activation that is told
SIDE = (0.35, -1.0, 0.1)  # the way to the camera: the outer side of a right arm


@dataclass(frozen=True, eq=False)
class ExaminedArm:
    """An elbow of a body, bent, with the muscles that disorders are given to."""

    body: Body
    arm: str
    elbow: str
    biceps: tuple[str, ...]
    brachialis: tuple[str, ...]
    joints: tuple[str, ...]  # which hold a weight together
    point: tuple[float, float, float] | None = None  # [m] of a weight, where there is no palm

    @property
    def flexors(self) -> tuple[str, ...]:
        """Biceps and brachialis."""
        return self.biceps + self.brachialis

    @property
    def pose(self) -> Floats:
        """(nq,) the home pose with the elbow bent."""
        q = np.array(self.body.home)
        q[self.body.model.joint(self.elbow).qposadr[0]] = np.radians(BENT)
        return q

    def examine(self, disorders: Sequence[Disorder] = ()) -> Examination:
        """The examination of the arm after disorders."""
        return Examination(Patient.of(self.body, disorders), self.pose)

    def hold(self, mass: float, disorders: Sequence[Disorder] = ()) -> Holding:
        """How a mass [kg] is held."""
        weight = Weight(mass, self.arm, self.point)
        return self.examine(disorders).holding(list(self.joints), weight)

    def to_humerus(self) -> list[Disorder]:
        """Operations that fix each head of the biceps to the humerus where it passes by."""
        model: Any = self.body.model
        joint = model.joint(self.elbow)
        forearm = int(np.ravel(joint.bodyid)[0])
        humerus = int(model.body_parentid[forearm])
        centre = model.body_pos[forearm]  # in the frame of the humerus
        long = centre / np.linalg.norm(centre)
        data = self.body.data(self.pose)
        operations: list[Disorder] = []
        for name in self.biceps:
            path = _fine(course(self.body, data, self.body.names.index(name)))
            local = (path - data.xpos[humerus]) @ data.xmat[humerus].reshape(3, 3)
            at = local[np.argmin(np.abs(local @ long - FIXED * np.linalg.norm(centre)))]
            x, y, z = at.tolist()
            place = Insertion(muscles=(name,), bone=model.body(humerus).name, position=(x, y, z))
            operations.append(place)
        return operations

    def pictures(
        self, shown: Sequence[tuple[Body, Floats, Floats]], height: int, **view: Any
    ) -> list[Image]:
        """Pictures of bodies at positions (nq,) with activations (units,), aimed at the arm."""
        model: Any = self.body.model
        dofs = list(self.body.arm(self.arm).dofs)
        only = {model.body(int(b)).name for b in model.dof_bodyid[dofs]}
        only |= {self.body.arm(self.arm).hand}
        seen = [
            bone.placed(data).X
            for data in (self.body.data(position) for _, position, _ in shown)
            for bone in bone_surfaces(self.body)
            if bone.body in only
        ]
        look = {"view": SIDE, "only": only, "points": np.concatenate(seen), **view}
        found = []
        for body, position, activations in shown:
            with BodyRenderer(body, position[None], height, **look) as renderer:
                found.append(renderer.picture(position, activations))
        return found

    def short(self, muscle: str) -> str:
        """The name of a muscle without that of its side."""
        return muscle.removeprefix("r_")


def examined_arm(path: Path | None) -> ExaminedArm:
    """The right arm of the built-in body, or the arm of an MJCF file that has an elbow.

    The file's elbow is the hinge, and its biceps and brachialis are the muscles, with `elbow`,
    `bic` and `bra` in their names. It holds weights by the elbow alone, since such arms have few
    muscles of the shoulder.
    """
    if path is None:
        whole = juggler()
        joints = tuple(whole.dof_names[dof] for dof in whole.arm("right").dofs)
        heads = ("r_BIClong", "r_BICshort")
        return ExaminedArm(whole, "right", "r_elbow_flexion", heads, ("r_BRA",), joints)
    body, palmed = _read(path)
    model: Any = body.model
    elbow = _one(path, "hinge", "elbow", hinges_of(body))[0]
    biceps = _one(path, "muscle", "bic", body.names)
    brachialis = _one(path, "muscle", "bra", body.names)
    hand = model.body(body.arms[0].hand).id
    x, y, z = (FIST * model.body_ipos[hand]).tolist()
    point = None if palmed else (x, y, z)
    return ExaminedArm(body, body.arms[0].name, elbow, biceps, brachialis, (elbow,), point)


def _read(path: Path) -> tuple[Body, bool]:
    """The body, and whether it has a palm; without one its outermost part is the hand."""
    from vastus.modelling.lines.mjcf import open_mjcf

    _, m = open_mjcf(path)
    if any("palm" in m.site(s).name.lower() for s in range(m.nsite)):
        return read_body(path), True
    joints = np.zeros(m.nbody, int)  # above each body, itself included
    for b in range(1, m.nbody):
        joints[b] = joints[m.body_parentid[b]] + m.body_jntnum[b]
    return read_body(path, hands={"arm": m.body(int(np.argmax(joints))).name}), False


def _one(path: Path, kind: str, part: str, names: Sequence[str]) -> tuple[str, ...]:
    found = tuple(name for name in names if part in name.lower())
    if not found:
        told = ", ".join(names) or "none"
        raise ModelError(f"'{path}' has no {kind} with '{part}' in its name; it has: {told}")
    return found


def _fine(path: Floats) -> Floats:
    """(k, 3) points of a path, each piece of it in a hundred parts."""
    s = np.linspace(0.0, len(path) - 1.0, 100 * (len(path) - 1) + 1)
    return np.stack([np.interp(s, np.arange(len(path)), x) for x in path.T], axis=1)


def helpers(
    arm: ExaminedArm, before: Floats, after: Floats, count: int = 3
) -> list[tuple[str, float, float]]:
    """The muscles, other than biceps and brachialis, whose activation has risen most."""
    others = [k for k, name in enumerate(arm.body.names) if name not in arm.flexors]
    rise = sorted(others, key=lambda k: before[k] - after[k])[:count]
    return [
        (arm.short(arm.body.names[k]), float(before[k]), float(after[k]))
        for k in rise
        if after[k] - before[k] > NEAREST
    ]
