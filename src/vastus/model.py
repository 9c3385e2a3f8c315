"""What is simulated: a mesh of named regions, its muscles, bones, joints and loads.

A `Model` never changes and holds no solver data; everything a solver caches lives with the solver.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from vastus.actuators import Cable, Cavity, require_cables, sound_cavities
from vastus.cache import digest
from vastus.description import arrays, description
from vastus.errors import known
from vastus.geometry.flux import Flux
from vastus.geometry.tetmesh import TetMesh, read_only
from vastus.materials.base import Law, require
from vastus.muscle import Density, ForceLength, Muscle, belly_of, flux_of
from vastus.numerics.types import Bools, Floats, Ints
from vastus.parts import Bone, Contact, Floor, Load, Pin, Region, Tissue, Volume, set_fields
from vastus.skeleton.guides import Guide
from vastus.skeleton.joints import Joint
from vastus.validate import numbers, validate, whole

if TYPE_CHECKING:
    from vastus.energies.energy import Energy
    from vastus.pictures.picture import Picture

STANDARD_GRAVITY = (0.0, 0.0, -9.81)
# What a model keeps that no law and no strength decides.
OF_SHAPE = (
    *("tissue", "soft", "bone_of_vertex", "held", "muscle_of_tet", "contractile"),
    *("fluxes", "density"),
)
MOST_LINES, MOST_NAMES = 12, 6  # of what is printed


class Plotted(ABC):
    """Something that can be drawn: a model, or the model at some time."""

    def plot(
        self,
        *,
        colour: str | None = None,
        height: int = 600,
        view: Sequence[float] | None = None,
        limits: tuple[float, float] | None = None,
    ) -> Picture:
        """A picture, which notebooks show; needs the extra `viz`.

        `colour` names a field of `vastus.pictures.colours.FIELDS`, such as "stretch", and `limits`
        are the ends of its colours, in SI units; without it, tissues have their own colours.
        `view` is the direction (3,) to the camera. The picture is `height` pixels high.
        """
        return self._picture(colour=colour, height=height, view=view, limits=limits)

    @abstractmethod
    def _picture(self, **options: object) -> Picture:
        """The picture with the options of `plot`."""


def pictures() -> Any:
    """The module that draws: it is above this layer, and loads much, so that it is looked up."""
    return import_module("vastus.pictures.picture")


@dataclass(frozen=True, eq=False)
class Model(Plotted):
    """A validated musculoskeletal model in SI units; `gravity` says which way is down."""

    mesh: TetMesh
    region: Ints  # (m,) index into `regions` of each tet
    regions: tuple[Region, ...]
    fibre: Floats  # (m, 3) unit rest direction, zero where there is none
    muscles: tuple[Muscle, ...] = ()
    bones: tuple[Bone, ...] = ()
    joints: tuple[Joint, ...] = ()
    pins: tuple[Pin, ...] = ()
    loads: tuple[Load, ...] = ()
    gravity: Floats = field(default_factory=lambda: np.array(STANDARD_GRAVITY))  # (3,) [m/s^2]
    name: str = "model"
    volume: Volume = Volume.TET
    directions: Mapping[str, Floats] = field(default_factory=dict)  # (m, 3) each, as `fibre`
    quantities: Mapping[str, Floats] = field(default_factory=dict)  # (m,) each, for laws that ask
    contact: Contact | None = None  # None: bodies may pass through each other
    floor: Floor | None = None
    guides: tuple[Guide, ...] = ()  # what keeps muscles on their way over bones
    energies: tuple[Energy, ...] = ()  # further terms of the energy, written in Python
    cavities: tuple[Cavity, ...] = ()
    cables: tuple[Cable, ...] = ()

    def __post_init__(self) -> None:
        set_fields(
            self,
            volume=_volume(self.volume),
            region=read_only(whole(self.region, "'region' holds")),
            fibre=read_only(numbers(self.fibre, "'fibre'")),
            gravity=read_only(numbers(self.gravity, "'gravity'", (3,))),
            directions=_fields(self.directions, "direction"),
            quantities=_fields(self.quantities, "quantity"),
        )
        validate(self)
        require_cables(self)
        set_fields(self, cavities=sound_cavities(self))

    def with_(self, **changes: object) -> Model:
        """A copy with some fields changed, validated again."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def with_laws(self, **changes: object) -> Model:
        """A copy with other laws in its `regions`, or other numbers of its `muscles`.

        Where tets are, what they are of and how densely fibres lie stays, and is neither found nor
        validated again.
        """
        other = copy(self)
        known_before = [name for name in self.__dict__ if name in OF_SHAPE]
        own = {f.name for f in fields(self)}.union(known_before)
        for name in set(other.__dict__) - own:
            del other.__dict__[name]
        set_fields(other, **changes)
        return other

    def with_fibres(self, muscle: int, fibre: Floats) -> Model:
        """A copy with other directions (m, 3) of the fibres of one muscle, not validated again."""
        other = self.with_laws(fibre=read_only(fibre))
        for name in ("fluxes", "density"):
            other.__dict__.pop(name, None)
        fluxes = list(self.fluxes)
        fluxes[muscle] = flux_of(other, muscle)
        set_fields(other, fluxes=tuple(fluxes))
        return other

    @cached_property
    def tissue(self) -> Ints:
        """(m,) the `Tissue.code` of each tet, as files hold it."""
        return np.array([r.tissue.code for r in self.regions])[self.region]

    def is_tissue(self, *tissues: Tissue) -> Bools:
        """(m,) which tets are of one of these tissues."""
        return np.isin(self.tissue, [tissue.code for tissue in tissues])

    @cached_property
    def soft(self) -> Ints:
        """(s,) the tets that deform: all but bone."""
        return np.flatnonzero(~self.is_tissue(Tissue.BONE))

    @cached_property
    def bone_of_vertex(self) -> Ints:
        """(n,) the bone that carries each vertex, or -1."""
        owner = np.full(self.mesh.n_vertices, -1)
        for index, bone in enumerate(self.bones):
            owner[np.unique(self.mesh.T[self.tets_of(bone.regions)])] = index
            owner[bone.attached] = index
        return owner

    @cached_property
    def held(self) -> Ints:
        """(n, 3) which coordinates the pins hold, as booleans."""
        held = np.zeros((self.mesh.n_vertices, 3), bool)
        for pin in self.pins:
            held[pin.vertices] |= pin.axes
        return held

    @cached_property
    def muscle_of_tet(self) -> Ints:
        """(m,) the muscle that each muscle or tendon tet belongs to, or -1."""
        names = [m.name for m in self.muscles]
        owner = [names.index(r.muscle) if r.muscle else -1 for r in self.regions]
        return np.array(owner)[self.region]

    @cached_property
    def contractile(self) -> Bools:
        """(m,) which tets are muscle tissue."""
        return self.is_tissue(Tissue.MUSCLE)

    @cached_property
    def fluxes(self) -> tuple[Flux, ...]:
        """What the fibres of each muscle carry from end to end, and what they do not."""
        return tuple(flux_of(self, index) for index in range(len(self.muscles)))

    @cached_property
    def density(self) -> Floats:
        """(m,) how densely fibres lie: volume mean 1 over each muscle's tissue, 1 elsewhere.

        It scales the active and the passive fibres of each tet (theory, eq. 46). It follows
        from the mesh, the fibres and what holds them, so that it is never out of date.
        """
        density = np.ones(self.mesh.n_tets)
        for index, muscle in enumerate(self.muscles):
            if muscle.density is not Density.UNIFORM:
                density[belly_of(self, index)] = self.fluxes[index].density
        return read_only(density)

    @cached_property
    def optimal(self) -> Floats:
        """(muscles,) the stretch from rest at which the fibres have their optimal length."""
        return np.array([self._optimal(i, m) for i, m in enumerate(self.muscles)], float)

    def laws(self, region: int) -> tuple[Law, ...]:
        """The laws of a region, those of a muscle's fibres at its optimal stretch."""
        part = self.regions[region]
        if part.tissue is not Tissue.MUSCLE or part.muscle is None:
            return part.laws
        optimal = float(self.optimal[self.muscle(part.muscle)])
        return tuple(law.lengthened(optimal) for law in part.laws)

    def _optimal(self, index: int, muscle: Muscle) -> float:
        if muscle.optimal is not None or muscle.fibre_length is None:
            return muscle.optimal or 1.0
        area = self._area(index, "an optimal fibre length")
        return muscle.fibre_length * area / self.belly_volume(index)

    def belly_volume(self, index: int) -> float:
        """The volume [m^3] that the mesh has of a muscle's contractile tissue."""
        return float(self.mesh.volumes[belly_of(self, index)].sum())

    @cached_property
    def stress(self) -> Floats:
        """(muscles,) active stress per rest area where fibres lie as dense as usual [Pa].

        At activation 1 and optimal length, where an area is smaller by the optimal stretch.
        """
        return np.array([self._stress(i, m) for i, m in enumerate(self.muscles)], float)

    def _stress(self, index: int, muscle: Muscle) -> float:
        if muscle.force is None and muscle.pcsa is None:
            meshed = self.belly_volume(index)
            fuller = muscle.volume / meshed if muscle.volume and meshed else 1.0
            return muscle.strength * fuller / float(self.optimal[index])
        if muscle.force is None:
            assert muscle.pcsa is not None
            return muscle.strength * muscle.pcsa / self._area(index, "a cross-section")
        return muscle.force / self._area(index, "a force")

    def _area(self, index: int, given: str) -> float:
        """The net flux between the ends of a muscle [m^2], without which `given` means nothing."""
        area = self.fluxes[index].area
        require(
            area > 0,
            f"muscle '{self.muscles[index].name}' has {given}, but no fibre of it ends on a "
            "tendon, a bone or a pin, so that nothing pulls; attach it, or leave that out",
        )
        return area

    def force_length(self, index: int) -> ForceLength:
        """Whose stretch the active force of a muscle follows."""
        given = self.muscles[index].force_length
        if given is not None:
            return given
        regions = {self.regions[r] for r in np.unique(self.region[belly_of(self, index)])}
        own = any(law.active for region in regions for law in region.laws)
        return ForceLength.LOCAL if own else ForceLength.BELLY

    @cached_property
    def strength(self) -> Floats:
        """(m,) active stress per rest area at activation 1 [Pa]: zero outside muscle tissue."""
        stress = np.append(self.stress, 0.0)[self.muscle_of_tet]
        return np.where(self.contractile, stress * self.density, 0.0)

    @cached_property
    def digest(self) -> str:
        """A hash (64 hexadecimal digits) of all that the model says and its laws compute."""
        laws = [law.fingerprint() for region in self.regions for law in region.laws]
        further = [_identity(energy) for energy in self.energies]
        text = json.dumps([description(self), laws, *further], sort_keys=True)
        sha = hashlib.sha256(text.encode())
        for name, array in sorted(arrays(self).items()):
            sha.update(f"{name} {array.dtype.str} {array.shape}".encode())
            sha.update(np.ascontiguousarray(array).tobytes())
        return sha.hexdigest()

    def tets_of(self, regions: Iterable[str]) -> Ints:
        """The tets of the named regions."""
        wanted = [index_of("region", name, self.regions) for name in regions]
        return np.flatnonzero(np.isin(self.region, wanted))

    def muscle(self, name: str) -> int:
        """The position of the muscle called `name`."""
        return index_of("muscle", name, self.muscles)

    def bone(self, name: str) -> int:
        """The position of the bone called `name`."""
        return index_of("bone", name, self.bones)

    def bony(self, body: str) -> bool:
        """Whether a body is a bone, by its name."""
        return any(bone.name == body for bone in self.bones)

    @property
    def n_coordinates(self) -> int:
        """How many coordinates its joints have together."""
        return sum(len(joint.freedoms) for joint in self.joints)

    def _picture(self, **options: object) -> Picture:
        """The model at rest."""
        picture: Picture = pictures().plot_state(self, **options)
        return picture

    def __repr__(self) -> str:
        """The size of the mesh, and the names of muscles, bones and joints."""
        size = f"{self.mesh.n_tets} tets, {self.mesh.n_vertices} vertices"
        named: dict[str, Sequence[Named]] = {
            "regions": self.regions,
            "muscles": self.muscles,
            "bones": self.bones,
            "joints": self.joints,
            "pins": self.pins,
            "loads": self.loads,
            "cavities": self.cavities,
            "cables": self.cables,
        }
        parts = {kind: names_of([i.name for i in items]) for kind, items in named.items() if items}
        return overview(f"Model '{self.name}'", {"mesh": size} | parts)

    def _repr_html_(self) -> str:
        """What a notebook shows: the model in tables."""
        return str(import_module("vastus.report.model_tables").html(self))


