"""Joints: which bones they tie, of what kind they are, and where they are."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.app.author.document import Document
from vastus.app.author.editor import ClickMode, Editor
from vastus.app.author.edits import skeleton as joints
from vastus.app.author.joint_places import (
    JointSite,
    accept,
    downwards,
    free_name,
    joint_site,
    middle,
    proposed_joints,
)
from vastus.app.author.surface_display import ROOT
from vastus.app.text import label, plain
from vastus.app.web_page import Choice
from vastus.modelling.joints.joint_proposals import Proposal
from vastus.numerics.types import Floats
from vastus.skeleton.joints import JOINTS, Hinge, Joint

HINT = "A joint ties two bones; the second moves on the first. The line is a hinge's axis."
HIDDEN = "Its handle is seen when a click selects parts, which is said under Muscles."
ACROSS = np.array([1.0, 0.0, 0.0])  # the axis of a handle that is not turned
SIZE = 0.12  # of the extent of the surfaces, of the handle
AXIS, POINT = 0.15, 0.01  # of that extent, of the lines that show joints


class Placing(StrEnum):
    """Who says where a joint is, in the words of the page."""

    FOUND = "found from the bones"
    PLACED = "placed by hand"


class JointPlaceFields:
    """The place of one joint, whose name `refresh` is told."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._name = ""
        page, gui = editor.page, editor.page.server.gui
        self._method = Choice[Placing](page, "Its place is", self._set_method)
        self._text = gui.add_markdown("")
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
        shown = (self._method, self._centre, self._axis, self._snap, self._handle)
        for handle in shown:
            handle.visible = False
        self._text.content = ""
        if name is None:
            return
        self._name = name
        joint, site = self._editor.document.joints[name], self._site()
        placed = joint.centre is not None
        methods = [Placing.PLACED] if not joint.kind.findable else list(Placing)
        self._method.visible = True
        self._method.offer(
            [(m.value, m) for m in methods], Placing.PLACED if placed else Placing.FOUND
        )
        painting = placed and self._editor.click_mode is not ClickMode.SELECT
        self._text.content = HIDDEN if painting else plain(site.sentence, 300)
        if placed and site.centre is not None:
            self._show(site, joint.axis)

    def _show(self, site: JointSite, said: tuple[float, float, float] | None) -> None:
        """Show the numbers and the handle of a placed joint; a hinge's axis as it was said."""
        assert site.centre is not None
        self._centre.visible = self._snap.visible = True
        self._centre.value = tuple(1e3 * c + 0.0 for c in site.centre)  # no -0.0
        self._axis.visible = said is not None
        if said is not None:
            self._axis.value = tuple(c + 0.0 for c in said)
        turn, _ = Rotation.align_vectors([ACROSS if site.axis is None else site.axis], [ACROSS])
        x, y, z, w = turn.as_quat()
        self._handle.position, self._handle.wxyz = tuple(site.centre), (w, x, y, z)
        self._handle.scale = SIZE * self._editor.extent
        # A click that paints must not meet the handle.
        self._handle.visible = self._editor.click_mode is ClickMode.SELECT

    def _site(self) -> JointSite:
        return joint_site(self._editor.document, self._editor.files, self._name)

    def _set_method(self, method: Placing) -> None:
        if method is Placing.FOUND:
            self._editor.edit(lambda d: joints.find_joint(d, self._name))
            return
        site, document = self._site(), self._editor.document
        centre = site.centre
        if centre is None:
            centre = middle(document, self._editor.files, document.joints[self._name].bones)
        self._place(centre, ACROSS if site.axis is None else site.axis)

    def _typed(self) -> None:
        axis = np.array(self._axis.value)
        if axis.any():  # between two numbers of a direction all may be zero
            self._place(np.array(self._centre.value) / 1e3, axis)

    def _dragged(self) -> None:
        w, x, y, z = self._handle.wxyz
        axis = Rotation.from_quat([x, y, z, w]).apply(ACROSS)
        self._place(np.asarray(self._handle.position, float), axis)

    def _snapped(self) -> None:
        loose = joints.find_joint(self._editor.document, self._name)
        fitted = joint_site(loose, self._editor.files, self._name)
        if fitted.centre is None:
            self._editor.page.complain(fitted.sentence)
        else:
            self._place(fitted.centre, ACROSS if fitted.axis is None else fitted.axis)

    def _place(self, centre: Floats, axis: Floats) -> None:
        name = self._name
        hinge = self._editor.document.joints[name].kind is Hinge
        turned = axis.tolist() if hinge else None
        self._editor.edit(lambda d: joints.place_joint(d, name, centre.tolist(), turned))


