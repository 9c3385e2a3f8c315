"""What a material law is: an energy per rest volume at a point, with its stress and tangent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from importlib import import_module
from math import inf
from typing import Any, ClassVar, TypeVar

import numpy as np

from vastus.cache import code_digest
from vastus.errors import ModelError, known
from vastus.numerics.types import Floats

# The price [J/m^3] of an inverted point in laws that do not exist there: no line search accepts it.
INVERTED = 1e40

KEPT = 0.3  # the Poisson's ratio that remains in a law whose bulk modulus is split off

PointFunction = Callable[..., Any]


@dataclass(frozen=True)
class PointLaw:
    """Functions that numba can compile, of one point.

    `F` (3, 3) deformation gradient, `d` (3,) unit fibre direction at rest, `T0` active stress [Pa]
    (activation times the muscle's strength), `p` (k,) the law's kernel parameters, and after them
    what differs from tet to tet (`Law.per_tet`).
    Stress and tangent ADD into their last argument, so that laws can be summed; the 9x9 index of
    `F[r, c]` is `3 r + c`.
    """

    energy: PointFunction  # (F, d, T0, p) -> psi [J/m^3], zero at rest without activation
    stress: PointFunction  # (F, d, T0, p, P) adds dpsi/dF to P (3, 3) [Pa]
    tangent: PointFunction  # (F, d, T0, p, H) adds d2psi/dF2 to H (9, 9) [Pa], not projected
    respond: PointFunction | None = None  # (F, d, T0, p, P) -> psi, adds to P: both at less cost
    # What spares explicit steps most of a stress: (F:F, det F, p) -> m, s of P = m F + s cof F, or
    # (G, p) -> S of Green's strain, six numbers each: xx, yy, zz, yz, xz, xy.
    scales: PointFunction | None = None
    second: PointFunction | None = None


@dataclass(frozen=True)
class VolumeTerm:
    """A share of `function(J, *parameters)` [Pa], which gives an energy and two derivatives."""

    function: Callable[..., Any]
    parameters: tuple[float, ...]
    share: float


@dataclass(frozen=True)
class Bulk:
    """The energy quadratic/2 (J - 1)^2 + logarithmic/2 (ln J)^2 of a volume ratio J; in pascal.

    `further` terms are functions of J of laws of users.
    """

    quadratic: float = 0.0
    logarithmic: float = 0.0
    further: tuple[VolumeTerm, ...] = ()

    def __add__(self, other: Bulk) -> Bulk:
        return Bulk(
            self.quadratic + other.quadratic,
            self.logarithmic + other.logarithmic,
            self.further + other.further,
        )

    def at(self, J: Floats) -> Floats:
        """(3, k) energy, slope and curvature at volume ratios J (k,).

        What is not defined for patches turned inside out is 0 there: the laws of their tets have
        put a price on that.
        """
        safe = np.where(J > 0, J, 1.0)
        total = np.zeros((3, *J.shape))
        if self.quadratic:
            total += self.quadratic * np.stack([(J - 1) ** 2 / 2, J - 1, np.ones_like(J)])
        if self.logarithmic:
            log = np.log(safe)
            total += self.logarithmic * np.stack([log**2 / 2, log / safe, (1 - log) / safe**2])
        for term in self.further:
            parts = term.function(safe, *term.parameters)
            total += term.share * np.stack([np.broadcast_to(part, J.shape) for part in parts])
        return total

    @property
    def modulus(self) -> float:
        """The curvature at rest [Pa]."""
        return float(self.at(np.ones(1))[2, 0])


class Law:
    """A law with its parameters: a frozen dataclass whose fields are the author's parameters."""

    name: ClassVar[str]
    point: ClassVar[PointLaw]
    active: ClassVar[bool] = False  # does it depend on the active stress T0?
    fibrous: ClassVar[bool] = False  # does it depend on the fibre direction d?
    prestressed: ClassVar[bool] = False  # has it a stress at rest without active stress?
    # The parameter K of its term K/2 (ln J)^2, or K/2 (J - 1)^2 if `quadratic`, which patches of
    # tets may take over.
    bulk_modulus: ClassVar[str | None] = None
    quadratic: ClassVar[bool] = False
    # What else it reads of each tet, in this order after `parameters`: names of the model's
    # `directions`, with 3 numbers each, and of its `quantities`, with 1.
    per_tet: ClassVar[tuple[tuple[str, int], ...]] = ()
    at_optimal: ClassVar[str | None] = None  # the parameter that is the optimal stretch
    per_fibre: ClassVar[str | None] = None  # the parameter that the density of fibres multiplies

    def lengthened(self, optimal: float) -> Law:
        """The law in a muscle of this optimal stretch, if it has one of its own."""
        if self.at_optimal is None or optimal == 1.0:
            return self
        there = {self.at_optimal: optimal * getattr(self, self.at_optimal)}
        return replace(self, **there)  # type: ignore[type-var]

    def parameters(self) -> tuple[float, ...]:
        """The numbers `p` that the point functions read; by default the fields in order."""
        return tuple(float(getattr(self, f.name)) for f in fields(self))  # type: ignore[arg-type]

    def parameters_at(self, density: Floats) -> Floats:
        """(k, p) the numbers `p` where fibres lie so densely (k,), with 1 as usual.

        A parameter that is `per_fibre` scales the energy of the fibres, which is linear in it.
        """
        usual = np.array(self.parameters(), float)
        if self.per_fibre is None:
            return np.tile(usual, (len(density), 1))
        double = {self.per_fibre: 2.0 * getattr(self, self.per_fibre)}
        denser = np.array(replace(self, **double).parameters(), float)  # type: ignore[type-var]
        return np.asarray(usual + (density - 1.0)[:, None] * (denser - usual))

    @property
    def slots(self) -> int:
        """How many numbers `p` has for this law."""
        return len(self.parameters()) + sum(size for _, size in self.per_tet)

    def stiffness(self) -> float:
        """The shear modulus across the fibre at rest [Pa], for checks and scaling."""
        return float(self.tangent_at_rest()[5, 5])

    def tangent_at_rest(self) -> Floats:
        """(9, 9) the tangent [Pa] at rest: directions along x, quantities 1, no active stress."""
        H, d = np.zeros((9, 9)), np.array([1.0, 0.0, 0.0])
        here = [d if size == 3 else np.ones(1) for _, size in self.per_tet]
        p = np.concatenate([np.array(self.parameters(), float), *here])
        self.point.tangent(np.eye(3), d, 0.0, p, H)
        return H

    def split(self) -> tuple[Law, Bulk | None]:
        """The law as if Poisson's ratio were no larger than `KEPT`, and what that took away.

        The sum of both is the law. A law that does not know its bulk modulus stays as it is.
        """
        return (self, None) if self.bulk_modulus is None else split_bulk(self)

    @property
    def knows_bulk(self) -> bool:
        """Whether `split` takes anything away; a law that declares its modulus is not derived."""
        return self.bulk_modulus is not None or self.split()[1] is not None

    @classmethod
    def fingerprint(cls) -> str:
        """What tells this law from another of the same name, the same in every process.

        It ends with a hash of the law's code where that is not the package's; one of the package is
        known by its name, wherever it is kept.
        """
        point = cls.point
        code = code_digest(point.energy, point.stress, point.tangent, cls.parameters)
        if not code:
            return f"vastus.materials.{cls.name}.{cls.__qualname__}"
        return f"{cls.__module__}.{cls.__qualname__}-{code[:16]}"


def in_words(value: Any) -> str:
    """A parameter of a law: a number, a table, the name of a direction, or a law along it."""
    if isinstance(value, str | Law):
        return value if isinstance(value, str) else value.name
    return f"{len(value)} rows" if isinstance(value, tuple) else f"{value:g}"


LawType = TypeVar("LawType", bound=type[Law])
LAWS: dict[str, type[Law]] = {}


def register(law: LawType) -> LawType:
    """List a law under its name, for scene files, saved models and the law tests.

    The same code may define its law again; another law cannot take the name.
    """
    other = LAWS.get(law.name, law)
    require(
        (other.__module__, other.__qualname__) == (law.__module__, law.__qualname__),
        f"the law '{law.name}' exists already in {other.__module__}; give yours another name",
    )
    LAWS[law.name] = law
    return law


def load_library() -> None:
    """Register the package's own laws."""
    import_module("vastus.materials.library")


def find_law(name: str) -> type[Law]:
    """The registered law called `name`; the package's own laws are loaded first."""
    load_library()
    if name not in LAWS:
        raise known("law", name, sorted(LAWS))
    return LAWS[name]


def require(condition: bool, sentence: str) -> None:
    """Raise a `ModelError` with this sentence unless the condition holds."""
    if not condition:
        raise ModelError(sentence)


def check_positive(law: str, **values: float) -> None:
    """Refuse a parameter of the law that is not a finite number above zero."""
    for name, value in values.items():
        require(0 < value < inf, f"{law}: {name} is {value:g}; it must be finite and above 0")


def check_young_poisson(law: str, young: float, poisson: float) -> None:
    """Refuse elastic constants of the law that no stable solid has."""
    check_positive(law, young=young)
    require(-1 < poisson < 0.5, f"{law}: poisson is {poisson:g}; it must be above -1 and below 0.5")


def lame(young: float, poisson: float) -> tuple[float, float]:
    """Lamé's constants (mu, lam) [Pa] of Young's modulus [Pa] and Poisson's ratio."""
    mu = young / (2 * (1 + poisson))
    return mu, 2 * mu * poisson / (1 - 2 * poisson)


def kept_bulk(law: Law) -> float:
    """The bulk modulus [Pa] that goes with a law's shear modulus and the Poisson's ratio `KEPT`."""
    return 2 * (1 + KEPT) / (3 * (1 - 2 * KEPT)) * law.stiffness()


def split_bulk(law: Law) -> tuple[Law, Bulk]:
    """`Law.split` of a law that declares its `bulk_modulus`."""
    assert law.bulk_modulus is not None
    K = float(getattr(law, law.bulk_modulus))
    kept = min(K, kept_bulk(law))
    bulk = Bulk(quadratic=K - kept) if law.quadratic else Bulk(logarithmic=K - kept)
    return replace(law, **{law.bulk_modulus: kept}), bulk  # type: ignore[type-var]


@dataclass(frozen=True)
class Isotropic(Law):
    """A solid given by Young's modulus [Pa] and Poisson's ratio at rest.

    Lamé's constant lam stands before (J - 1)^2/2, or (ln J)^2/2 if `logarithmic`.
    """

    young: float = 6e4
    poisson: float = 0.49

    logarithmic: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_young_poisson(self.name, self.young, self.poisson)

    def parameters(self) -> tuple[float, ...]:
        """Lamé's constants (mu, lam) [Pa]."""
        return lame(self.young, self.poisson)

    def split(self) -> tuple[Law, Bulk | None]:
        mu, lam = lame(self.young, self.poisson)
        kept = min(self.poisson, KEPT)
        removed = lam - lame(2 * mu * (1 + kept), kept)[1]
        bulk = Bulk(logarithmic=removed) if self.logarithmic else Bulk(quadratic=removed)
        return replace(self, young=2 * mu * (1 + kept), poisson=kept), bulk
