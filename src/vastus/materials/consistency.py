"""Whether a law is one: without stress at rest, blind to rotation, and true to its own energy.

A user's law is checked when it is first used, without compiling anything: its point functions are
ordinary Python too. The package's own laws are checked by its tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from vastus.errors import ModelError
from vastus.materials.along import Along
from vastus.materials.base import INVERTED, Law, in_words, require
from vastus.numerics.types import Floats

SMALL, LARGE = 0.01, (0.1, 0.1, 0.25, 0.25, 0.25)  # strains of the random states
TENSION = 3e5  # [Pa] active stress at which an active law is checked, as well as at none
STEPS = (1e-5, 1e-6)  # of differences; a law may have a kink within the first
ALLOWED = {  # relative errors, and what it means that they are larger
    "no energy at rest": (1e-6, "the energy at rest is not zero"),
    "no stress at rest": (
        1e-6,
        "the stress at rest is not zero, and the law is not declared `prestressed`",
    ),
    "energy, turned": (1e-9, "the energy changes when the whole is turned"),
    "stress, turned": (1e-9, "the stress does not turn with the whole"),
    "symmetric tangent": (1e-9, "the tangent is not symmetric"),
    "stress = d energy": (1e-5, "the stress is not the derivative of the energy"),
    "tangent = d stress": (1e-5, "the tangent is not the derivative of the stress"),
    "bulk apart": (1e-9, "the energy is not what is left without its bulk modulus, and that part"),
}

_CHECKED: set[tuple[type[Law], tuple[float, ...]]] = set()  # laws of users that passed


@dataclass(frozen=True)
class LawReport:
    """A law that was checked, and the largest relative error of each property."""

    law: Law
    errors: dict[str, float]

    def __repr__(self) -> str:
        names = [name for name in ALLOWED if name in self.errors]
        rows = [f"{name:18}  {self.errors[name]:7.1e}" for name in names]
        return "\n".join([f"{_told(self.law)}, relative errors:", *rows])


@dataclass(frozen=True, eq=False)
class Sample:
    """A point: F (3, 3), the fibre d (3,), the active stress T0 [Pa], a rotation, a direction."""

    F: Floats
    d: Floats
    T0: float = 0.0
    Q: Floats = field(default_factory=lambda: np.eye(3))  # (3, 3) a rotation
    D: Floats = field(default_factory=lambda: np.eye(3))  # (3, 3) to differentiate along

    def __str__(self) -> str:
        rows = ", ".join(_vector(row) for row in self.F)
        return f"F = [{rows}], d = {_vector(self.d)}, T0 = {self.T0:g} Pa"


def check_law(law: Law | type[Law]) -> LawReport:
    """Check a law at random states, or raise a `ModelError` that says what is wrong, and where.

    Without activation there must be no energy at rest, and no stress unless the law is
    `prestressed`; a rotation of the whole must change nothing; the stress must be the derivative of
    the energy, the tangent that of the stress, and symmetric; and a law that depends on fibre or
    active stress must be `fibrous` or `active`. States of large strain where the law is undefined
    are left out. A class stands for the law with its default parameters.
    """
    check = _Check(_with_defaults(law) if isinstance(law, type) else law)
    with np.errstate(all="ignore"):
        check.small()
        check.large()
    return LawReport(check.law, check.errors)


def check_users(laws: Iterable[Law]) -> None:
    """Check those laws that are not the package's own, each once."""
    for given in laws:
        law = given.law if isinstance(given, Along) else given
        key = type(law), tuple(law.parameters())
        if not type(law).__module__.startswith("vastus.") and key not in _CHECKED:
            check_law(law)
            _CHECKED.add(key)


