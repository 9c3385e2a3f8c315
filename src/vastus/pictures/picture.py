"""A picture of a state: in the colours of its tissues, or of a field with a colour bar."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path

import numpy as np

from vastus.errors import known
from vastus.files.safe import replacing
from vastus.materials.base import require
from vastus.measure.contact_fields import PRESSURE
from vastus.measure.fields import Fields
from vastus.model import Model
from vastus.numerics.types import Floats, Ints
from vastus.parts import Tissue
from vastus.pictures.colours import FIELDS, TISSUE_COLOURS, Shade
from vastus.pictures.field_values import values_of
from vastus.pictures.renderer import Image, Renderer, load_pyvista
from vastus.pictures.skin import Skin
from vastus.results.playback import POINT_FIELDS, Snapshot, snapshot_of
from vastus.state import State, rest
from vastus.validate import numbers

INK, PAPER = (40, 46, 54), (255, 255, 255)
GAP = 8  # [px] between pictures
LOWEST, HIGHEST = 32, 8192  # [px]
DPI = 100


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """Pixels (height, width, 3) uint8 that notebooks show; `text` says what they show."""

    pixels: Image
    text: str = "picture"

    @cached_property
    def png(self) -> bytes:
        """The picture as a PNG file."""
        return png_bytes(self.pixels)

    def save(self, path: str | Path) -> None:
        """Write the picture; the suffix chooses the format, such as `.png` or `.jpg`."""
        save_image(self.pixels, path)

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        height, width = self.pixels.shape[:2]
        return f"<Picture of {self.text}, {width} x {height} pixels>"


def plot_state(
    model: Model,
    state: State | None = None,
    *,
    colour: str | None = None,
    height: int = 600,
    view: Sequence[float] | None = None,
    limits: tuple[float, float] | None = None,
) -> Picture:
    """The picture of a state, or of the model at rest; for the options see `plot_snapshot`."""
    state = state or rest(model)
    snapshot = snapshot_of(state) if colour is None else _measured(model, state, _shade(colour))
    return plot_snapshot(model, snapshot, colour=colour, height=height, view=view, limits=limits)


def plot_snapshot(
    model: Model,
    snapshot: Snapshot,
    *,
    colour: str | None = None,
    height: int = 600,
    view: Sequence[float] | None = None,
    limits: tuple[float, float] | None = None,
) -> Picture:
    """The picture of a snapshot that has the field to be shown.

    `colour` names a field of `FIELDS`, and `limits` are the ends of its colours, in SI units; bones
    stay ivory unless they have the field, and are seen through where colours are of contact. `view`
    is the direction (3,) to the camera.
    """
    require(LOWEST <= height <= HIGHEST, f"a picture {height} pixels high cannot be drawn")
    painter = None if colour is None else Painter(model, snapshot, _shade(colour), limits)
    direction = None if view is None else _direction(view)
    # What bones press is behind them.
    pressed = painter is not None and painter.shade.field == PRESSURE
    glass = (Tissue.PASSIVE, Tissue.BONE) if pressed else (Tissue.PASSIVE,)
    with Renderer(
        model, [snapshot], height, paint=painter, view=direction, glass=glass
    ) as renderer:
        pixels = renderer.picture(snapshot)
    if painter is not None:
        pixels = np.concatenate([pixels, painter.bar(pixels.shape[1], height)])
    return Picture(pixels, f"{model.name} at {snapshot.time:g} s")


def render(model: Model, state: State, path: str | Path, *, height: int = 900) -> None:
    """Draw one state to a PNG file; the picture is as wide as the model needs."""
    plot_state(model, state, height=height).save(path)


class Painter:
    """Colours the points of a skin by a field of one snapshot."""

    def __init__(
        self, model: Model, snapshot: Snapshot, shade: Shade, limits: tuple[float, float] | None
    ) -> None:
        self.shade = shade
        self._values = values_of(snapshot, shade)
        self.limits = limits or shade.limits_of(self._values.among(_regarded(model)))
        self._soft = model.soft

    def __call__(self, skin: Skin, _: Snapshot) -> np.ndarray:
        """(p, 3) uint8."""
        if skin.tissue is Tissue.BONE and not self.shade.bones:
            ivory = (255 * TISSUE_COLOURS[Tissue.BONE]).astype(np.uint8)
            return np.tile(ivory, (len(skin.vertices), 1))
        return self.shade.colours(self._values.on_skin(skin), *self.limits)

    def bar(self, width: int, height: int) -> Image:
        """The colour bar for a picture of this size; pointed where values lie beyond its ends."""
        ends = beyond(self._values.among(self._soft), *self.limits)
        return colour_bar(self.shade, self.limits, ends, width, height)


def beyond(values: Floats, low: float, high: float) -> tuple[bool, bool]:
    """Whether some values (k,) are below `low`, and whether some are above `high`."""
    slack = 1e-9 * (high - low)
    return bool((values < low - slack).any()), bool((values > high + slack).any())


def colour_bar(
    shade: Shade, limits: tuple[float, float], ends: tuple[bool, bool], width: int, height: int
) -> Image:
    """(h, width, 3) the colours between limits, pointed at `ends` that some values exceed.

    Letters are of a size that suits a picture `height` pixels high.
    """
    figures, colours, cm = (
        import_module(f"matplotlib.{name}") for name in ("backends.backend_agg", "colors", "cm")
    )
    letters = min(max(11.0, height / 40), width / 16)  # [px]
    high = round(5.5 * letters)
    figure = import_module("matplotlib.figure").Figure((width / DPI, high / DPI), dpi=DPI)
    axes = figure.add_axes((0.12, 0.44, 0.76, 0.2))
    low, top = (shade.scale * limit for limit in limits)
    steps = shade.colours(np.linspace(*limits, 256), *limits) / 255
    mapped = cm.ScalarMappable(colours.Normalize(low, top), colours.ListedColormap(steps))
    pointed = {(False, False): "neither", (True, False): "min", (False, True): "max"}
    bar = figure.colorbar(
        mapped, cax=axes, orientation="horizontal", extend=pointed.get(ends, "both")
    )
    bar.outline.set_visible(False)
    points = letters * 72 / DPI
    bar.set_ticks(np.linspace(low, top, 5))
    bar.ax.tick_params(labelsize=points)
    bar.ax.set_title(shade.title, fontsize=points, pad=points / 2)
    canvas = figures.FigureCanvasAgg(figure)
    canvas.draw()
    return np.array(canvas.buffer_rgba())[:, :width, :3]


def captioned(picture: Image, text: str) -> Image:
    """The picture with a strip of text below it."""
    # By PIL: a movie has one for each frame, and matplotlib would take as long as the picture.
    text = text.replace("\n", " ")  # a name may hold anything, and a strip is one line
    height, width = picture.shape[:2]
    strip = np.full((height // 32 * 2, width, 3), PAPER, np.uint8)
    image = import_module("PIL.Image").fromarray(np.concatenate([picture, strip]))
    draw, fonts = import_module("PIL.ImageDraw").Draw(image), import_module("PIL.ImageFont")
    size = 0.62 * len(strip)
    wide = draw.textlength(text, font=fonts.load_default(size))
    font = fonts.load_default(size * min(1.0, 0.96 * width / max(wide, 1.0)))
    middle = (width / 2, height + len(strip) / 2)
    draw.text(middle, text, fill=INK, font=font, anchor="mm")
    return np.asarray(image)


def widened(picture: Image, width: int) -> Image:
    """The picture in the middle of a wider one, whose background is that of its edges."""
    more = width - picture.shape[1]
    return np.pad(picture, ((0, 0), (more // 2, more - more // 2), (0, 0)), mode="edge")


def shrunk(picture: Image, size: tuple[int, int]) -> Image:
    """The picture made smaller, to a width and height [px]: each pixel is the mean of several."""
    images = import_module("PIL.Image")
    return np.asarray(images.fromarray(picture).resize(size, images.Resampling.BOX))


def png_bytes(image: Image) -> bytes:
    """A picture as the contents of a PNG file."""
    load_pyvista()
    file = io.BytesIO()
    import_module("PIL.Image").fromarray(image).save(file, "PNG")
    return file.getvalue()


def save_image(image: Image, path: str | Path) -> None:
    """Write a picture, whole or not at all."""
    load_pyvista()
    with replacing(path) as part:
        import_module("PIL.Image").fromarray(image).save(part)


def _regarded(model: Model) -> Ints:
    """The tets whose values the colours must tell apart: muscle, since tendon bears far more."""
    muscle = np.flatnonzero(model.is_tissue(Tissue.MUSCLE))
    return muscle if len(muscle) else model.soft


def _measured(model: Model, state: State, shade: Shade) -> Snapshot:
    """The snapshot of a state with the field of a shade, and others of its kind."""
    fields = Fields(model)
    if shade.field in POINT_FIELDS:
        return snapshot_of(state, point_fields=fields.on_vertices(state) | fields.in_motion(state))
    return snapshot_of(state, fields=fields.of(state))


def _shade(name: str) -> Shade:
    if name not in FIELDS:
        raise known("field", name, FIELDS)
    return FIELDS[name]


def _direction(view: Sequence[float]) -> Floats:
    direction = numbers(view, "'view'", (3,))
    size = float(np.linalg.norm(direction))
    require(0 < size < np.inf, f"'view' must be a direction, not {list(view)}")
    return np.asarray(direction / size)
