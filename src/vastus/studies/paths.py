"""Paths into a scene, such as `muscles.biceps.strength` or `materials.muscle.hill_fibre.width`.

A path may lead to what the scene says, to any key that it may say, and to the parameters of the
laws that its model has by itself; those are then written into the scene.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any

from vastus.errors import ModelError
from vastus.job import Job
from vastus.materials.along import Along
from vastus.materials.base import Law, find_law
from vastus.parts import Region
from vastus.scene.scene import Description
from vastus.scene.schema import Path, unknown
from vastus.solvers import plain_settings
from vastus.studies.parameters import is_number

_STEP = re.compile(r'"([^"]+)"|([^."]+)')
# Sections whose keys are names of what the model has.
_NAMED = ("muscles", "bones", "joints", "pins", "loads", "cavities", "cables", "regions")
AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Place:
    """Where a value goes: the keys that take it, and what must be written before it can be."""

    path: str
    targets: tuple[Path, ...]
    written: tuple[tuple[Path, Any], ...] = ()


def divided(path: str) -> Path:
    """The keys of a path; one with a dot stands in quotes, and whole numbers count in lists."""
    steps = [quoted or plain for quoted, plain in _STEP.findall(path)]
    rebuilt = ".".join(f'"{q}"' if q else p for q, p in _STEP.findall(path))
    if not steps or rebuilt != path:
        raise ModelError(f"'{path}' is no path; write one such as muscles.biceps.strength")
    return tuple(int(step) if step.isdigit() else step for step in steps)


def varied(data: Mapping[str, Any], changes: Iterable[tuple[Place, Any]]) -> dict[str, Any]:
    """A copy of a scene's data with other values at some places."""
    out = copy.deepcopy(dict(data))
    changes = list(changes)
    for place, _ in changes:
        for path, value in place.written:
            if not _has(out, path):
                _put(out, path, copy.deepcopy(value))
    for place, value in changes:
        for path in place.targets:
            _put(out, path, value)
    return out