class _Check:
    """The functions of a law at points, as plain numbers, and the errors that they have."""

    def __init__(self, law: Law) -> None:
        self.law, self.point = law, law.point
        self.errors: dict[str, float] = {}
        self.rng = np.random.default_rng(11)
        here = np.random.default_rng(12)
        others = [
            _unit(here.standard_normal(3)) if size == 3 else here.uniform(0.5, 1.5, 1)
            for _, size in law.per_tet
        ]
        self.p = np.concatenate([np.array(law.parameters(), float), *others])
        self.soft, self.bulk = law.split()
        self.soft_p = np.concatenate([np.array(self.soft.parameters(), float), *others])

    def energy(self, at: Sample, F: Floats) -> Any:
        """The energy [J/m^3] at F, with the fibre and active stress of the sample."""
        return np.float64(self._call(self.point.energy, at, F))

    def stress(self, at: Sample, F: Floats) -> Any:
        """(3, 3) the stress [Pa]."""
        out = np.zeros((3, 3))
        return out if self._call(self.point.stress, at, F, out) is None else out * np.nan

    def tangent(self, at: Sample, F: Floats) -> Any:
        """(9, 9) the tangent [Pa]."""
        out = np.zeros((9, 9))
        return out if self._call(self.point.tangent, at, F, out) is None else out * np.nan

    def _call(self, function: Callable[..., Any], at: Sample, F: Floats, *out: Floats) -> Any:
        try:
            return function(F, at.d, at.T0, self.p, *out)
        except (ArithmeticError, ValueError):  # of `math`, where numpy returns NaN
            return np.nan

    def small(self) -> None:
        """Check rest and small strains, at which a law must be defined."""
        near = [sample for _ in range(3) for sample in self._samples(SMALL)]
        for at in near:
            require(self._defined(at), f"{_told(self.law)}: it is not finite at {at}")
            self._differentiate(at)
        rest = Sample(np.eye(3), near[0].d)
        require(self._defined(rest), f"{_told(self.law)}: it is not finite at {rest}")
        size = max(float(np.abs(self.tangent(at, at.F)).max()) for at in (rest, *near))
        self._compare("no energy at rest", rest, self.energy(rest, rest.F), 0.0, size)
        if not self.law.prestressed:
            self._compare("no stress at rest", rest, self.stress(rest, rest.F), 0.0, size)

    def large(self) -> None:
        """Check large strains, as far as the law is defined there."""
        for strain in LARGE:
            for at in self._samples(strain):
                if self._defined(at):
                    self._differentiate(at)

    def _samples(self, strain: float) -> list[Sample]:
        """A random state of about this strain, without active stress and with it."""
        F, D = (_unit(self.rng.standard_normal((3, 3))) for _ in range(2))
        Q = np.linalg.qr(self.rng.standard_normal((3, 3)))[0]
        at = Sample(
            np.eye(3) + 2 * strain * F,
            _unit(self.rng.standard_normal(3)),
            Q=Q * np.linalg.det(Q),
            D=D,
        )
        return [at, replace(at, T0=TENSION)] if self.law.active else [at]

    def _defined(self, at: Sample) -> bool:
        psi, P, H = (f(at, at.F) for f in (self.energy, self.stress, self.tangent))
        finite = np.isfinite(psi) and np.isfinite(P).all() and np.isfinite(H).all()
        return bool(finite) and abs(psi) < INVERTED

    def _differentiate(self, at: Sample) -> None:
        F, Q, D = at.F, at.Q, at.D
        psi, P, H = (f(at, F) for f in (self.energy, self.stress, self.tangent))
        size = max(float(np.abs(H).max()), 1e-300)
        self._compare("energy, turned", at, self.energy(at, Q @ F), psi, size)
        self._compare("stress, turned", at, self.stress(at, Q @ F), Q @ P, size)
        self._compare("symmetric tangent", at, H, H.T, size)
        pull, change = np.sum(P * D), (H @ D.ravel()).reshape(3, 3)
        scale = max(float(np.abs(P).max()), 1e-3 * size)
        self._compare("stress = d energy", at, pull, _slope(self.energy, at, pull, scale), scale)
        self._compare("tangent = d stress", at, change, _slope(self.stress, at, change, size), size)
        if self.bulk is not None:
            left = self.soft.point.energy(F, at.d, at.T0, self.soft_p)
            parts = left + self.bulk.at(np.array([np.linalg.det(F)]))[0, 0]
            self._compare("bulk apart", at, parts, psi, size)
        self._depends("fibrous", replace(at, d=np.roll(at.d, 1)), psi)
        self._depends("active", replace(at, T0=at.T0 + TENSION), psi)

    def _compare(self, name: str, at: Sample, value: Any, wanted: Any, scale: float) -> None:
        off = np.abs(np.asarray(value - wanted))
        worst = np.unravel_index(int(np.argmax(off)), off.shape)
        error = float(off[worst]) / scale if off[worst] else 0.0
        allowed, sentence = ALLOWED[name]
        if not error <= allowed:
            one, other = np.asarray(value)[worst], np.broadcast_to(wanted, off.shape)[worst]
            raise ModelError(
                f"{_told(self.law)}: {sentence}: {one:.6g} Pa against {other:.6g} Pa at {at}"
            )
        self.errors[name] = max(error, self.errors.get(name, 0.0))

    def _depends(self, word: str, other: Sample, psi: float) -> None:
        require(
            getattr(self.law, word) or self.energy(other, other.F) == psi,
            f"{_told(self.law)}: it depends on {'d' if word == 'fibrous' else 'T0'}, but its class "
            f"does not say `{word} = True`",
        )


def _slope(function: Callable[[Sample, Floats], Any], at: Sample, wanted: Any, scale: float) -> Any:
    """The derivative along D by fourth-order differences; another step if it is not as wanted."""
    for h in STEPS:
        near = function(at, at.F + h * at.D) - function(at, at.F - h * at.D)
        far = function(at, at.F + 2 * h * at.D) - function(at, at.F - 2 * h * at.D)
        slope = (8 * near - far) / (12 * h)
        if np.abs(slope - wanted).max() < 1e-6 * scale:
            break
    return slope


def _unit(v: Floats) -> Floats:
    return np.asarray(v / np.linalg.norm(v))


def _vector(v: Floats) -> str:
    return "[" + ", ".join(f"{x:.4g}" for x in v) + "]"


def _with_defaults(law: type[Law]) -> Law:
    try:
        return law()
    except TypeError:
        names = ", ".join(f"{f.name}=..." for f in fields(law))  # type: ignore[arg-type]
        raise ModelError(
            f"law '{law.name}' has parameters without defaults; give it as {law.__name__}({names})"
        ) from None


def _told(law: Law) -> str:
    values = ", ".join(f"{f.name} {in_words(getattr(law, f.name))}" for f in fields(law))  # type: ignore[arg-type]
    return f"law '{law.name}' ({values})" if values else f"law '{law.name}'"