class JointOffers:
    """Joints that are proposed, each to be accepted or refused by itself."""

    def __init__(self, editor: Editor, accepted: Callable[[Proposal, type[Joint]], None]) -> None:
        self._editor, self._accepted = editor, accepted
        self._folder = editor.page.server.gui.add_folder("Proposed joints", visible=False)
        self._refused: set[frozenset[str]] = set()
        self._offered: list[Proposal] = []
        self._shown: list[Any] = []

    def offer(self) -> None:
        """Look for joints anew, also for those that were refused."""
        self._refused = set()
        self._offered = proposed_joints(self._editor.document, self._editor.files)
        if not self._offered:
            self._editor.page.tell(
                "No two bones that can move and are not tied yet have the shape of a joint."
            )

    def refresh(self) -> None:
        """Show what is still open: neither tied, nor refused, nor of bones that went."""
        for handle in self._shown:
            handle.remove()
        self._shown = []
        document = self._editor.document
        closed = self._refused | {frozenset(joint.bones) for joint in document.joints.values()}
        bones = set(document.names.bones)
        left = [
            p
            for p in self._offered
            if frozenset(p.bones) not in closed and bones.issuperset(p.bones)
        ]
        self._folder.visible = bool(left)
        with self._folder:
            for proposal in left:
                self._show(proposal)

    def _show(self, proposal: Proposal) -> None:
        page, gui = self._editor.page, self._editor.page.server.gui
        sentence = f"{proposal.name}: {proposal.sentence}"
        self._shown.append(gui.add_markdown(plain(sentence, 300)))
        for kind in proposal.kinds:
            button = gui.add_button(label(f"Accept {proposal.name} as a {kind.kind}"))
            page.when(button, self._accepting(proposal, kind))
            self._shown.append(button)
        refuse = gui.add_button(label(f"Refuse {proposal.name}"))
        page.when(refuse, lambda _: self._refuse(proposal))
        self._shown.append(refuse)

    def _accepting(self, proposal: Proposal, kind: type[Joint]) -> Callable[[Any], None]:
        return lambda _: self._accepted(proposal, kind)

    def _refuse(self, proposal: Proposal) -> None:
        self._refused.add(frozenset(proposal.bones))
        self._editor.refresh()