class Ground:
    """The scene whose values a study varies, and the job that it is by itself."""

    def __init__(self, data: Mapping[str, Any], job: Job) -> None:
        self.data, self.model, self.solver = data, job.model, job.solver

    def place(self, path: str) -> Place:
        """Where a value goes; a path that leads nowhere is refused, with what is like it."""
        keys = divided(path)
        material = _material(keys)
        if material:
            return self._in_laws(path, material, keys[len(material) :])
        self._require(path, keys[:1])
        keys, written = self._in_vector(path, keys)
        self._require(path, keys)
        return Place(path, (keys,), written)

    def _in_vector(self, path: str, keys: Path) -> tuple[Path, tuple[tuple[Path, Any], ...]]:
        """The keys with x, y and z of a vector as 0, 1 and 2, and the vector if it is the model's.

        So paths are those of derivatives, and those of the scene's own lists.
        """
        for depth, key in enumerate(keys[1:], 1):
            above = keys[:depth]
            said = _has(self.data, above)
            if key not in AXES and not (isinstance(key, int) and not said):
                continue
            vector = self.value(Place(path, (above,)))
            if _is_vector(vector):
                place = AXES.index(key) if isinstance(key, str) else key
                written = () if said else ((above, list(vector)),)
                return (*above, place, *keys[depth + 1 :]), written
            if isinstance(key, int) and self._is_listless(above):
                raise ModelError(
                    f"{path}: the scene has no '{'.'.join(map(str, above))}' whose item {key} "
                    "could vary; write it into the scene"
                )
        return keys, ()

    def _is_listless(self, keys: Path) -> bool:
        """Whether nothing is there to count in; things of the model may be called by numbers."""
        return not (len(keys) == 1 and keys[0] in _NAMED) and not _has(self.data, keys)

    def value(self, place: Place) -> Any:
        """What is there now, in the scene or in its model; None if neither says."""
        data = varied(self.data, [])
        for path, value in place.written:
            _put(data, path, value)
        target = place.targets[0]
        if _has(data, target):
            return _get(data, target)
        reader = _READERS.get(str(target[0]))
        return reader(self, data, target) if reader else None

    def of_laws(self, data: Mapping[str, Any], target: Path) -> Any:
        """The default of a law's parameter that is not written."""
        term = _get(data, target[:-1])
        default = {f.name: f.default for f in _fields(find_law(term["law"]))}[str(target[-1])]
        return None if default is MISSING else default

    def of_model(self, data: Mapping[str, Any], target: Path) -> Any:
        """What a part of the model has under this key."""
        value = getattr(self.model, str(target[0]))
        for key in target[1:]:
            value = _below(value, key)
        return getattr(value, "tolist", lambda: value)()

    def of_solver(self, data: Mapping[str, Any], target: Path) -> Any:
        """A setting of the solver."""
        return getattr(self.solver, str(target[-1]), None)

    def _require(self, path: str, keys: Path) -> None:
        """Refuse a section, a name or a key that does not exist; the schema knows the rest."""
        section = str(keys[0])
        if section not in Description.words():
            raise ModelError(f"{path}: {unknown('key', section, Description.words())}")
        if section in _NAMED and len(keys) > 1 and not _has(self.data, keys[:2]):
            names = [item.name for item in getattr(self.model, section)]
            if str(keys[1]) not in names:
                kind = {"cavities": "cavity"}.get(section, section[:-1])
                raise ModelError(f"{path}: {unknown(kind, str(keys[1]), names)}")
        if section == "solver" and len(keys) > 1 and not _has(self.data, keys):
            allowed = ["kind", "bones", *plain_settings(type(self.solver))]
            if keys[1] not in allowed:
                raise ModelError(f"{path}: {unknown('key', str(keys[1]), allowed)}")
        self._walk(path, keys)

    def _walk(self, path: str, keys: Path) -> None:
        """Refuse a step into a list or a number that has no such step."""
        here: Any = self.data
        for depth, key in enumerate(keys):
            at = ".".join(map(str, keys[:depth]))
            if isinstance(here, Mapping):
                if key not in here:
                    return
            elif isinstance(here, Sequence) and not isinstance(here, str):
                if not (isinstance(key, int) and key < len(here)):
                    raise ModelError(
                        f"{path}: '{at}' is a list of {len(here)} from 0 on; it has no '{key}'"
                    )
            else:
                raise ModelError(f"{path}: '{at}' is {here!r}, which has nothing below it")
            here = here[key]

    def _in_laws(self, path: str, material: Path, rest: Path) -> Place:
        """The place of a law's parameter, as the scene writes it or as the model has it."""
        if not rest:
            return Place(path, (material,))
        if _has(self.data, material):
            terms = _terms(_get(self.data, material))
            found = _parameter(path, terms, rest)
            if found is not None:
                several = not isinstance(_get(self.data, material), Mapping)
                step = (found[0],) if several else ()
                return Place(path, ((*material, *step, *found[1]),))
        return self._in_model(path, material, rest)

    def _in_model(self, path: str, material: Path, rest: Path) -> Place:
        """The place in laws that the model has: they are written into the scene first."""
        regions = self._regions(path, material)
        own = {self._home(region): [_term(law) for law in region.laws] for region in regions}
        targets = []
        for home, terms in own.items():
            found = _parameter(path, terms, rest)
            if found is not None:
                targets.append((*home, found[0], *found[1]))
        if not targets:
            laws = list({term["law"]: term for terms in own.values() for term in terms}.values())
            raise ModelError(f"{path}: {_no_parameter(laws, rest)}")
        changed = {home for home in own if any(t[: len(home)] == home for t in targets)}
        return Place(path, tuple(targets), tuple((h, own[h]) for h in own if h in changed))

    def _regions(self, path: str, material: Path) -> list[Region]:
        """The regions that a key of `materials` or `regions` speaks of."""
        name, regions = str(material[1]), self.model.regions
        by_tissue = material[0] == "materials"
        found = [r for r in regions if r.name == name or (by_tissue and r.tissue.value == name)]
        if not found:
            names = [r.name for r in regions]
            if by_tissue:
                names = [*dict.fromkeys(r.tissue.value for r in regions if r.laws), *names]
            kind = "tissue or region" if by_tissue else "region"
            raise ModelError(f"{path}: {unknown(kind, name, names)}")
        if not any(region.laws for region in found):
            raise ModelError(f"{path}: {name} has no material, because bones are rigid")
        return [region for region in found if region.laws]

    def _home(self, region: Region) -> Path:
        """Where the material of a region is written: what stands there decides in the end."""
        own: Path = ("regions", region.name, "material")
        return own if _has(self.data, own) else ("materials", region.name)


