"""Fields over the tets and vertices of a state: what is drawn, written and averaged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from typing import Any

import numpy as np

from vastus.energies.belly import BellyForce, Head, heads_of
from vastus.energies.collapse import Collapse
from vastus.energies.elastic import Elastic
from vastus.energies.volume import AveragedVolume
from vastus.measure.contact_fields import FORCE, PRESSURE, ContactFields
from vastus.model import Model
from vastus.numerics.rotation import unit
from vastus.numerics.small import determinants
from vastus.numerics.types import Floats
from vastus.state import State

VELOCITY = "velocity"  # over vertices, of states in motion


class Lazy(Mapping[str, np.ndarray]):
    """Arrays by name, each found when it is first asked for.

    Another process is handed none of them: what shows a field finds it there.
    """

    def __init__(self, finders: Mapping[str, Callable[[], np.ndarray]]) -> None:
        self._finders, self._found = finders, dict[str, np.ndarray]()

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._found:
            self._found[name] = self._finders[name]()
        return self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._finders

    def __iter__(self) -> Iterator[str]:
        return iter(self._finders)

    def __len__(self) -> int:
        return len(self._finders)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return dict, ()


class Fields:
    """The fields of any state of one model; each is an array over all its tets or vertices."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._usual: Fields | None = None  # of the same shape and fibres

    @cached_property
    def _elastic(self) -> Elastic:
        return self._usual._elastic.with_laws(self.model) if self._usual else Elastic(self.model)

    @cached_property
    def _heads(self) -> tuple[Head, ...]:
        if self._usual:
            return tuple(head.with_laws(self.model) for head in self._usual._heads)
        return tuple(heads_of(self.model))

    @cached_property
    def _shared(self) -> list[AveragedVolume | Collapse]:
        """What tets have together, and against collapse, where their volume is averaged."""
        if not self.model.volume.averaged:
            return []
        if self._usual:
            return [part.with_laws(self.model) for part in self._usual._shared]
        return [AveragedVolume(self.model), Collapse(self.model)]

    def with_laws(self, model: Model) -> Fields:
        """The same for a model with other laws, strengths or fibres, in the same shape."""
        other = Fields(model)
        other._usual = self if model.fibre is self.model.fibre else None
        return other

    def of(self, state: State) -> dict[str, np.ndarray]:
        """The fields over tets by name.

        `fibre` (m, 3) deformed unit direction, zero where there is none; `activation`;
        `fibre_stretch`, 1 where there is no fibre; `von_mises` [Pa], 0 in bone; `volume_ratio`;
        `tissue` and `region`, positions in `Tissue` and in the model's regions.
        """
        return dict(self.lazily(state))

    def lazily(self, state: State) -> Lazy:
        """The same, each found when it is asked for."""
        model = self.model
        F = cache(lambda: model.mesh.deformation(state.x))
        J = cache(lambda: determinants(F()))
        return Lazy(
            {
                "fibre": lambda: unit(deformed(F(), model.fibre)),
                "activation": lambda: tet_activation(model, state.activation),
                "fibre_stretch": lambda: stretch(F(), model.fibre),
                "von_mises": lambda: von_mises(cauchy(self.stress(F(), state), F(), J())),
                "volume_ratio": J,
                "tissue": lambda: model.tissue,
                "region": lambda: model.region,
            }
        )

    def on_vertices(self, state: State) -> dict[str, Floats]:
        """The fields over vertices by name: those of contact, if the model has any."""
        return self._contact.of(state)

    def lazily_on_vertices(self, state: State) -> Lazy:
        """The fields over vertices, of contact and of motion, each found when it is asked for."""
        pushed = cache(lambda: self._contact.of(state))
        nothing = np.zeros((self.model.mesh.n_vertices, 3))
        acts = self.model.contact is not None and self.model.contact.acts
        finders: dict[str, Callable[[], Floats]] = {}
        if acts:
            finders[PRESSURE] = lambda: pushed().get(PRESSURE, nothing[:, 0])
            finders[FORCE] = lambda: pushed().get(FORCE, nothing)
        return Lazy(finders | {name: lambda: state.v for name in self.in_motion(state)})

    def in_motion(self, state: State) -> dict[str, Floats]:
        """What only a state in motion has over vertices: `velocity` (n, 3) [m/s]."""
        return {VELOCITY: state.v} if state.moves else {}

    @cached_property
    def _contact(self) -> ContactFields:
        # Only who asks for it waits until distances of bones and collisions are prepared.
        usual = self._usual
        return usual._contact.with_laws(self.model) if usual else ContactFields(self.model)

    def stress(self, F: Floats, state: State) -> Floats:
        """(m, 3, 3) first Piola stress P [Pa] of deformation gradients F (m, 3, 3); 0 in bone."""
        P = np.zeros_like(F)
        P[self.model.soft] = self._soft_stress(np.ascontiguousarray(F[self.model.soft]), state)
        return P

    def soft(self, state: State) -> tuple[Floats, Floats]:
        """(s, 3, 3) the gradients F and the stresses P [Pa] of the tets that deform."""
        F = self._elastic.deformation(state.x)
        return F, self._soft_stress(F, state)

    def _soft_stress(self, F: Floats, state: State) -> Floats:
        P = self._elastic.stress(F, self._elastic.tension(state.activation))
        quick = any(head.velocity for head in self._heads)
        changing = self._elastic.deformation(state.v) if quick and state.v.any() else None
        BellyForce(self._heads, state.activation, changing).add_stress(F, P)
        for shared in self._shared:
            shared.add_stress(F, P)
        return P


def tet_activation(model: Model, levels: Floats) -> Floats:
    """(m,) the activation of each tet, 0 outside muscle tissue, for those of muscles (muscles,)."""
    return np.where(model.strength > 0, np.append(levels, 0.0)[model.muscle_of_tet], 0.0)


def deformed(F: Floats, d: Floats) -> Floats:
    """(m, 3) F d."""
    return np.asarray(np.einsum("mij,mj->mi", F, d))


def stretch(F: Floats, d: Floats) -> Floats:
    """(m,) fibre stretch |F d|, and 1 where there is no direction d (m, 3)."""
    return np.where(d.any(axis=1), np.linalg.norm(deformed(F, d), axis=1), 1.0)


def cauchy(P: Floats, F: Floats, J: Floats) -> Floats:
    """(m, 3, 3) Cauchy stress P F^T / J [Pa]; zero where a tet is flat."""
    pushed = P @ np.swapaxes(F, 1, 2)
    size = J[:, None, None]
    return np.divide(pushed, size, out=np.zeros_like(pushed), where=size != 0)


def von_mises(stress: Floats) -> Floats:
    """(m,) von Mises stress [Pa] of Cauchy stresses (m, 3, 3)."""
    deviator = stress - np.trace(stress, axis1=1, axis2=2)[:, None, None] / 3 * np.eye(3)
    return np.sqrt(1.5 * np.einsum("mij,mij->m", deviator, deviator))
