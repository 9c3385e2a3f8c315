"""Published force-length and force-velocity curves of muscle and tendon, by name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import pairwise
from math import exp

from vastus.errors import ModelError, known
from vastus.materials.fibres.curves import (
    Bell,
    Bends,
    Constant,
    Curve,
    Exponential,
    Hyperbolas,
    Parabola,
    Rowed,
    Rows,
    TwoParabolas,
)

# Millard et al. 2013: lengths where fibres are shortest, where the shallow slope begins, longest.
_SHORTEST, _SHALLOW, _LONGEST, _SHALLOW_SLOPE = 0.4441, 0.73, 1.8123, 0.8616
_NEAR = 0.05  # of the plateau's corners


def _millard_active() -> Bends:
    before, after = 1.0 - _NEAR, 1.0 + _NEAR
    y = 1.0 - _SHALLOW_SLOPE * (before - _SHALLOW)
    rise, fall = 1.25 * y / (_SHALLOW - _SHORTEST), -1.0 / (_LONGEST - _NEAR - after)
    corners = (
        (_SHORTEST, 0.0, 0.0),
        (0.5 * (_SHORTEST + _SHALLOW), 0.5 * y, rise),
        (0.5 * (_SHALLOW + before), 0.5 * (1.0 + y), _SHALLOW_SLOPE),
        (1.0, 1.0, 0.0),
        (0.5 * (after + _LONGEST), 0.5, fall),
        (_LONGEST, 0.0, 0.0),
    )
    return Bends(corners, (0.9,) * 5)


def _millard_passive() -> Bends:
    strain, low, steep = 0.7, 0.2, 2.0 / 0.7
    near = min(0.1 / steep, 0.1 * strain)
    corners = ((1.0, 0.0, 0.0), (1.0 + near, 0.5 * low * near, low), (1.0 + strain, 1.0, steep))
    return Bends(corners, (0.1 + 0.8 * 0.75,) * 2)


def _millard_tendon() -> Bends:
    strain, toe = 0.049, 2.0 / 3.0
    steep = 1.375 / strain
    end = 1.0 + strain - (1.0 - toe) / steep
    foot = 1.0 + (end - 1.0) / 10.0
    middle = 1.0 + strain - (1.0 - 0.5 * toe) / steep
    slope = 0.5 * toe / (middle - foot)
    corners = ((1.0, 0.0, 0.0), (0.5 * (foot + middle), 0.25 * toe, slope), (end, toe, steep))
    return Bends(corners, (0.1 + 0.8 * 0.5,) * 2)


def _millard_velocity() -> Bends:
    """Flat at the greatest velocities, a tenth before which it has the slopes near them."""
    near, shorter, isometric, longer, most = 0.1, 0.25, 5.0, 0.15, 1.4
    corners = (
        (-1.0, 0.0, 0.0),
        (near - 1.0, 0.5 * shorter * near, shorter),
        (0.0, 1.0, isometric),
        (1.0 - near, most - 0.5 * longer * near, longer),
        (1.0, most, 0.0),
    )
    shortens, stretched = 0.1 + 0.8 * 0.6, 0.1 + 0.8 * 0.9
    return Bends(corners, (shortens, shortens, stretched, stretched))


def _thelen(rate: float, strain: float) -> Exponential:
    return Exponential(1.0 / (exp(rate) - 1.0), rate / strain, 1.0 + strain)


def _thelen_tendon(strain: float) -> Exponential:
    """An exponential toe up to a third of the force; its end is as steep as the straight part."""
    toe, rate = 0.609 * strain, 3.0
    return Exponential(0.33 / (exp(rate) - 1.0), rate / toe, 1.0 + toe)


@dataclass(frozen=True)
class Published:
    """A curve, what it is of, and where it was published."""

    curve: Curve
    source: str


class Kind(StrEnum):
    """What a curve may be of."""

    ACTIVE = "active"
    PASSIVE = "passive"
    TENDON = "tendon"
    VELOCITY = "velocity"


@cache
def published(kind: Kind) -> dict[str, Published]:
    """The curves of a kind, by name."""
    blemker = "Blemker, Pinsky and Delp 2005"
    thelen = "Thelen 2003"
    millard = "Millard, Uchida, Seth and Delp 2013"
    lee = "Lee et al. 2018"
    hill = "Hill 1938, a/F0 = 1/4; stretched fibres by a hyperbola of the same slope, up to 1.4"
    zajac = "Zajac 1989: force from 0.5 to 1.5 of the optimal length"
    return {
        Kind.ACTIVE: {
            "blemker": Published(TwoParabolas(), blemker),
            "thelen": Published(Bell(0.45), thelen),
            "millard": Published(_millard_active(), millard),
            "zajac": Published(Parabola(0.5), zajac),
            "lee": Published(Bell(0.5), lee),
            "constant": Published(Constant(), "the papers on EMU: no force-length"),
        },
        Kind.PASSIVE: {
            "blemker": Published(Exponential(0.05, 6.6, 1.4), blemker),
            "thelen": Published(_thelen(5.0, 0.6), thelen),
            "millard": Published(_millard_passive(), millard),
            "lee": Published(_thelen(4.0, 0.6), lee),
        },
        Kind.TENDON: {
            "blemker": Published(Exponential(2.7e6 / 3e7, 46.4, 1.03), blemker + ", over 30 MPa"),
            "thelen": Published(_thelen_tendon(0.033), thelen),
            "millard": Published(_millard_tendon(), millard),
        },
        Kind.VELOCITY: {
            "hill": Published(Hyperbolas(), hill),
            "millard": Published(_millard_velocity(), millard),
        },
    }[kind]


def active_curve(given: str | Rows) -> Curve:
    """The active force-length curve of a name, or of rows of a table."""
    return _named(given, Kind.ACTIVE, "curve")


def passive_curve(given: str | Rows) -> Curve:
    """The passive force-length curve of a name, or of rows of a table."""
    return _named(given, Kind.PASSIVE, "passive curve")


def velocity_curve(given: str | Rows) -> Curve:
    """The force-velocity curve of a name, or of rows of a table.

    It is over the velocity in greatest ones, negative where fibres shorten. It must not fall, for
    then a step in time would have no one answer, and be 1 at rest.
    """
    curve = _named(given, Kind.VELOCITY, "force-velocity curve")
    if isinstance(curve, Rowed):
        forces = [force for _, force in curve.table]
        if any(b < a for a, b in pairwise(forces)) or forces[0] < 0:
            raise ModelError("a force-velocity curve falls or is below 0; its forces must rise")
        if abs(curve.force(0.0) - 1.0) > AT_REST:
            raise ModelError(
                f"a force-velocity curve is {curve.force(0.0):.4g} at velocity 0; it must be 1"
            )
    return curve


AT_REST = 1e-6  # by which a force-velocity curve may miss 1 where nothing moves


def _named(given: str | Rows, kind: Kind, word: str) -> Curve:
    """The curve of a name, which `word` asks for, or of rows of a table."""
    if not isinstance(given, str):
        try:
            return Rowed(tuple((float(x), float(y)) for x, y in given))
        except (TypeError, ValueError):
            raise ModelError(
                f"a curve is {given!r}, neither a name nor rows of two numbers"
            ) from None
    curves = published(kind)
    if given not in curves:
        raise known(word, given, list(curves))
    return curves[given].curve
