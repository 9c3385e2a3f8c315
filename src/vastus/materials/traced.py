"""A law from its energy alone, by symbolic differentiation, in Python or from a user's own file."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, field, make_dataclass, replace
from functools import cache, partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, overload

from vastus.errors import FileError, VastusError
from vastus.materials.base import (
    Bulk,
    Law,
    PointLaw,
    VolumeTerm,
    kept_bulk,
    load_library,
    register,
    require,
)
from vastus.materials.principal.stretches import of_stretches
from vastus.numerics.symbolic.trace import RESERVED, PerTet, trace, trace_volume


class _TracedPoint:
    """Makes `point` of a traced law when first asked for, so that defining a law is cheap."""

    def __get__(self, instance: object, owner: type[TracedLaw]) -> PointLaw:
        return replace(_point(owner.module()), second=owner.second)


def _point(module: ModuleType) -> PointLaw:
    if hasattr(module, "value"):
        return of_stretches(module.value, module.slopes, module.curvatures)
    return PointLaw(module.energy, module.stress, module.tangent, module.respond)


class TracedLaw(Law):
    """A law whose energy is an ordinary Python function."""

    point = _TracedPoint()
    module: ClassVar[Callable[[], ModuleType]]  # traces at the first call
    second: ClassVar[Callable[..., Any] | None] = None  # of its `point`, where one is written

    # The modules of an energy of which tets keep a part, or nothing; traces at the first call.
    volume: ClassVar[Callable[[], tuple[ModuleType, ModuleType] | None]] = staticmethod(
        lambda: None
    )

    def parameters(self) -> tuple[float, ...]:
        return type(self).module().parameters(*super().parameters())

    def split(self) -> tuple[Law, Bulk | None]:
        """By the terms of the energy that depend on J alone, if it does not declare a modulus."""
        modules = None if self.bulk_modulus else type(self).volume()
        if modules is None:
            return super().split()
        H, numbers = self.tangent_at_rest(), super().parameters()
        whole = float(H[:9:4, :9:4].sum()) / 9  # the bulk modulus at rest
        own = VolumeTerm(modules[1].bulk, numbers, 1.0)
        most = Bulk(further=(own,)).modulus
        share = min((whole - kept_bulk(self)) / most, 1.0) if most > 0 else 0.0
        if share <= 0:
            return self, None
        return Softened(self, share), Bulk(further=(replace(own, share=share),))

    @classmethod
    def fingerprint(cls) -> str:
        """The name of the module that was made of the energy; it contains a hash of its text."""
        return cls.module().__name__


@dataclass(frozen=True)
class Softened(Law):
    """A traced law without a share of what depends on its volume ratio alone."""

    law: TracedLaw
    share: float

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the law."""
        return self.law.name

    @property
    def point(self) -> PointLaw:  # type: ignore[override]
        """The functions of what is left."""
        return _point(self._module)

    @property
    def active(self) -> bool:  # type: ignore[override]
        """Whether the law is."""
        return self.law.active

    @property
    def fibrous(self) -> bool:  # type: ignore[override]
        """Whether the law is."""
        return self.law.fibrous

    @property
    def per_tet(self) -> tuple[tuple[str, int], ...]:  # type: ignore[override]
        """What the law reads of each tet."""
        return self.law.per_tet

    @property
    def _module(self) -> ModuleType:
        modules = type(self.law).volume()
        assert modules is not None
        return modules[0]

    def parameters(self) -> tuple[float, ...]:
        """Those of the law, and the share."""
        numbers: tuple[float, ...] = self._module.parameters(*Law.parameters(self.law), self.share)
        return numbers


def traced(energy: Callable[..., Any], per_tet: PerTet = ()) -> Any:
    """The `module` of a `TracedLaw`; the energy's arguments other than F, d, T0 are its fields."""
    arguments = tuple(inspect.signature(energy).parameters)
    return staticmethod(cache(partial(trace, energy, arguments, per_tet)))


