"""A model in tables, for pages and notebooks, its materials in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import numpy as np

from vastus.energies.actuators.cables import Line
from vastus.energies.actuators.cavities import enclosed
from vastus.files.html import Cell, Table, render
from vastus.materials.base import Law, in_words
from vastus.measure.architecture import architecture
from vastus.model import Model

PASCALS = frozenset({"young", "c1", "c2", "K", "G1", "G2", "smax", "L1", "modulus"})
OWN = "vastus.materials."
_PREFIXES = ((1e9, "GPa"), (1e6, "MPa"), (1e3, "kPa"), (1.0, "Pa"))


def material(laws: tuple[Law, ...]) -> str:
    """Laws with their parameters; those of a user's own law have no unit that is known."""
    return " + ".join(_law(law) for law in laws) or "rigid"


def pascals(value: float) -> str:
    """A stress with a unit that keeps its number short."""
    size, unit = next((p for p in _PREFIXES if abs(value) >= p[0]), _PREFIXES[-1])
    return f"{value / size:.4g} {unit}"


def is_stress(law: type[Law], parameter: str) -> bool:
    """Whether a parameter is in pascal."""
    return law.__module__.startswith(OWN) and parameter in PASCALS


def _law(law: Law) -> str:
    told = []
    for name in (f.name for f in fields(law)):  # type: ignore[arg-type]
        value = getattr(law, name)
        number = pascals(value) if is_stress(type(law), name) else in_words(value)
        told.append(f"{name} {number}")
    return f"{law.name} ({', '.join(told)})" if told else law.name


def summary(model: Model) -> list[tuple[str, Cell]]:
    """The size of a model in pairs of a name and a value."""
    mesh = model.mesh
    size = " × ".join(f"{100 * s:.3g}" for s in np.ptp(mesh.X, axis=0))
    gravity = ", ".join(f"{g:g}" for g in model.gravity)
    densities = np.array([r.density for r in model.regions])
    return [
        ("tets", mesh.n_tets),
        ("vertices", mesh.n_vertices),
        ("size", f"{size} cm"),
        ("volume", f"{1e6 * mesh.volumes.sum():.4g} cm³"),
        ("mass", f"{mesh.volumes @ densities[model.region]:.4g} kg"),
        ("gravity", f"({gravity}) m/s²"),
        ("volume resisted", "in patches of tets" if model.volume.averaged else "in each tet"),
    ]


def html(model: Model) -> str:
    """The model as a notebook shows it."""
    values = {"name": model.name, "facts": summary(model), "tables": tables(model)}
    return render("report/templates/model.html", **values)


def tables(model: Model) -> Iterator[Table]:
    """What the model consists of, a table for each kind of thing that it has."""
    yield Table(
        "Regions",
        ("region", "tissue", "tets", "volume [cm³]", "mass [g]", "material"),
        [_region(model, i) for i in range(len(model.regions))],
    )
    made = (
        Table("Muscles", ("muscle", "strength [kPa]", "largest activation", "volume [cm³]",
                          "section [cm²]", "force [N]", "fibres [mm]", "optimal [mm]",
                          "pennation [°]", "tendon [mm]", "leak [%]"),
              [_muscle(model, i) for i in range(len(model.muscles))]),
        Table("Bones", ("bone", "drive", "regions", "attached vertices"),
              [(b.name, b.drive.value, ", ".join(b.regions), len(b.attached))
               for b in model.bones]),
        Table("Joints", ("joint", "kind", "bones", "limits and springs"),
              [(j.name, j.kind, " and ".join(j.bones), j.resistance) for j in model.joints]),
        Table("Pins", ("pin", "vertices", "holds", "shift [mm]"),
              [(p.name, len(p.vertices), _axes(p.axes), _millimetres(p.shift))
               for p in model.pins]),
        Table("Loads", ("load", "vertices", "force [N]"),
              [(f.name, len(f.vertices), f"({', '.join(f'{c:g}' for c in f.force)})")
               for f in model.loads]),
        Table("Cavities", ("cavity", "volume [cm³]", "pressure [kPa]", "filling"),
              [(c.name, 1e6 * enclosed(model.mesh.X, c.faces), c.pressure / 1e3,
                "sealed gas" if c.gas else "held at its pressure") for c in model.cavities]),
        Table("Cables", ("cable", "points", "length [mm]", "tension [N]", "stiffness [N/m]",
                         "shortening [mm]", "friction"),
              [(c.name, len(c.points), 1e3 * Line(c, model.mesh.X).length, c.tension,
                "none" if c.stiffness is None else c.stiffness, 1e3 * c.shortening, c.friction)
               for c in model.cables]),
    )  # fmt: skip
    yield from (each for each in made if each.rows)


def _region(model: Model, index: int) -> tuple[Cell, ...]:
    region, tets = model.regions[index], model.region == index
    volume = float(model.mesh.volumes[tets].sum())
    grams = 1e3 * volume * region.density
    counted = int(tets.sum()), 1e6 * volume, grams
    return (region.name, region.tissue.value, *counted, material(model.laws(index)))


def _muscle(model: Model, index: int) -> tuple[Cell, ...]:
    muscle = model.muscles[index]
    found = architecture(model, index)
    limit = f"{muscle.limit:g}" if np.isfinite(muscle.limit) else "none"
    tendon = "unknown" if found.tendon_length is None else 1e3 * found.tendon_length
    return (
        *(muscle.name, found.strength / 1e3, limit, 1e6 * found.volume),
        *(1e4 * found.pcsa, found.force, 1e3 * found.fibre_length, 1e3 * found.optimal_length),
        *(found.pennation, tendon, 100 * found.leak),
    )


def _axes(held: tuple[bool, bool, bool]) -> str:
    return "".join(axis for axis, is_held in zip("xyz", held, strict=True) if is_held)


def _millimetres(shift: tuple[float, float, float]) -> str:
    return f"({', '.join(f'{1e3 * s:g}' for s in shift)})" if any(shift) else "none"
