"""What was simulated: the model, its mesh, and what looks wrong in it."""

from __future__ import annotations

import numpy as np

from vastus.checks import Finding, Severity, check
from vastus.io.html import Narrow, Table, facts, paragraphs, table
from vastus.io.model_tables import summary, tables
from vastus.model import Model

SHAPES = ("measure", "worst", "worst 1 %", "median", "regular tet")


def model_section(model: Model) -> str:
    """Facts and tables of a model."""
    return facts(summary(model)) + "".join(table(t, Narrow.STACK) for t in tables(model))


def mesh_section(model: Model) -> str:
    """How well shaped the tets are that deform, or all where none does."""
    tets = model.soft if len(model.soft) else np.arange(model.mesh.n_tets)
    shape, regular = model.mesh.quality(), float(np.degrees(np.arccos(1 / 3)))
    small, large = shape.min_dihedral[tets], shape.max_dihedral[tets]
    ratio = shape.radius_ratio[tets]
    rows = [
        ("smallest dihedral angle [°]", *np.percentile(small, [0, 1, 50]).tolist(), regular),
        ("largest dihedral angle [°]", *np.percentile(large, [100, 99, 50]).tolist(), regular),
        ("3 × inradius / circumradius", *np.percentile(ratio, [0, 1, 50]).tolist(), 1.0),
    ]
    who = "that deform" if len(model.soft) else "of the model"
    return table(Table(f"Shape of the {len(tets):,} tets {who}", SHAPES, rows), Narrow.STACK)


def check_section(model: Model) -> str:
    """What looks wrong in the model, with remedies."""
    found = check(model)
    if not found:
        return paragraphs(["Nothing looks wrong in the model."])
    counts = {kind: sum(f.severity is kind for f in found) for kind in Severity}
    told = " and ".join(f"{n} {kind.value}{'s' * (n > 1)}" for kind, n in counts.items() if n)
    columns = ("severity", "where", "what", "remedy")
    rows = [_row(finding) for finding in found]
    return table(Table(f"The checks found {told}", columns, rows), Narrow.STACK)


def _row(f: Finding) -> tuple[str, ...]:
    return f.severity.value, f.where, f.sentence, f.remedy