@overload
def law(energy: Callable[..., Any]) -> type[TracedLaw]: ...
@overload
def law(
    *,
    prestressed: bool = False,
    directions: Sequence[str] = (),
    quantities: Sequence[str] = (),
    bulk: str | None = None,
) -> Callable[[Callable[..., Any]], type[TracedLaw]]: ...


def law(
    energy: Callable[..., Any] | None = None,
    *,
    prestressed: bool = False,
    directions: Sequence[str] = (),
    quantities: Sequence[str] = (),
    bulk: str | None = None,
) -> Any:
    """Make a law of an energy per rest volume [J/m^3], written as a function.

    Its arguments may be `F` (3, 3) the deformation gradient or `stretches` (3,) its principal
    stretches, `d` (3,) the fibre direction and `T0` the active stress [Pa]; further `directions`
    (3,) and `quantities` of each tet, under their names in the model, if they are listed. All
    others are parameters, and become the fields of the law. A law that has a stress at rest without
    active stress says so: `@law(prestressed=True)`.

    What of the energy can be averaged over patches of tets is found by itself if it is written with
    `det(F)` or `np.prod(stretches)`; else `bulk` names the parameter that multiplies it.
    """
    made = partial(
        _law,
        prestressed=prestressed,
        directions=tuple(directions),
        quantities=tuple(quantities),
        bulk=bulk,
    )
    return made if energy is None else made(energy)


def _law(
    energy: Callable[..., Any],
    *,
    prestressed: bool,
    directions: tuple[str, ...],
    quantities: tuple[str, ...],
    bulk: str | None,
) -> type[TracedLaw]:
    signature = inspect.signature(energy).parameters
    who = f"law '{energy.__name__}'"
    require(
        ("F" in signature) != ("stretches" in signature),
        f"{who} must have an argument named F, or one named stretches, and not both: two laws of a "
        "region are summed",
    )
    require(
        "F" in signature or ("d" not in signature and not directions),
        f"{who} takes stretches, which know no direction: write it with F",
    )
    per_tet = (*((name, 3) for name in directions), *((name, 1) for name in quantities))
    for name, _ in per_tet:
        require(
            name in signature and name not in RESERVED,
            f"{who} lists '{name}', but has no such argument",
        )
    parameters: list[tuple[str, type, Any]] = [
        (name, float, field(default=MISSING if p.default is p.empty else p.default))
        for name, p in signature.items()
        if name not in RESERVED and name not in (*directions, *quantities)
    ]
    require(
        bulk is None or bulk in [name for name, _, _ in parameters],
        f"{who} has no parameter '{bulk}' that could be its bulk modulus",
    )
    namespace = {
        "name": energy.__name__,
        "module": traced(energy, per_tet),
        "per_tet": per_tet,
        "volume": staticmethod(
            cache(partial(trace_volume, energy, tuple(signature), per_tet, bulk))
        ),
        "active": "T0" in signature,
        "fibrous": "d" in signature,
        "prestressed": prestressed,
        "__doc__": energy.__doc__,
        "__qualname__": energy.__qualname__,
    }
    made = make_dataclass(
        energy.__name__, parameters, bases=(TracedLaw,), namespace=namespace, frozen=True
    )
    made.__module__ = energy.__module__  # since Python 3.12 the maker sets its own
    load_library()
    return register(made)


def load_laws(files: Sequence[Path]) -> None:
    """Run the files, which registers their laws."""
    for file in files:
        if not file.is_file():
            raise FileError(f"there is no file '{file}'")
        try:
            _load(file)
        except VastusError:
            raise
        except Exception as error:
            raise FileError(f"cannot load laws from '{file}': {_brief(error)}") from error


def _load(file: Path) -> None:
    name = f"vastus_laws_{file.stem}"
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise FileError(f"'{file}' is not a Python file")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


def _brief(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