def _fields(given: Mapping[str, Any], what: str) -> dict[str, Floats]:
    """Numbers of all tets by name."""
    return {name: read_only(numbers(a, f"{what} '{name}'")) for name, a in given.items()}


def _volume(given: str) -> Volume:
    if given not in list(Volume):
        raise known("volume", given, list(Volume))
    return Volume(given)


def overview(title: str, facts: Mapping[str, object]) -> str:
    """A title and a line for each of the first facts: what a person sees who prints a value."""
    rows = [(name, fact) for name, fact in facts.items() if name not in ("frame", "time_s")]
    wide = max((len(name) for name, _ in rows[:MOST_LINES]), default=0)
    lines = [
        f"  {name:{wide}}  {f'{fact:.4g}' if isinstance(fact, float) else fact}"
        for name, fact in rows[:MOST_LINES]
    ]
    more = [f"  and {len(rows) - MOST_LINES} more"] if len(rows) > MOST_LINES else []
    return "\n".join([title, *lines, *more])


def names_of(names: Sequence[str]) -> str:
    """How many names there are, and the first of them."""
    more = ", ..." if len(names) > MOST_NAMES else ""
    return f"{len(names)} ({', '.join(names[:MOST_NAMES])}{more})"


class Named(Protocol):
    """A part of a model that has a name."""

    @property
    def name(self) -> str:
        """What scenes and files call it."""


def index_of(kind: str, name: str, items: Sequence[Named]) -> int:
    """The position of the item called `name`, or an error that lists what exists."""
    names = [item.name for item in items]
    if name not in names:
        raise known(kind, name, names)
    return names.index(name)


def _identity(energy: object) -> str:
    """What tells an energy from another: its kind, and its numbers if it is a dataclass."""
    kind = f"{type(energy).__module__}.{type(energy).__qualname__}"
    return f"{kind} {digest(energy)}" if is_dataclass(energy) else kind
