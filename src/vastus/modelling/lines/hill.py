"""Hill parameters that a belly can be built from; fitted ones are often not anatomical."""

from __future__ import annotations

from dataclasses import dataclass

# The range of the fibre length, as fractions of the line's length.
_SHORTEST, _LONGEST = 0.1, 0.95


@dataclass(frozen=True)
class Hill:
    """Lengths [m] for a line of known length, and what was changed."""

    fibre_length: float
    tendon_length: float
    notes: tuple[str, ...] = ()


def usable(fibre_length: float, tendon_length: float, length: float) -> Hill:
    """The lengths [m] limited to what a line of `length` [m] has room for."""
    fibre = min(max(fibre_length, _SHORTEST * length), _LONGEST * length)
    tendon = min(max(tendon_length, 0.0), length - _SHORTEST * length)
    notes = []
    if fibre != fibre_length:
        notes.append(_note("fibre", fibre_length, fibre, length))
    if tendon != tendon_length:
        notes.append(_note("tendon", tendon_length, tendon, length))
    return Hill(fibre, tendon, tuple(notes))


def _note(what: str, given: float, used: float, length: float) -> str:
    lengths = f"{1e3 * given:.1f} mm, taken as {1e3 * used:.1f} mm"
    return f"the {what} length is {lengths}, for a line of {1e3 * length:.1f} mm"
