"""The panels that say what is shown of a model: its colours, a cut, its parts, and a probe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.app.figure import SHADES, Figure, Hit
from vastus.app.look import ColourBy, Limits, Look, Plane
from vastus.app.text import label, plain
from vastus.app.web_page import Page
from vastus.files.identifiers import unlike
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.parts import Region, Tissue
from vastus.pictures.colours import FIELDS, MAPS, Shade
from vastus.pictures.field_values import has_field, values_of
from vastus.results.playback import Snapshot

BAR = (
    '<div style="padding:0 1em 0.4em;font-size:0.8em"><div>{title}</div>'
    '<div style="height:0.9em;border-radius:3px;background:linear-gradient(to right,{stops})">'
    '</div><div style="display:flex;justify-content:space-between">{ticks}</div></div>'
)
TICKS = 5
STEP = 0.001  # of the numbers to type
# Where there is nothing to find limits from.
USUAL: dict[ColourBy, Limits] = {
    ColourBy.ACTIVATION: (0.0, 1.0),
    ColourBy.STRETCH: (0.5, 1.5),
    ColourBy.STRESS: (0.0, 3e5),  # [Pa] the usual strength of muscle
    ColourBy.VOLUME: (0.9, 1.1),
    ColourBy.CONTACT: (0.0, 1e5),  # [Pa]
    ColourBy.SPEED: (0.0, 1.0),  # [m/s]
}
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
NONE, FREE = "no cut", "free"
ALL = "everything"
GROUPS = {
    Tissue.MUSCLE: "Muscles",
    Tissue.TENDON: "Tendons",
    Tissue.BONE: "Bones",
    Tissue.PASSIVE: "Other tissue",
}
Shown = Callable[[frozenset[str], frozenset[str] | None], None]
HINT = "Click on the model to see the numbers of that place."


def usual_limits(model: Model, *, moving: bool = False) -> dict[ColourBy, Limits]:
    """The limits of the fields that any state of a model has, or any of its motions in time."""
    touching = model.contact is not None and model.contact.acts
    lacking = {ColourBy.CONTACT: not touching, ColourBy.SPEED: not moving}
    return {what: ends for what, ends in USUAL.items() if not lacking.get(what)}


class Colouring:
    """Chooses the field that muscles are coloured by, of those there are limits for, and lines.

    The longest arrow of contact is for the force `longest` [N], or the largest of each moment.
    """

    def __init__(
        self,
        page: Page,
        limits: Mapping[ColourBy, Limits],
        change: Callable[[Look], None],
        longest: float | None = None,
    ) -> None:
        self._change, self._usual = change, dict(limits)
        self.look = Look(limits=dict(limits), longest=longest)
        gui = page.server.gui
        choices = tuple(p.value for p in ColourBy if p is ColourBy.TISSUE or p in limits)
        self._field = gui.add_dropdown("Colour by", choices, initial_value=ColourBy.TISSUE.value)
        self._bar = gui.add_html("")
        self._low = gui.add_number("From", 0.0, step=STEP, visible=False)
        self._high = gui.add_number("To", 1.0, step=STEP, visible=False)
        self._again = gui.add_button("Usual limits", visible=False)
        self._fibres = gui.add_checkbox("Fibres", False)
        self._joints = gui.add_checkbox("Joints", True)
        touching = ColourBy.CONTACT in limits
        self._forces = gui.add_checkbox("Contact forces", False, visible=touching)
        self._scale = gui.add_markdown(f"longest arrow: {longest or 0.0:.3g} N", visible=False)
        page.when(self._field, lambda _: self._recolour(), key="colour")
        for number in (self._low, self._high):
            page.when(number, lambda _: self._limited(), key="limits")
        page.when(self._again, lambda _: self._reset())
        for box in (self._fibres, self._joints, self._forces):
            page.when(box, lambda _: self._lines(), key="lines")

    def offer(self, colour_by: ColourBy, limits: Limits) -> None:
        """Let one more field be chosen."""
        self._usual[colour_by] = limits
        self.look.limits[colour_by] = limits
        self._field.options = tuple(
            p.value for p in ColourBy if p is ColourBy.TISSUE or p in self._usual
        )

    def _recolour(self) -> None:
        colour_by = ColourBy(self._field.value)
        self._set(replace(self.look, colour_by=colour_by))

    def _limited(self) -> None:
        colour_by = self.look.colour_by
        scale = SHADES[colour_by].scale
        low, high = self._low.value / scale, self._high.value / scale
        if low < high:
            self._set(replace(self.look, limits=self.look.limits | {colour_by: (low, high)}))

    def _reset(self) -> None:
        colour_by = self.look.colour_by
        self._set(replace(self.look, limits=self.look.limits | {colour_by: self._usual[colour_by]}))

    def _lines(self) -> None:
        fibres, joints, forces = (b.value for b in (self._fibres, self._joints, self._forces))
        self._scale.visible = forces and self.look.longest is not None
        self._set(replace(self.look, fibres=fibres, joints=joints, forces=forces))

    def _set(self, look: Look) -> None:
        self.look = look
        measured = look.colour_by is not ColourBy.TISSUE
        for handle in (self._low, self._high, self._again):
            handle.visible = measured
        self._bar.content = ""
        if measured:
            shade, (low, high) = SHADES[look.colour_by], look.limits[look.colour_by]
            self._low.value, self._high.value = (
                _short(shade.scale * low),
                _short(shade.scale * high),
            )
            self._bar.content = bar(shade, low, high)
        self._change(look)


def bar(shade: Shade, low: float, high: float) -> str:
    """HTML of a colour bar with its numbers, for limits in the unit of the field."""
    stops = ",".join(f"rgb({r},{g},{b})" for r, g, b in MAPS[shade.map].tolist())
    values = [shade.scale * (low + (high - low) * k / (TICKS - 1)) for k in range(TICKS)]
    ticks = "".join(f"<span>{_short(value):g}</span>" for value in values)
    return BAR.format(title=shade.title, stops=stops, ticks=ticks)


def _short(value: float) -> float:
    return float(f"{value:.4g}")


class Cutting:
    """Moves a plane through points (k, 3) [m]."""

    def __init__(self, page: Page, points: Floats, change: Callable[[Plane | None], None]) -> None:
        self._change, self._points = change, points
        gui = page.server.gui
        self._how = gui.add_dropdown("Cut across", (NONE, *AXES, FREE), initial_value=NONE)
        self._place = gui.add_slider(
            "Share kept [%]", min=0.0, max=100.0, step=0.5, initial_value=50.0, visible=False
        )
        self._flip = gui.add_checkbox("Other side", False, visible=False)
        extent = float(np.ptp(points, axis=0).max())
        self._handle = page.server.scene.add_transform_controls(
            "/cut",
            scale=0.2 * extent,
            position=tuple(np.median(points, axis=0)),
            visible=False,
            depth_test=False,
        )
        for what in (self._how, self._place, self._flip):
            page.when(what, lambda _: self._changed(), key="cut")
        page.when(self._handle, lambda _: self._changed(), key="cut", event="on_update")

    def _changed(self) -> None:
        how = self._how.value
        self._place.visible = how in AXES
        self._flip.visible = how != NONE
        self._handle.visible = how == FREE
        self._change(None if how == NONE else self._plane(how))

    def _plane(self, how: str) -> Plane:
        side = -1.0 if self._flip.value else 1.0
        if how == FREE:
            w, x, y, z = self._handle.wxyz
            normal = Rotation.from_quat([x, y, z, w]).apply([1.0, 0.0, 0.0])
            return Plane(np.asarray(self._handle.position, float), side * normal)
        normal = np.array(AXES[how])
        # So much of the model lies before the plane; far limbs do not move it out of the rest.
        along = np.percentile(self._points @ normal, self._place.value)
        return Plane(along * normal, side * normal)


class Parts:
    """A tree of regions by tissue, and a choice of one muscle or bone to see alone."""

    def __init__(self, page: Page, model: Model, change: Shown) -> None:
        self._change = change
        self._alone = _wholes(model)
        gui = page.server.gui
        self._isolate = gui.add_dropdown("Show only", (ALL, *self._alone), initial_value=ALL)
        page.when(self._isolate, lambda _: self._changed(), key="parts")
        self._boxes: dict[str, Any] = {}
        for tissue, title in GROUPS.items():
            names = [r.name for r in model.regions if r.tissue is tissue]
            if names:
                with gui.add_folder(f"{title} ({len(names)})", expand_by_default=False):
                    self._group(page, names)

    def _group(self, page: Page, names: list[str]) -> None:
        gui = page.server.gui
        everything = gui.add_checkbox("all of them", True)
        boxes = {name: gui.add_checkbox(label(name), True) for name in names}
        self._boxes |= boxes

        def all_of_them() -> None:
            for box in boxes.values():
                box.value = everything.value
            self._changed()

        page.when(everything, lambda _: all_of_them())
        for box in boxes.values():
            page.when(box, lambda _: self._changed(), key="parts")

    def _changed(self) -> None:
        hidden = frozenset(name for name, box in self._boxes.items() if not box.value)
        self._change(hidden, self._alone.get(self._isolate.value))


def _wholes(model: Model) -> dict[str, frozenset[str]]:
    """The regions of each muscle, each bone and each other region, by a name to show."""

    def of(wanted: Callable[[Region], bool]) -> frozenset[str]:
        return frozenset(r.name for r in model.regions if wanted(r))

    muscles = [(m.name, of(lambda r, m=m: r.muscle == m.name)) for m in model.muscles]  # type: ignore[misc]
    bones = [(bone.name, frozenset(bone.regions)) for bone in model.bones]
    loose = [(r.name, frozenset({r.name})) for r in model.regions if r.tissue is Tissue.PASSIVE]
    found: dict[str, frozenset[str]] = {}
    for name, regions in (*muscles, *bones, *loose):
        found[unlike(label(name), (ALL, *found))] = regions
    return found


class Probe:
    """Shows the values at the place that was clicked, and follows it through time."""

    def __init__(self, page: Page, figure: Figure) -> None:
        self._page, self._figure = page, figure
        self._hit: Hit | None = None
        self._moment: Snapshot | None = None
        self._row: Mapping[str, float] = {}
        self._text = page.server.gui.add_markdown(HINT)
        page.when_clicked(self._clicked)

    def show(self, moment: Snapshot, row: Mapping[str, float]) -> None:
        """The values of another moment, whose scalar outputs are `row`."""
        self._moment, self._row = moment, row
        self._update()

    def _clicked(self, origin: Floats, direction: Floats) -> None:
        self._hit = self._figure.hit(origin, direction)
        self._update()

    def _update(self) -> None:
        if self._hit is None or self._moment is None:
            self._text.content = HINT
            self._outline(np.zeros((0, 2, 3)))
            return
        model = self._figure.model
        corners = self._moment.x[model.mesh.T[self._hit.tet]]
        self._outline(np.array(list(combinations(corners, 2))))
        self._text.content = described(self._figure, self._hit, self._moment, self._row)

    def _outline(self, edges: Floats) -> None:
        self._page.server.scene.add_line_segments(
            "/probe",
            edges.astype(np.float32) if len(edges) else np.zeros((1, 2, 3), np.float32),
            np.array((255, 220, 0), np.uint8),
            thickness=4.0,
            thickness_units="screen",
            position=tuple(self._figure.offset),
            visible=bool(len(edges)),
        )


def described(figure: Figure, hit: Hit, moment: Snapshot, row: Mapping[str, float]) -> str:
    """Markdown of the values of a tet and of its muscle."""
    model, tet = figure.model, hit.tet
    region = model.regions[model.region[tet]]
    place = ", ".join(f"{1e3 * c:.1f}" for c in moment.x[model.mesh.T[tet]].mean(axis=0))
    lines = [f"**{plain(region.name)}** ({region.tissue.value}), tet {tet}", f"at ({place}) mm"]
    soft = tet in model.soft
    for shade in FIELDS.values():
        if (soft or shade.bones) and has_field(moment, shade):
            value = shade.scale * values_of(moment, shade).at_tet(model, tet)
            lines.append(f"{shade.label}: {value:.4g} {shade.unit}".strip())
    if region.muscle is not None:
        lines += _muscle(region.muscle, row)
    return "  \n".join(lines)


def _muscle(name: str, row: Mapping[str, float]) -> list[str]:
    columns = {
        "activation": ("_activation", 1.0, ""),
        "length": ("_length_m", 1e3, "mm"),
        "mean fibre stretch": ("_stretch", 1.0, ""),
        "force": ("_force_N", 1.0, "N"),
        "volume change": ("_volume_change", 100.0, "%"),
    }
    values = [
        f"{what}: {scale * row[f'{name}{ending}']:.4g} {unit}".strip()
        for what, (ending, scale, unit) in columns.items()
        if f"{name}{ending}" in row
    ]
    return [f"**muscle {plain(name)}**", *values] if values else []
