"""The map of a bone as a picture in the panel: its surface rolled out flat, seen from outside.

A click on it writes the angle and the height into the two fields of these names, as a visitor
would, for pictures of the panel tell no clicks.
"""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from vastus.app.text import plain
from vastus.geometry.unrolled import Unrolled
from vastus.numerics.types import Floats
from vastus.pictures.colours import IVORY

ANGLE, HEIGHT = "Angle [deg]", "Height [mm]"  # labels of the fields
ACROSS, UPWARDS = 121, 181  # points of the picture
WIDTH, TALL, LEFT, BELOW = 300, 240, 42, 34  # [px] of the map, and of its margins
LIGHT = np.array([-0.45, 0.5, 0.74])  # to the right, upwards, outwards
STEEP = 1.6  # above 1 it softens the relief
NOTHING = 242  # grey where there is no surface

_CLICK = f"""const r=this.getBoundingClientRect();
const put=(name,value)=>{{
const label=[...document.querySelectorAll('label')].find(l=>l.textContent===name);
const field=label&&document.getElementById(label.htmlFor);
if(!field)return;
Object.getOwnPropertyDescriptor(HTMLInputElement.prototype,'value').set.call(field,value);
field.dispatchEvent(new Event('input',{{bubbles:true}}));}};
put('{ANGLE}',(-180+360*(event.clientX-r.left)/r.width).toFixed(1));
put('{HEIGHT}',(this.dataset.length*(r.bottom-event.clientY)/r.height).toFixed(1));"""


@dataclass(frozen=True)
class Mark:
    """A point on the map: angle [rad], height [m], what it is, and its colour."""

    angle: float
    height: float
    title: str
    colour: str
    large: bool = False


def map_html(map_: Unrolled, title: str, marks: Iterable[Mark]) -> str:
    """The map of a bone with marks, as markup that holds its picture."""
    length = 1e3 * map_.length
    dots = "".join(_dot(mark, map_.length) for mark in marks)
    across = "".join(_across(angle) for angle in (-180, -90, 0, 90, 180))
    upwards = "".join(_upwards(value, length) for value in _round_steps(length))
    middle = LEFT + WIDTH / 2
    return (
        f'<svg viewBox="0 0 {LEFT + WIDTH + 14} {TALL + BELOW + 26}" width="100%"'
        ' style="display:block" font-family="sans-serif" font-size="11" fill="#555">'
        f'<text x="{middle}" y="12" text-anchor="middle" font-size="12" fill="#222">'
        f"{plain(title)}, unrolled: click to set the insertion</text>"
        f'<g transform="translate({LEFT} 20)">'
        f'<image class="bone-map" data-length="{length:.6g}" width="{WIDTH}" height="{TALL}"'
        f' preserveAspectRatio="none" style="cursor:crosshair" onclick="{_CLICK}"'
        f' href="{_picture(map_)}"/>{across}{upwards}{dots}</g>'
        f'<text x="{middle}" y="{TALL + BELOW + 20}" text-anchor="middle">angle [deg]</text>'
        f'<text transform="translate(10 {20 + TALL / 2}) rotate(-90)" text-anchor="middle">'
        "height [mm]</text></svg>"
    )


def _dot(mark: Mark, length: float) -> str:
    x = WIDTH * (mark.angle / (2 * np.pi) + 0.5)
    y = TALL * (1 - mark.height / length)
    radius, edge = (6, "#fff") if mark.large else (3, "none")
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{mark.colour}" stroke="{edge}"'
        f' stroke-width="1.5" pointer-events="none"><title>{plain(mark.title)}</title></circle>'
    )


def _across(angle: int) -> str:
    x = WIDTH * (angle + 180) / 360
    return (
        f'<path d="M{x} {TALL}v4" stroke="#999"/>'
        f'<text x="{x}" y="{TALL + 16}" text-anchor="middle">{angle}</text>'
    )


def _upwards(value: float, length: float) -> str:
    y = TALL * (1 - value / length)
    return (
        f'<path d="M0 {y:.1f}h-4" stroke="#999"/>'
        f'<text x="-7" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>'
    )


def _round_steps(length: float) -> Floats:
    """Heights [mm] to be written beside the map."""
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1e9) if length / s <= 7)
    return np.arange(0.0, length, step)


@lru_cache(maxsize=32)
def _picture(map_: Unrolled) -> str:
    """The relief of the surface, lit from the upper left, as an address of its own data."""
    import imageio.v3 as images  # comes with viser

    angles = np.linspace(-np.pi, np.pi, ACROSS)
    heights = np.linspace(0.0, map_.length, UPWARDS)[::-1]
    heights[[0, -1]] += np.array([-1e-3, 1e-3]) * map_.length  # right at the ends there is nothing
    radii = map_.radii(angles, heights)
    rgb = (255 * shaded(radii, angles, heights)[..., None] * IVORY).astype(np.uint8)
    rgb[np.isnan(radii)] = NOTHING
    png = io.BytesIO()
    images.imwrite(png, rgb, extension=".png")
    return f"data:image/png;base64,{b64encode(png.getvalue()).decode()}"


def shaded(radii: Floats, angles: Floats, heights: Floats) -> Floats:
    """(heights, angles) how bright a surface of these radii is, from 0 to 1."""
    mean = float(np.nanmean(radii))
    filled = np.where(np.isnan(radii), mean, radii)
    slopes = np.gradient(filled, heights, angles)
    across, upwards = -slopes[1] / filled, -slopes[0]
    normals = np.stack([across, upwards, np.full_like(filled, STEEP)], axis=-1)
    lit = normals @ LIGHT / np.linalg.norm(normals, axis=-1)
    return 0.45 + 0.55 * np.clip(lit, 0.0, 1.0)
