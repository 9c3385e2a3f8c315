"""Which degrees of freedom and units belong to the limb that ends in a hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vastus.bodies.body import Arm
from vastus.errors import FileError


def arms_of(
    spec: Any, palms: Mapping[str, str], n_units: int, source: str
) -> tuple[tuple[Arm, ...], Any]:
    """The arms that end in palms (sites, or bodies by name), and the model compiled with them.

    An arm has the joints between its hand and the part that all hands share, and the units whose
    paths those joints move. A palm that is a body gets a site at its origin. `source` is named in
    errors.
    """
    sites = {name: _palm(spec, place, source) for name, place in palms.items()}
    m = spec.compile()
    chains = {name: _chain(m, int(m.site_bodyid[m.site(s).id])) for name, s in sites.items()}
    shared = set.intersection(*(set(c) for c in chains.values())) if len(chains) > 1 else set()
    arms = []
    for name, site in sites.items():
        dofs = tuple(d for d in chains[name] if d not in shared)
        hand = m.body(int(m.site_bodyid[m.site(site).id])).name
        if not dofs:
            raise FileError(f"hand '{hand}' of '{source}' cannot move: no joint is above it alone")
        arms.append(Arm(name, dofs, _moved(m, dofs, n_units), hand, site))
    return tuple(arms), m


def _palm(spec: Any, place: str, source: str) -> str:
    if place in [site.name for site in spec.sites]:
        return place
    for body in spec.bodies:
        if body.name == place:
            body.add_site(name=f"{place}_palm")
            return f"{place}_palm"
    raise FileError(f"'{source}' has no hand '{place}': no site and no body has that name")


def _chain(m: Any, body: int) -> list[int]:
    """The dofs of a body and of those it hangs on, from the root outwards."""
    dofs: list[int] = []
    while body:
        first = int(m.body_dofadr[body])
        dofs = [*range(first, first + int(m.body_dofnum[body])), *dofs] if first >= 0 else dofs
        body = int(m.body_parentid[body])
    return dofs


def _moved(m: Any, dofs: tuple[int, ...], n_units: int) -> tuple[int, ...]:
    """The units whose path some of the dofs can move: the pattern of MuJoCo's moment arms."""
    found = []
    for unit in range(n_units):
        row = int(m.ten_J_rowadr[unit])
        columns = m.ten_J_colind[row : row + int(m.ten_J_rownnz[unit])]
        if np.isin(columns, dofs).any():
            found.append(unit)
    return tuple(found)
