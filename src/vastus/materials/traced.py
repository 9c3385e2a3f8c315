"""A law from its energy alone, by symbolic differentiation, in Python or from a user's own file."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import MISSING, field, make_dataclass
from functools import cache, partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, overload

from vastus.errors import FileError, VastusError
from vastus.materials.base import Law, PointLaw, load_library, register, require
from vastus.materials.principal.stretches import of_stretches
from vastus.numerics.symbolic.trace import RESERVED, PerTet, trace


class _TracedPoint:
    """Makes `point` of a traced law when first asked for, so that defining a law is cheap."""

    def __get__(self, instance: object, owner: type[TracedLaw]) -> PointLaw:
        module = owner.module()
        if hasattr(module, "value"):
            return of_stretches(module.value, module.slopes, module.curvatures)
        return PointLaw(module.energy, module.stress, module.tangent, module.respond)


class TracedLaw(Law):
    """A law whose energy is an ordinary Python function."""

    point = _TracedPoint()
    module: ClassVar[Callable[[], ModuleType]]  # traces at the first call

    def parameters(self) -> tuple[float, ...]:
        return type(self).module().parameters(*super().parameters())

    @classmethod
    def fingerprint(cls) -> str:
        """The name of the module that was made of the energy; it contains a hash of its text."""
        return cls.module().__name__


def traced(energy: Callable[..., Any], per_tet: PerTet = ()) -> Any:
    """The `module` of a `TracedLaw`; the energy's arguments other than F, d, T0 are its fields."""
    arguments = tuple(inspect.signature(energy).parameters)
    return staticmethod(cache(partial(trace, energy, arguments, per_tet)))


@overload
def law(energy: Callable[..., Any]) -> type[TracedLaw]: ...
@overload
def law(
    *, prestressed: bool = False, directions: Sequence[str] = (), quantities: Sequence[str] = ()
) -> Callable[[Callable[..., Any]], type[TracedLaw]]: ...


def law(
    energy: Callable[..., Any] | None = None,
    *,
    prestressed: bool = False,
    directions: Sequence[str] = (),
    quantities: Sequence[str] = (),
) -> Any:
    """Make a law of an energy per rest volume [J/m^3], written as a function.

    Its arguments may be `F` (3, 3) the deformation gradient or `stretches` (3,) its principal
    stretches, `d` (3,) the fibre direction and `T0` the active stress [Pa]; further `directions`
    (3,) and `quantities` of each tet, under their names in the model, if they are listed. All
    others are parameters, and become the fields of the law. A law that has a stress at rest without
    active stress says so: `@law(prestressed=True)`.
    """
    made = partial(
        _law, prestressed=prestressed, directions=tuple(directions), quantities=tuple(quantities)
    )
    return made if energy is None else made(energy)


def _law(
    energy: Callable[..., Any],
    *,
    prestressed: bool,
    directions: tuple[str, ...],
    quantities: tuple[str, ...],
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
    namespace = {
        "name": energy.__name__,
        "module": traced(energy, per_tet),
        "per_tet": per_tet,
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