class JointsPanel:
    """Adds joints, and says of the chosen one what it is and where."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._joint_name: str | None = None
        page, gui = editor.page, editor.page.server.gui
        gui.add_markdown(HINT)
        self._propose = gui.add_button("Propose joints")
        self._offers = JointOffers(editor, self._accepted)
        self._add = gui.add_button("Add a joint")
        self._joint = Choice[str](page, "Joint", self._choose)
        self._name = gui.add_text("Name of the joint", "")
        self._kind = Choice[type[Joint]](page, "Kind", self._set_kind)
        self._first = Choice[str](page, "First bone", lambda bone: self._set_bone(0, bone))
        self._second = Choice[str](page, "Second bone", lambda bone: self._set_bone(1, bone))
        self._place = JointPlaceFields(editor)
        self._remove = gui.add_button("Remove this joint")
        page.when(self._propose, lambda _: self._proposed())
        page.when(self._add, lambda _: self._added())
        page.when(self._name, lambda _: self._rename(), key="rename joint")
        page.when(
            self._remove, lambda _: editor.edit(lambda d: joints.remove_joint(d, self._name_of()))
        )

    def refresh(self) -> None:
        """Show the chosen joint."""
        document = self._editor.document
        if self._joint_name not in document.joints:
            self._joint_name = next(iter(document.joints), None)
        bones = [(bone, bone) for bone in document.names.bones]
        self._add.disabled = self._propose.disabled = len(bones) < 2
        self._offers.refresh()
        self._joint.offer([(name, name) for name in document.joints], self._joint_name)
        self._draw()
        self._place.refresh(self._joint_name)
        for handle in (self._name, self._kind, self._first, self._second, self._remove):
            handle.visible = self._joint_name is not None
        if self._joint_name is not None:
            joint = document.joints[self._joint_name]
            self._name.value = self._joint_name
            # What a wheel stands on is written in the scene: the handle has no place for it.
            kinds = [k for k in JOINTS.values() if k is joint.kind or "touch" not in k.placed_by()]
            self._kind.offer([(kind.kind, kind) for kind in kinds], joint.kind)
            self._first.offer(bones, joint.bones[0])
            self._second.offer(bones, joint.bones[1])

    def touched(self, part: str, place: Floats) -> None:
        """Nothing."""

    def _draw(self) -> None:
        """Draw the axis of each hinge, and a point where others are."""
        lines = []
        for name in self._editor.document.joints:
            site = joint_site(self._editor.document, self._editor.files, name)
            if site.centre is not None:
                half = POINT * ACROSS / 2 if site.axis is None else AXIS * site.axis / 2
                reach = self._editor.extent * half
                lines.append(np.stack([site.centre - reach, site.centre + reach]))
        self._editor.page.server.scene.add_line_segments(
            f"{ROOT}/joints",
            np.array(lines or np.zeros((1, 2, 3)), np.float32),
            np.array((20, 90, 200), np.uint8),
            thickness=6.0,
            thickness_units="screen",
            visible=bool(lines),
        )

    def _name_of(self) -> str:
        assert self._joint_name is not None
        return self._joint_name

    def _choose(self, joint: str) -> None:
        self._joint_name = joint
        self._editor.refresh()

    def _added(self) -> None:
        document = self._editor.document
        first, second = downwards(document, self._editor.files)[:2]
        name = self._joint_name = free_name("joint", document.joints)
        self._editor.edit(lambda d: joints.add_joint(d, name, Hinge, (first, second)))

    def _proposed(self) -> None:
        self._offers.offer()
        self._editor.refresh()

    def _accepted(self, proposal: Proposal, kind: type[Joint]) -> None:
        before = self._editor.document
        document = accept(before, proposal, kind)
        self._joint_name = next(name for name in document.joints if name not in before.joints)
        self._editor.edit(lambda _: document)

    def _rename(self) -> None:
        old, new = self._name_of(), self._name.value

        def renamed(document: Document) -> Document:
            after = joints.rename_joint(document, old, new)
            self._joint_name = next((j for j in after.joints if j not in document.joints), old)
            return after

        self._editor.edit(renamed)

    def _set_kind(self, kind: type[Joint]) -> None:
        name, files = self._name_of(), self._editor.files
        site = joint_site(self._editor.document, files, name)
        axis = ACROSS if site.axis is None else site.axis

        def changed(document: Document) -> Document:
            joint = document.joints[name]
            if not kind.findable and joint.centre is None:
                centre = middle(document, files, joint.bones).tolist()
                given = axis.tolist() if "axis" in joint.kind.placed_by() else None
                document = joints.place_joint(document, name, centre, given)
            return joints.set_joint_kind(document, name, kind, axis=axis.tolist())

        self._editor.edit(changed)

    def _set_bone(self, which: int, bone: str) -> None:
        name = self._name_of()
        first, second = self._editor.document.joints[name].bones
        other = (second, first)[which]
        if bone == other:  # they change places, which is what was meant
            other = (first, second)[which]
        pair = (bone, other) if which == 0 else (other, bone)
        self._editor.edit(lambda d: joints.set_joint_bones(d, name, pair))
