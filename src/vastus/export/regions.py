"""The surfaces of a model's regions with their fields and time codes, as formats hold them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import sparse

from vastus.errors import FileError
from vastus.measure.fields import VELOCITY
from vastus.model import Model
from vastus.numerics.types import Floats, Ints
from vastus.pictures.skin import Skin, region_skins
from vastus.results.playback import Snapshot

CALLED = {  # fields as files call them
    "activation": "activation",
    "fibre_stretch": "stretch",
    "von_mises": "von_mises",
    "volume_ratio": "volume_ratio",
}
SPEED = "speed"  # [m/s] the size of the velocity, for programs that colour by numbers alone
USUAL = 24.0  # time codes a second, of a single frame
CLOSE = 1e-6  # of a time code: times are rounded numbers
FINEST = 10  # time codes in the smallest step


@dataclass(frozen=True, eq=False)
class MeshCopy:
    """The surface of one region over all frames, z up."""

    faces: Ints  # (k, 3) into the points, in the order of `region_skins(model, split=False)`
    x: Floats  # (frames, p, 3) [m]
    # (frames, p) or (frames, k) each; vectors (frames, p, 3)
    fields: dict[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Copy:
    """The contents of a file: meshes by the name of their region, and columns by name."""

    times: Floats  # (frames,) [s]
    meshes: dict[str, MeshCopy] = field(default_factory=dict)
    table: dict[str, Floats] = field(default_factory=dict)  # (frames,) each


@dataclass(frozen=True, eq=False)
class Parts:
    """The skins of all regions as one mesh of p points and k faces."""

    skins: tuple[Skin, ...]
    n_tets: int

    @cached_property
    def starts(self) -> Ints:
        """(regions + 1,) the first point of each region, and their number."""
        return np.cumsum([0, *(len(skin.vertices) for skin in self.skins)])

    @cached_property
    def vertices(self) -> Ints:
        """(p,) the mesh vertex of each point."""
        return np.concatenate([skin.vertices for skin in self.skins])

    @cached_property
    def faces(self) -> Ints:
        """(k, 3) into the points."""
        pairs = zip(self.skins, self.starts, strict=False)
        return np.concatenate([skin.faces + start for skin, start in pairs])

    @cached_property
    def region_of_point(self) -> Ints:
        """(p,) the region of each point."""
        return np.repeat(np.arange(len(self.skins)), np.diff(self.starts))

    def averaged(self, values: Floats) -> Floats:
        """(p,) at each point the mean over its faces of values (m,) on tets."""
        return np.asarray(self._means @ values)

    @cached_property
    def _means(self) -> sparse.csr_array:
        tets = np.concatenate([skin.tets for skin in self.skins])
        where = (self.faces.ravel(), np.repeat(tets, 3))
        share = 1.0 / np.bincount(where[0])[where[0]]
        return sparse.csr_array((share, where), shape=(len(self.vertices), self.n_tets))


def parts_of(model: Model) -> Parts:
    """The surfaces of a model's regions, each vertex once a region."""
    return Parts(tuple(region_skins(model, split=False).values()), model.mesh.n_tets)


def at_points(surfaces: Parts, moment: Snapshot) -> list[dict[str, Floats]]:
    """For each region the fields (p,) of a moment at its points, as files call them.

    A motion has `velocity` (p, 3) and `speed` as well.
    """
    means = {CALLED[name]: surfaces.averaged(field) for name, field in moment.fields.items()}
    if VELOCITY in moment.point_fields:
        means |= in_motion(moment.point_fields[VELOCITY][surfaces.vertices])
    spans = zip(surfaces.starts[:-1], surfaces.starts[1:], strict=True)
    return [{name: mean[a:b] for name, mean in means.items()} for a, b in spans]


def in_motion(velocity: Floats) -> dict[str, Floats]:
    """Velocities (..., 3) [m/s] and their sizes (...), as files call them."""
    return {VELOCITY: velocity, SPEED: np.linalg.norm(velocity, axis=-1)}


def linear(colour: Floats) -> Floats:
    """Light intensities (3,) as files count them, of a colour as screens have it (sRGB)."""
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)


@dataclass(frozen=True, eq=False)
class Clock:
    """The time code of each frame: its time [s] times `rate`."""

    rate: float  # [1/s]
    codes: Floats  # (frames,)


def clock(times: Floats) -> Clock:
    """The clock of frames at `times` (frames,) [s], which must increase."""
    if not (np.diff(times) > 0).all():
        late = int(np.argmin(np.diff(times) > 0))
        raise FileError(
            f"frame {late + 1} at {times[late + 1]:g} s must be later than frame {late} "
            f"at {times[late]:g} s"
        )
    rate = _rate(times)
    codes = times * rate
    return Clock(rate, codes.round() if _are_whole(codes) else codes)


def _rate(times: Floats) -> float:
    """The smallest rate of some that puts all frames at whole numbers, or else the usual step."""
    if len(times) < 2:
        return USUAL
    steps = np.diff(times)
    rates = [_rounded(count / steps.min()) for count in range(1, FINEST + 1)]
    return next((r for r in rates if _are_whole(times * r)), _rounded(1.0 / np.median(steps)))


def _are_whole(codes: Floats) -> bool:
    return bool(np.abs(codes - codes.round()).max() < CLOSE)


def _rounded(rate: float) -> float:
    return float(round(rate)) if abs(rate - round(rate)) < CLOSE * rate else float(rate)
