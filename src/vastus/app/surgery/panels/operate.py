"""Choose a muscle and a bone, and move where the muscle is fixed: by a click, or on the map."""

from __future__ import annotations

from collections.abc import Iterator
from math import degrees, radians

import numpy as np

from vastus.app.surgery.body_display import Others
from vastus.app.surgery.bone_map import ANGLE, HEIGHT, Mark, map_html
from vastus.app.surgery.surgery import ClickMode, Surgery
from vastus.app.web_page import Choice
from vastus.bodies.body import Body
from vastus.control.disorders.insertion import path_sites
from vastus.errors import ModelError
from vastus.numerics.types import Floats

NEAR = 0.02  # [m] from a bone, of the points of muscles that are marked on its map
GREEN, BLUE, RED = "#149650", "#465a96", "#b06058"  # as in the picture: now, before, others


class OperatePanel:
    """The tab in which muscles are chosen and their ends moved."""

    def __init__(self, surgery: Surgery) -> None:
        self._surgery = surgery
        page, gui = surgery.page, surgery.page.server.gui
        self._muscle: Choice[str] = Choice(page, "Muscle", lambda m: surgery.choose_muscles([m]))
        self._with: Choice[str] = Choice(page, "Together with", self._together)
        self._point: Choice[str] = Choice(page, "Point moved", self._choose_point)
        self._others = gui.add_dropdown(
            "Other muscles", tuple(Others), initial_value=surgery.others.value
        )
        page.when(self._others, lambda _: self._see_others())
        see = gui.add_button_group("Look at", ("muscle", "everything"))
        page.when(see, lambda _: self._look(see.value), event="on_click")
        gui.add_divider()
        self._click = gui.add_dropdown(
            "A click",
            tuple(ClickMode),
            initial_value=surgery.click_mode.value,
            hint="What a click in the picture does; drag to turn, roll to come nearer.",
        )
        page.when(self._click, lambda _: self._set_click())
        self._bone: Choice[int] = Choice(page, "Bone", surgery.choose_bone)
        self._map = gui.add_html("")
        self._angle = gui.add_number(ANGLE, 0.0, min=-180.0, max=180.0, step=0.1)
        self._height = gui.add_number(HEIGHT, 0.0, min=0.0, step=0.1)
        for field in (self._angle, self._height):
            page.when(field, lambda _: self._place(), key="map")

    def refresh(self) -> None:
        """Show what is chosen, and where it is on the bone."""
        s = self._surgery
        names = s.healthy.names
        self._muscle.offer(((name, name) for name in names), s.muscles[0])
        rest = [name for name in names if name != s.muscles[0]]
        added = s.muscles[1] if len(s.muscles) > 1 else ""
        none = [("nothing else", "")]
        several = [(", ".join(s.muscles[1:]), s.muscles[1])] if len(s.muscles) > 2 else []
        self._with.offer([*none, *several, *((n, n) for n in rest)], added)
        sites = path_sites(s.operated.body, s.muscles[0]) if len(s.muscles) == 1 else []
        own = [(f"{k}: {site}", site) for k, site in enumerate(sites[:-1], 1)]
        self._point.offer([("insertion, the last", ""), *own[::-1]], s.site or "")
        self._bone.offer(((b.title, k) for k, b in enumerate(s.bones)), s.bone)
        self._click.value = s.click_mode.value
        self._show_map()

    def _show_map(self) -> None:
        s = self._surgery
        for handle in (self._map, self._angle, self._height):
            handle.visible = s.bone is not None
        if s.bone is None:
            return
        bone = s.bones[s.bone]
        marks = list(self._marks())
        html = map_html(bone.map, bone.title, marks)
        if self._map.content != html:
            self._map.content = html
        self._height.max = round(1e3 * bone.map.length, 1)
        now = next((mark for mark in marks if mark.colour == GREEN), None)
        if now is not None:
            self._angle.value = round(degrees(now.angle), 1)
            self._height.value = round(1e3 * now.height, 1)

    def _marks(self) -> Iterator[Mark]:
        """Ends of other muscles on the bone, and that of the chosen ones before and now."""
        s = self._surgery
        moved, body = s.moved_sites, s.operated.body
        before = s.operated.stages[s.compared].body
        for muscle in body.names:
            for site in path_sites(body, muscle):
                if site not in moved:
                    yield from self._mark(body, site, muscle, RED)
        for site in moved:
            if not np.array_equal(_spot(before, site)[1], _spot(body, site)[1]):
                yield from self._mark(before, site, "before", BLUE, large=True)
        for site in moved:
            yield from self._mark(body, site, "now", GREEN, large=True)

    def _mark(
        self, body: Body, site: str, title: str, colour: str, *, large: bool = False
    ) -> Iterator[Mark]:
        """The mark of a site, if it is on the chosen bone."""
        s = self._surgery
        assert s.bone is not None
        bone = s.bones[s.bone]
        owner, place = _spot(body, site)
        if owner != bone.body or bone.gap(place) > NEAR:
            return
        if bone.gap(place) <= min(each.gap(place) for each in s.bones if each.body == owner):
            yield Mark(*bone.map.place(place), title, colour, large)

    def _together(self, other: str) -> None:
        s = self._surgery
        s.choose_muscles([*s.muscles, other] if other else s.muscles[:1])

    def _choose_point(self, site: str) -> None:
        self._surgery.site = site or None
        self._surgery.refresh()

    def _see_others(self) -> None:
        self._surgery.others = Others(self._others.value)
        self._surgery.draw()

    def _look(self, what: str) -> None:
        if what == "muscle":
            self._surgery.see_muscle()
        else:
            self._surgery.see(self._surgery.display.extent())

    def _set_click(self) -> None:
        self._surgery.click_mode = ClickMode(self._click.value)
        self._surgery.refresh()

    def _place(self) -> None:
        """Move the insertion to where the fields say."""
        s = self._surgery
        if s.bone is None:
            return
        angle, height = float(self._angle.value), float(self._height.value)
        point = s.bones[s.bone].map.point(radians(angle), 1e-3 * height)
        if point is None:
            raise ModelError(
                f"'{s.bones[s.bone].title}' has no surface at {angle:g} deg and {height:g} mm"
            )
        s.insert(s.bone, point, key=f"map {s.muscles} {s.bone}")


def _spot(body: Body, site: str) -> tuple[str, Floats]:
    """The body that a site is on, and its place (3,) [m] there."""
    m = body.model
    there = m.site(site)
    return m.body(int(there.bodyid[0])).name, np.array(there.pos)