_READERS = {
    "materials": Ground.of_laws,
    "regions": Ground.of_laws,
    "muscles": Ground.of_model,
    "loads": Ground.of_model,
    "pins": Ground.of_model,
    "gravity": Ground.of_model,
    "solver": Ground.of_solver,
}


def _below(value: Any, key: str | int) -> Any:
    """An item of a list by number or by its name, or an attribute."""
    if isinstance(key, int):
        return value[key] if key < len(value) else None
    if isinstance(value, tuple):
        return next((item for item in value if item.name == key), None)
    return getattr(value, key, None)


def _is_vector(value: Any) -> bool:
    """Whether a value is three numbers."""
    listed = isinstance(value, list | tuple) and len(value) == len(AXES)
    return listed and all(is_number(item) for item in value)


def _material(keys: Path) -> Path:
    """The part of a path that names a material, if it leads into one."""
    if keys[0] == "materials" and len(keys) > 1:
        return keys[:2]
    return keys[:3] if keys[0] == "regions" and keys[2:3] == ("material",) else ()


def _terms(material: Any) -> list[Mapping[str, Any]]:
    given = [material] if isinstance(material, Mapping) else material
    return [term for term in given if isinstance(term, Mapping) and "law" in term]


def _term(law: Law) -> dict[str, Any]:
    """A law as a scene writes it."""
    if isinstance(law, Along):
        return _term(law.law) | {"along": law.direction}
    plain = {f.name: getattr(law, f.name) for f in fields(law)}  # type: ignore[arg-type]
    numbers = {name: _listed(value) for name, value in plain.items()}
    return {"law": law.name, **numbers}


def _listed(value: Any) -> Any:
    return [_listed(item) for item in value] if isinstance(value, tuple) else value


def _fields(law: type[Law]) -> tuple[Any, ...]:
    return fields(law)  # type: ignore[arg-type]


def _parameter(
    path: str, terms: Sequence[Mapping[str, Any]], rest: Path
) -> tuple[int, Path] | None:
    """Which law has the parameter, and its keys below the law; None if none of them has it."""
    first, below = rest[0], rest[1:]
    if isinstance(first, int) and first < len(terms):
        return (first, below) if below else None
    by_name = [k for k, term in enumerate(terms) if term["law"] == first]
    if by_name and below:
        if _allows(terms[by_name[0]], str(below[0])):
            return by_name[0], below
        raise ModelError(f"{path}: {_no_parameter([terms[by_name[0]]], below)}")
    having = [k for k, term in enumerate(terms) if _allows(term, str(first))]
    if len(having) > 1:
        laws = " or ".join(str(terms[k]["law"]) for k in having)
        raise ModelError(
            f"{path}: several laws have '{first}'; put the name of one before it: {laws}"
        )
    return (having[0], rest) if having else None


def _allows(term: Mapping[str, Any], parameter: str) -> bool:
    return parameter == "law" or any(f.name == parameter for f in _fields(find_law(term["law"])))


def _no_parameter(terms: Iterable[Mapping[str, Any]], rest: Path) -> str:
    """The sentence for a parameter that none of these laws has."""
    terms = list(terms)
    names = [f.name for term in terms for f in _fields(find_law(term["law"]))]
    laws = ", ".join(dict.fromkeys(str(term["law"]) for term in terms))
    return f"{unknown('parameter', str(rest[-1]), names)} of {laws}"


def _has(data: Any, path: Path) -> bool:
    try:
        _get(data, path)
    except (KeyError, IndexError, TypeError):
        return False
    return True


def _get(data: Any, path: Path) -> Any:
    for key in path:
        data = data[key]
    return data


def _put(data: Any, path: Path, value: Any) -> None:
    """Set the value at a path, with the mappings that lead there."""
    for key in path[:-1]:
        if isinstance(data, dict) and data.get(key) is None:
            data[key] = {}
        data = data[key]
    data[path[-1]] = value
