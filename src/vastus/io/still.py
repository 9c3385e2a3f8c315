"""One state as a picture: in the colours of its tissues, or of a field with a colour bar."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vastus import given
from vastus.errors import known
from vastus.fields import Fields
from vastus.io.clip import Clip, Shot, shot
from vastus.io.colour_bar import numbers, with_bar
from vastus.io.colours import FIELDS, Shade
from vastus.io.picture import Picture
from vastus.io.skin import IVORY, Skin
from vastus.io.stage import Stage
from vastus.materials.base import require
from vastus.model import Model, Tissue
from vastus.motion import State, rest
from vastus.numerics.types import Floats, Ints

LOWEST, HIGHEST = 32, 8192  # [px]


def still(
    model: Model,
    state: State | None = None,
    *,
    colour: str | None = None,
    height: int = 600,
    view: Sequence[float] | None = None,
    limits: tuple[float, float] | None = None,
) -> Picture:
    """The picture of a state, or of the model at rest.

    `colour` names a field of `FIELDS`, and `limits` are the ends of its colours, in SI units; bones
    stay ivory. `view` is the direction (3,) to the camera.
    """
    require(LOWEST <= height <= HIGHEST, f"a picture {height} pixels high cannot be drawn")
    state = state or rest(model)
    shown = Clip(model, (shot(model, state),))
    painter = None if colour is None else Painter(model, state, _shade(colour), limits)
    direction = None if view is None else _direction(view)
    with Stage(shown, height, paint=painter, view=direction) as stage:
        pixels = stage.picture(shown.shots[0])
    if painter is not None:
        pixels = with_bar(pixels, painter.shade, *painter.limits, painter.numbers)
    return Picture(pixels, f"{model.name} at {state.inputs.time:g} s")


class Painter:
    """Colours the points of a skin by a field of one state."""

    def __init__(
        self, model: Model, state: State, shade: Shade, limits: tuple[float, float] | None
    ) -> None:
        self.shade = shade
        self._values = Fields(model).of(state)[shade.field]
        self.limits = limits or shade.limits_of(self._values[_regarded(model)])
        self.numbers = numbers(self._values[model.soft], shade, *self.limits)

    def __call__(self, skin: Skin, _: Shot) -> np.ndarray:
        """(p, 3) uint8."""
        if skin.tissue is Tissue.BONE:
            return np.tile((255 * IVORY).astype(np.uint8), (len(skin.vertices), 1))
        return self.shade.colours(skin.averaged(self._values), *self.limits)


def _regarded(model: Model) -> Ints:
    """The tets whose values the colours must tell apart: muscle, since tendon bears far more."""
    muscle = np.flatnonzero(model.tissue == list(Tissue).index(Tissue.MUSCLE))
    return muscle if len(muscle) else model.soft


def _shade(name: str) -> Shade:
    if name not in FIELDS:
        raise known("field", name, FIELDS)
    return FIELDS[name]


def _direction(view: Sequence[float]) -> Floats:
    direction = given.numbers(view, "'view'", (3,))
    size = float(np.linalg.norm(direction))
    require(0 < size < np.inf, f"'view' must be a direction, not {list(view)}")
    return np.asarray(direction / size)
