"""Where a joint is: found from its bones, or placed and turned by numbers or by a handle."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.app.author.bench import ROOT
from vastus.app.author.edits import joints
from vastus.app.author.fits import Found, found_joint
from vastus.app.author.mode import Mode
from vastus.app.author.proposals import middle
from vastus.app.author.studio import Studio
from vastus.app.choice import Choice
from vastus.app.words import plain
from vastus.numerics.types import Floats
from vastus.scene.anatomy import JointKind

FOUND, PLACED = "found from the bones", "placed by hand"
HIDDEN = "Its handle is seen when a click selects parts, which is said under Muscles."
ACROSS = np.array([1.0, 0.0, 0.0])  # the axis of a handle that is not turned
SIZE = 0.12  # of the extent of the surfaces, of the handle


class JointPlace:
    """The place of one joint, whose name `refresh` is told."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._name = ""
        page, gui = studio.page, studio.page.server.gui
        self._way = Choice[str](page, "Its place is", self._set_way)
        self._told = gui.add_markdown("")
        self._centre = gui.add_vector3("Centre [mm]", (0.0, 0.0, 0.0), step=0.1)
        self._axis = gui.add_vector3("Axis", tuple(ACROSS), step=0.01)
        self._snap = gui.add_button("Snap to the bones")
        self._handle = page.server.scene.add_transform_controls(
            f"{ROOT}/joint", visible=False, depth_test=False
        )
        for number in (self._centre, self._axis):
            page.when(number, lambda _: self._typed(), key="joint")
        page.when(self._handle, lambda _: self._dragged(), key="joint", event="on_update")
        page.when(self._snap, lambda _: self._snapped())

    def refresh(self, name: str | None) -> None:
        """Show the place of a joint, or none."""
        shown = (self._way, self._centre, self._axis, self._snap, self._handle)
        for handle in shown:
            handle.visible = False
        self._told.content = ""
        if name is None:
            return
        self._name = name
        joint, found = self._studio.document.joints[name], self._found()
        placed = joint.centre is not None
        ways = [PLACED] if joint.kind is JointKind.WELD else [FOUND, PLACED]
        self._way.visible = True
        self._way.offer([(way, way) for way in ways], PLACED if placed else FOUND)
        painting = placed and self._studio.mode is not Mode.SELECT
        self._told.content = HIDDEN if painting else plain(found.sentence, 300)
        if placed and found.centre is not None:
            self._show(found, joint.axis)

    def _show(self, found: Found, said: tuple[float, float, float] | None) -> None:
        """Show the numbers and the handle of a placed joint; a hinge's axis as it was said."""
        assert found.centre is not None
        self._centre.visible = self._snap.visible = True
        self._centre.value = tuple(1e3 * c + 0.0 for c in found.centre)  # no -0.0
        self._axis.visible = said is not None
        if said is not None:
            self._axis.value = tuple(c + 0.0 for c in said)
        turn, _ = Rotation.align_vectors([ACROSS if found.axis is None else found.axis], [ACROSS])
        x, y, z, w = turn.as_quat()
        self._handle.position, self._handle.wxyz = tuple(found.centre), (w, x, y, z)
        self._handle.scale = SIZE * self._studio.extent
        # A click that paints must not meet the handle.
        self._handle.visible = self._studio.mode is Mode.SELECT

    def _found(self) -> Found:
        return found_joint(self._studio.document, self._studio.material, self._name)

    def _set_way(self, way: str) -> None:
        if way == FOUND:
            self._studio.edit(lambda d: joints.find_joint(d, self._name))
            return
        found, document = self._found(), self._studio.document
        centre = found.centre
        if centre is None:
            centre = middle(document, self._studio.material, document.joints[self._name].bones)
        self._place(centre, ACROSS if found.axis is None else found.axis)

    def _typed(self) -> None:
        axis = np.array(self._axis.value)
        if axis.any():  # between two numbers of a direction all may be zero
            self._place(np.array(self._centre.value) / 1e3, axis)

    def _dragged(self) -> None:
        w, x, y, z = self._handle.wxyz
        axis = Rotation.from_quat([x, y, z, w]).apply(ACROSS)
        self._place(np.asarray(self._handle.position, float), axis)

    def _snapped(self) -> None:
        loose = joints.find_joint(self._studio.document, self._name)
        fitted = found_joint(loose, self._studio.material, self._name)
        if fitted.centre is None:
            self._studio.page.complain(fitted.sentence)
        else:
            self._place(fitted.centre, ACROSS if fitted.axis is None else fitted.axis)

    def _place(self, centre: Floats, axis: Floats) -> None:
        name = self._name
        hinge = self._studio.document.joints[name].kind is JointKind.HINGE
        turned = axis.tolist() if hinge else None
        self._studio.edit(lambda d: joints.place_joint(d, name, centre.tolist(), turned))
