"""The state of the page for operations: the patient's history, what is chosen, and its findings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import numpy as np

from vastus.app.history import Change, History
from vastus.app.surgery.body_display import BodyDisplay, Others, View
from vastus.app.surgery.bones import SeenBone
from vastus.app.surgery.changes_file import opened
from vastus.app.surgery.operated import Operated
from vastus.app.web_page import JobQueue, Page
from vastus.bodies.body import Body
from vastus.bodies.paths import Poses
from vastus.control.disorders.comparison import Comparison, compare
from vastus.control.disorders.examination import hinges_of
from vastus.control.disorders.insertion import path_sites
from vastus.errors import ModelError, VastusError, known
from vastus.numerics.types import Floats
from vastus.pictures.renderer import fitted

BROWSER_ANGLE = 75.0  # [deg] vertical, of the page's camera
VIEW = (0.72, -0.66, 0.22)  # the way to the camera: from before and the right, a little above
NEAR = 0.15  # [m] from the muscle, what is seen of its bones
SAMPLES = 9  # angles of a joint at which arms are looked at
MARGIN = 1.15  # by which all is seen from further away


class ClickMode(StrEnum):
    """What a click in the picture does, in the words of the page."""

    CHOOSE = "chooses a muscle or a bone"
    INSERT = "moves the insertion"


class Panel(Protocol):
    """A part of the page."""

    def refresh(self) -> None:
        """Show the patient, and what is chosen, as they are now."""


class Surgery:
    """What all panels share: the patient, what is chosen, and how a change is made."""

    def __init__(self, page: Page, body: Body, changes: Path, source: Path | None = None) -> None:
        """`changes` is the file of disorders, made if it is saved; `source` that of the body."""
        self.hinges = [name for name in hinges_of(body) if name]
        if not self.hinges:
            raise ModelError(f"'{source}' has no hinge with a name, so no joint to examine")
        patient, self.file = opened(changes, body)
        self.page, self.source, self.healthy = page, source, body
        self.history = History(Operated.of(patient))
        self.display = BodyDisplay(page.server, body)
        self.pose: Floats = np.array(body.home)
        changed = patient.disorders[0].muscles if patient.disorders else body.names[:1]
        self.muscles: tuple[str, ...] = tuple(changed)
        self.joint = self._moved_most()
        self.bone = self._bone_of_insertion()
        self.site: str | None = None  # the point of the path that is moved, the last if none
        self.click_mode, self.others = ClickMode.CHOOSE, Others.FAINT
        self.compared, self.gravity = 0, True
        self.found: Comparison | None = None  # None while it is computed
        self.trouble = ""  # why nothing could be found
        self.panels: list[Panel] = []
        self._asked: object = None
        self._examiner = JobQueue(page.complain)
        page.at_end(self._examiner.close)
        page.when_clicked(self._clicked)

    @property
    def operated(self) -> Operated:
        """The patient now, and all states before."""
        return self.history.now

    @property
    def bones(self) -> Sequence[SeenBone]:
        """The bones that can be chosen."""
        return self.display.bones

    @property
    def moved_sites(self) -> tuple[str, ...]:
        """The points of the paths of the chosen muscles that an operation moves."""
        if self.site is not None:
            return (self.site,)
        return tuple(path_sites(self.operated.body, muscle)[-1] for muscle in self.muscles)

    def edit(self, change: Callable[[Operated], Operated]) -> None:
        """Change the patient and show it; a refused change is shown as it was."""
        try:
            self.history = self.history.done(change(self.operated))
        finally:
            self.refresh()

    def insert(self, bone: int, place: Floats, key: str = "") -> None:
        """Move the insertion of the chosen muscles to a place (3,) [m] in the frame of a bone."""
        name = self.bones[bone].body
        if not name:
            raise ModelError("this bone has no name in the file, so no muscle can be fixed to it")
        self.bone = bone
        self.edit(lambda o: o.inserted(self.muscles, name, place, site=self.site, key=key))

    def undo(self) -> None:
        """Take the last step back."""
        self.history = self.history.undone()
        self.refresh()

    def redo(self) -> None:
        """Do the step again that was undone."""
        self.history = self.history.redone()
        self.refresh()

    def save(self) -> None:
        """Write the file of disorders."""
        self.file = self.file.saved(self.operated.disorders)
        self.refresh()

    def reload(self) -> None:
        """Take the file as it is on disk; what was done before can still be undone."""
        patient, self.file = opened(self.file.path, self.healthy)
        self.history = self.history.done(Operated.of(patient, Change("reload")))
        self.refresh()

    def choose_muscles(self, muscles: Sequence[str]) -> None:
        """Choose muscles, of which the first is the main one."""
        for name in muscles:
            if name not in self.healthy.names:
                raise known("muscle", name, self.healthy.names)
        self.muscles, self.site = tuple(dict.fromkeys(muscles)), None
        self.refresh()

    def choose_bone(self, bone: int) -> None:
        """Choose a bone by its number."""
        self.bone = bone
        self.refresh()

    def move(self, place: int, value: float) -> None:
        """Set a coordinate of the pose [rad or m]."""
        self.pose = self.pose.copy()
        self.pose[place] = value
        self.refresh()

    def refresh(self) -> None:
        """Let all panels show what is there now, and examine it."""
        self.compared = min(self.compared, len(self.operated.disorders))
        self._examine()
        for panel in self.panels:
            panel.refresh()
        self.draw()

    def draw(self) -> None:
        """Show the body."""
        view = View(
            self.muscles,
            self.bone,
            self.moved_sites,
            self.others,
            moving=self.click_mode is ClickMode.INSERT,
        )
        before = self.operated.stages[self.compared]
        self.display.show(self.operated.body, before.body, self.pose, view)

    def see(self, points: Floats, aspect: float = 0.9) -> None:
        """Let all visitors, and those to come, see points (k, 3) [m], from the side they are on."""
        left = points[:, 1].mean() > self.display.extent()[:, 1].mean()
        way = np.array(VIEW) * (1.0, -1.0 if left else 1.0, 1.0)
        view = fitted(points, way / np.linalg.norm(way), aspect, BROWSER_ANGLE)
        position = view.target + MARGIN * (view.position - view.target)
        self.page.look_from(position, view.target)
        self.page.aim(position, view.target)

    def see_muscle(self) -> None:
        """Let them see the bones that the chosen muscle is fixed to."""
        m = self.operated.body.model
        sites = path_sites(self.operated.body, self.muscles[0])
        bodies = {m.body(int(m.site(site).bodyid[0])).name for site in (sites[0], sites[-1])}
        ends = np.array([self.display.data.site(site).xpos for site in sites])
        points = [ends]
        for number, bone in enumerate(self.bones):
            if bone.body in bodies:
                placed = self.display.extent([number])
                gaps = np.linalg.norm(placed[:, None] - ends[None], axis=2).min(axis=1)
                points.append(placed[gaps < NEAR])
        self.see(np.concatenate(points))

    def _clicked(self, origin: Floats, direction: Floats) -> None:
        bone = self.display.bone_hit(origin, direction)
        if self.click_mode is ClickMode.INSERT:
            if bone is None:
                raise ModelError("there is no bone at this place; click on one")
            self.insert(bone.bone, bone.place)
            return
        muscle = self.display.muscle_hit(origin, direction)
        if muscle is not None and (bone is None or muscle[1] < bone.distance):
            self.choose_muscles([muscle[0]])
        elif bone is not None:
            self.choose_bone(bone.bone)

    def _examine(self) -> None:
        """Ask for what an examination finds, unless that was asked for already."""
        operated, before = self.operated, self.operated.stages[self.compared]
        pose = self.pose.tobytes()
        asked = (operated.disorders, self.compared, self.joint, self.gravity, pose)
        if asked == self._asked:
            return
        self._asked, self.found, self.trouble = asked, None, ""
        joint, posed, gravity = self.joint, self.pose, self.gravity

        def examined() -> None:
            found, trouble = None, ""
            try:
                found = compare(
                    operated.patient, [joint], before=before, pose=posed, gravity=gravity
                )
            except VastusError as error:
                trouble = str(error)
            self.page.jobs.post(lambda: self._tell(asked, found, trouble), key="findings")

        self._examiner.post(examined, key="examination")

    def _tell(self, asked: object, found: Comparison | None, trouble: str) -> None:
        if asked == self._asked:
            self.found, self.trouble = found, trouble
            for panel in self.panels:
                panel.refresh()

    def _moved_most(self) -> str:
        """The hinge about which the first chosen muscle has its largest arm, in any position."""
        m, poses = self.healthy.model, Poses(self.healthy)
        unit, arms = self.healthy.names.index(self.muscles[0]), []
        for joint in self.hinges:
            place, dof = int(m.joint(joint).qposadr[0]), int(m.joint(joint).dofadr[0])
            found = []
            limited = m.jnt_limited[m.joint(joint).id]
            low, high = m.joint(joint).range.tolist() if limited else (-np.pi, np.pi)
            for angle in np.linspace(low, high, SAMPLES):
                q = self.pose.copy()
                q[place] = angle
                found.append(abs(poses.at(q).arms[unit, dof]))
            arms.append(max(found))
        return self.hinges[int(np.argmax(arms))]

    def _bone_of_insertion(self) -> int | None:
        """The bone nearest to where the first chosen muscle ends."""
        body = self.operated.body
        data = body.data()
        end = data.site(path_sites(body, self.muscles[0])[-1]).xpos
        gaps = [bone.gap(bone.local(end, data)) for bone in self.bones]
        return int(np.argmin(gaps)) if gaps else None
