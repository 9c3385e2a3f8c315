"""What the picture of the joints shows: spheres, axes and centres, whole and close by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from vastus.io.build_colours import ORANGE, RED, part_colours
from vastus.io.build_scenes import views
from vastus.io.easel import Panel, Thing, solid
from vastus.io.lettering import Entry
from vastus.io.sheet import Sheet
from vastus.io.sides import four_sides, looking, square
from vastus.io.stage import drawing
from vastus.model import Model
from vastus.modelling.anatomy.body import Body
from vastus.modelling.anatomy.joint_fit import BallFit, HingeFit
from vastus.numerics.types import Floats
from vastus.skeleton.joints import Ball, Hinge, Weld

Fits = Mapping[str, BallFit | HingeFit]
BONY = 0.35  # opacity of bones
CLOSE = 7.0  # width of a close view, in radii
UNFITTED = 0.02  # radius of a joint that was given, of the extent of the body
COLOUR = np.array([0.10, 0.55, 0.45])


@dataclass(frozen=True, eq=False)
class Mark:
    """A joint to be drawn: its centre (3,), its axis (3,) if any, its radius [m], and words."""

    centre: Floats
    axis: Floats | None
    radius: float
    text: str
    given: bool


def joints_sheet(body: Body, model: Model, fits: Fits, up: Floats) -> Sheet | None:
    """The joints of a model, those that were fitted with the shape that fits; None without any."""
    marks = _marks(model, fits)
    if not marks:
        return None
    colours = part_colours(body.parts)
    bones = [(p, colours[i]) for i, p in enumerate(body.parts) if p.bony]
    things = [solid(p.surface.X, p.surface.faces, rgb, opacity=BONY) for p, rgb in bones]
    entries = []
    for number, mark in enumerate(marks, start=1):
        things += _shapes(mark, number)
        entries.append(Entry(number, COLOUR, mark.text, hollow=not mark.given, aside=True))
    points = np.concatenate([p.surface.X for p, _ in bones] or [model.mesh.X])
    lines = [
        "6 Joints: their centres and axes",
        "green: fitted sphere, or spool about its axis; orange: axis, pointing so that a positive "
        "turn is right-handed; red: centre; full badge: given by the author; ring: fitted",
    ]
    insets = [
        panel for number, mark in enumerate(marks, 1) for panel in _close(things, mark, number, up)
    ]
    return Sheet(lines, views(things, points, up)[:2], entries, insets)


def _marks(model: Model, fits: Fits) -> list[Mark]:
    """The model's joints in their order, then fits that the model has no joint for."""
    extent = float(np.linalg.norm(np.ptp(model.mesh.X, axis=0)))
    joints = {j.name: j for j in model.joints if isinstance(j, Ball | Hinge | Weld)}
    marks = []
    for name in dict.fromkeys([*joints, *fits]):
        pair = f" of {' and '.join(joints[name].bones)}" if name in joints else ""
        if name in fits:
            marks.append(_fitted(name + pair, fits[name]))
        else:
            joint = joints[name]
            axis = joint.direction if isinstance(joint, Hinge) else None
            kind = type(joint).__name__.lower()
            text = f"{name}{pair}: {kind}, given by the author"
            marks.append(Mark(np.asarray(joint.centre), axis, UNFITTED * extent, text, given=True))
    return marks


def _fitted(name: str, fit: BallFit | HingeFit) -> Mark:
    axis = fit.axis if isinstance(fit, HingeFit) else None
    kind = "ball" if axis is None else "hinge"
    return Mark(fit.centre, axis, fit.radius, f"{name}: {kind}, {fit.sentence}", given=False)


def _shapes(mark: Mark, number: int) -> list[Thing]:
    pyvista = drawing()
    core = pyvista.Sphere(radius=0.12 * mark.radius, center=mark.centre)
    shapes = [solid(core.points, core.regular_faces, RED, number)]
    if mark.axis is None:
        shape = pyvista.Sphere(radius=mark.radius, center=mark.centre)
    else:
        length = 3.5 * mark.radius
        arrow = pyvista.Arrow(
            start=mark.centre - 0.5 * length * mark.axis,
            direction=mark.axis,
            tip_length=0.15,
            tip_radius=0.03,
            shaft_radius=0.012,
            scale=length,
        ).triangulate()
        shapes.append(solid(arrow.points, arrow.regular_faces, ORANGE, number))
        shape = pyvista.Cylinder(
            center=mark.centre,
            direction=mark.axis,
            radius=mark.radius,
            height=1.2 * mark.radius,
            resolution=60,
        ).triangulate()
    return [*shapes, solid(shape.points, shape.regular_faces, COLOUR, opacity=0.35)]


def _close(things: list[Thing], mark: Mark, number: int, up: Floats) -> list[Panel]:
    """A joint close by: along its axis and across it, or from the front and the right."""
    if mark.axis is None:
        front, right, *_ = four_sides(up)
        sides = {front.name: front, right.name: right}
    else:
        along = looking(mark.axis, up)
        sides = {"against its axis": along, "across its axis": looking(along.right, up)}
    width = CLOSE * mark.radius
    return [
        Panel(things, square(mark.centre, width, side), f"{number}, {name}")
        for name, side in sides.items()
    ]
