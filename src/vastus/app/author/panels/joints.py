"""Joints: proposed from the shape of bones, or placed and turned by a handle."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.app.author.document import Document
from vastus.app.author.edits import joints
from vastus.app.author.fits import Found, found_joint
from vastus.app.author.guide import drive_of
from vastus.app.author.mode import Mode
from vastus.app.author.studio import Studio
from vastus.app.choice import Choice
from vastus.app.words import plain
from vastus.model import Drive, Tissue
from vastus.numerics.types import Floats
from vastus.scene.anatomy import JointKind

FOUND, PLACED = "found from the bones", "placed by hand"
HINT = "A joint ties two bones; the second moves on the first. The red arrow is a hinge's axis."
LENGTH = 0.15  # of the extent, of the line that shows an axis


class JointsPanel:
    """Adds joints, and places the chosen one by a handle in the picture."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._chosen: str | None = None
        page, gui = studio.page, studio.page.server.gui
        gui.add_markdown(HINT)
        self._propose = gui.add_button("Propose joints")
        self._add = gui.add_button("Add a joint")
        self._joint = Choice[str](page, "Joint", self._choose)
        self._name = gui.add_text("Name of the joint", "")
        self._kind = Choice[JointKind](page, "Kind", self._set_kind)
        self._first = Choice[str](page, "First bone", lambda b: self._set_bone(0, b))
        self._second = Choice[str](page, "Second bone", lambda b: self._set_bone(1, b))
        self._place = Choice[str](page, "Its place is", self._set_place)
        self._told = gui.add_markdown("")
        self._centre = gui.add_vector3("Centre [mm]", (0.0, 0.0, 0.0), step=0.1)
        self._axis = gui.add_vector3("Axis", (1.0, 0.0, 0.0), step=0.01)
        self._snap = gui.add_button("Snap to the bones")
        self._remove = gui.add_button("Remove this joint")
        self._handle = page.server.scene.add_transform_controls(
            "/joint", visible=False, depth_test=False
        )
        page.when(self._propose, lambda _: self._proposed())
        page.when(self._add, lambda _: self._added())
        page.when(self._name, lambda _: self._rename(), key="rename joint")
        for number in (self._centre, self._axis):
            page.when(number, lambda _: self._typed(), key="joint")
        page.when(self._handle, lambda _: self._dragged(), key="joint", event="on_update")
        page.when(self._snap, lambda _: self._snapped())
        page.when(
            self._remove,
            lambda _: studio.edit(lambda d: joints.remove_joint(d, self._name_of())),
        )

    def refresh(self) -> None:
        """Show the chosen joint."""
        document = self._studio.document
        if self._chosen not in document.joints:
            self._chosen = next(iter(document.joints), None)
        bones = list(document.names.bones)
        self._add.disabled = self._propose.disabled = len(bones) < 2
        self._joint.offer([(name, name) for name in document.joints], self._chosen)
        self._lines()
        shown = self._chosen is not None
        for handle in (
            self._name, self._kind, self._first, self._second, self._place, self._remove,
        ):  # fmt: skip
            handle.visible = shown
        if self._chosen is None:
            for hidden in (self._centre, self._axis, self._snap, self._handle):
                hidden.visible = False
            self._told.content = ""
            return
        joint = document.joints[self._chosen]
        self._name.value = self._chosen
        self._kind.offer([(kind.value, kind) for kind in JointKind], joint.kind)
        self._first.offer([(bone, bone) for bone in bones], joint.bones[0])
        self._second.offer([(bone, bone) for bone in bones], joint.bones[1])
        placed = joint.centre is not None
        ways = [(PLACED, PLACED)] if joint.kind is JointKind.WELD else [
            (FOUND, FOUND), (PLACED, PLACED),
        ]  # fmt: skip
        self._place.offer(ways, PLACED if placed else FOUND)
        self._show_place(placed, joint.kind is JointKind.HINGE)

    def touched(self, part: str, place: Floats) -> None:
        """Nothing."""

    def _show_place(self, placed: bool, hinge: bool) -> None:
        found = self._where()
        self._centre.visible = placed
        self._axis.visible = placed and hinge
        self._snap.visible = placed
        self._told.content = plain(found.sentence, 300)
        # A click that paints must not meet the handle.
        grabbed = self._studio.mode is Mode.SELECT
        self._handle.visible = found.centre is not None and placed and grabbed
        if found.centre is None:
            return
        self._centre.value = tuple(1e3 * c for c in found.centre)
        axis = np.array([1.0, 0.0, 0.0]) if found.axis is None else found.axis
        said = self._studio.document.joints[self._name_of()].axis
        self._axis.value = tuple(axis) if said is None else said
        turn, _ = Rotation.align_vectors([axis], [[1.0, 0.0, 0.0]])
        x, y, z, w = turn.as_quat()
        self._handle.position, self._handle.wxyz = tuple(found.centre), (w, x, y, z)
        self._handle.scale = 0.12 * self._extent()

    def _lines(self) -> None:
        """Draw the axis of each hinge, and a point where others are."""
        lines = []
        for name in self._studio.document.joints:
            where = found_joint(self._studio.document, self._studio.material, name)
            if where.centre is not None:
                axis = np.array([0.0, 0.0, 0.02]) if where.axis is None else where.axis
                half = LENGTH * self._extent() * axis / 2
                lines.append(np.stack([where.centre - half, where.centre + half]))
        self._studio.page.server.scene.add_line_segments(
            "/joints",
            np.array(lines or np.zeros((1, 2, 3)), np.float32),
            np.array((20, 90, 200), np.uint8),
            thickness=6.0,
            thickness_units="screen",
            visible=bool(lines),
        )

    def _extent(self) -> float:
        surfaces = self._studio.material.surfaces.values()
        if not surfaces:
            return 1.0
        return float(np.ptp(np.concatenate([s.X for s in surfaces]), axis=0).max())

    def _where(self) -> Found:
        return found_joint(self._studio.document, self._studio.material, self._name_of())

    def _name_of(self) -> str:
        assert self._chosen is not None
        return self._chosen

    def _choose(self, joint: str) -> None:
        self._chosen = joint
        self._studio.refresh()

    def _added(self) -> None:
        document = self._studio.document
        first, second = self._downwards()[:2]
        name = _free("joint", document.joints)
        self._chosen = name
        self._studio.edit(lambda d: joints.add_joint(d, name, JointKind.HINGE, (first, second)))

    def _proposed(self) -> None:
        """Add the joints that fit the bones that have none yet, all as one step."""
        studio, before = self._studio, self._studio.document
        tied = {frozenset(joint.bones) for joint in before.joints.values()}
        document = before
        for pair in combinations(self._downwards(), 2):
            if frozenset(pair) not in tied and self._can_move(pair):
                document = _with_fitting(document, studio, pair)
        if document is before:
            studio.page.tell("No two bones have the shape of a joint, are not tied and can move.")
            return
        added = [name for name in document.joints if name not in before.joints]
        words = f"add joint{'s' if len(added) > 1 else ''} {', '.join(added)}"
        self._chosen = added[0]
        studio.edit(lambda _: document.with_data(document.data, words))

    def _can_move(self, pair: tuple[str, str]) -> bool:
        """Whether a joint has anything to do: not between bones that are both driven."""
        return any(drive_of(self._studio.document, bone) is Drive.FREE for bone in pair)

    def _downwards(self) -> list[str]:
        """The bones from the highest down, so that the second of a joint hangs on the first."""
        document, surfaces = self._studio.document, self._studio.material.surfaces
        gravity = document.said.gravity or (0.0, 0.0, -1.0)

        def depth(bone: str) -> float:
            places = [
                surfaces[p].X.mean(axis=0) for p in document.names.bones[bone] if p in surfaces
            ]
            return float(np.mean(places, axis=0) @ gravity) if places else 0.0

        return sorted(document.names.bones, key=depth)

    def _rename(self) -> None:
        old, new = self._name_of(), self._name.value
        self._chosen = new.strip()
        self._studio.edit(lambda d: joints.rename_joint(d, old, new))

    def _set_kind(self, kind: JointKind) -> None:
        where = self._where()
        axis = (1.0, 0.0, 0.0) if where.axis is None else tuple(where.axis)
        name, weld = self._name_of(), kind is JointKind.WELD

        def changed(document: Document) -> Document:
            document = joints.set_joint_kind(document, name, kind, axis=axis)
            if weld and document.joints[name].centre is None:
                document = joints.place_joint(document, name, self._between().tolist())
            return document

        self._studio.edit(changed)

    def _set_bone(self, which: int, bone: str) -> None:
        pair = list(self._studio.document.joints[self._name_of()].bones)
        other = pair[1 - which]
        pair[which] = bone
        if bone == other:  # they change places, which is what was meant
            pair[1 - which] = self._studio.document.joints[self._name_of()].bones[which]
        self._studio.edit(lambda d: joints.set_joint_bones(d, self._name_of(), (pair[0], pair[1])))

    def _set_place(self, way: str) -> None:
        name = self._name_of()
        if way == FOUND:
            self._studio.edit(lambda d: joints.find_joint(d, name))
            return
        where = self._where()
        centre = self._between() if where.centre is None else where.centre
        self._place_at(centre, self._axis_for(where))

    def _axis_for(self, where: Found) -> Floats | None:
        hinge = self._studio.document.joints[self._name_of()].kind is JointKind.HINGE
        return (np.array([1.0, 0.0, 0.0]) if where.axis is None else where.axis) if hinge else None

    def _typed(self) -> None:
        centre, axis = np.array(self._centre.value) / 1e3, np.array(self._axis.value)
        if axis.any():  # between two numbers of a direction all may be zero
            self._put(centre, axis)

    def _dragged(self) -> None:
        w, x, y, z = self._handle.wxyz
        axis = Rotation.from_quat([x, y, z, w]).apply([1.0, 0.0, 0.0])
        self._put(np.asarray(self._handle.position), axis)

    def _put(self, centre: Floats, axis: Floats) -> None:
        name = self._name_of()
        hinge = self._studio.document.joints[name].kind is JointKind.HINGE
        self._place_at(centre, axis if hinge else None)

    def _place_at(self, centre: Floats, axis: Floats | None) -> None:
        name, turned = self._name_of(), None if axis is None else axis.tolist()
        self._studio.edit(lambda d: joints.place_joint(d, name, centre.tolist(), turned))

    def _snapped(self) -> None:
        document, name = self._studio.document, self._name_of()
        fitted = found_joint(joints.find_joint(document, name), self._studio.material, name)
        if fitted.centre is None:
            self._studio.page.complain(fitted.sentence)
            return
        self._place_at(fitted.centre, fitted.axis)

    def _between(self) -> Floats:
        """(3,) midway between the bones of the joint [m]."""
        document, surfaces = self._studio.document, self._studio.material.surfaces
        parts = [
            part
            for bone in document.joints[self._name_of()].bones
            for part in document.names.bones[bone]
            if document.names.parts[part] is Tissue.BONE and part in surfaces
        ]
        return np.mean([surfaces[part].X.mean(axis=0) for part in parts], axis=0)


def _free(stem: str, taken: object) -> str:
    names = [stem, *(f"{stem} {number}" for number in range(2, 1000))]
    return next(name for name in names if name not in taken)  # type: ignore[operator]


def _with_fitting(document: Document, studio: Studio, pair: tuple[str, str]) -> Document:
    """The document with the joint that fits two bones: a ball if one does, else a hinge."""
    for kind in (JointKind.BALL, JointKind.HINGE):
        name = _free(f"{pair[0]} to {pair[1]}", document.joints)
        trial = joints.add_joint(document, name, kind, pair)
        if found_joint(trial, studio.material, name).centre is not None:
            return trial
    return document
