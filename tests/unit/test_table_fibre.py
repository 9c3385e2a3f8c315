"""Fibres whose force-length curves are tables: the curves themselves, and how they are given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import PchipInterpolator

import vastus
from vastus.app.author.document import Document
from vastus.app.author.edits import materials
from vastus.energies.elastic import Elastic
from vastus.errors import ModelError, VastusError
from vastus.files.model_file import load_model, save_model
from vastus.materials import HillFibre, StableNeoHookean, TableFibre
from vastus.materials.fibres.table_fibre import ACTIVE, PASSIVE
from vastus.model import Model
from vastus.report.model_tables import material
from vastus.scene.repaired import moved

ALONG = np.array([1.0, 0.0, 0.0])
FINE = np.linspace(0.3, 1.9, 321)


def force(law: TableFibre | HillFibre, stretch: float, T0: float = 0.0) -> float:
    """The force along the fibre per rest area [Pa]."""
    P = np.zeros((3, 3))
    F = np.diag([stretch, 1.0, 1.0])
    type(law).point.stress(F, ALONG, T0, np.array(law.parameters()), P)
    return float(P[0, 0])


def energy(law: TableFibre, stretch: float, T0: float = 0.0) -> float:
    F = np.diag([stretch, 1.0, 1.0])
    return float(type(law).point.energy(F, ALONG, T0, np.array(law.parameters())))


def test_the_force_at_a_row_is_that_of_the_row() -> None:
    law = TableFibre(smax=2e5)
    for length, wanted in ACTIVE:
        active = force(law, length, 3e5) - force(law, length)
        assert active == pytest.approx(3e5 * wanted, abs=1e-6)
    for length, wanted in PASSIVE:
        assert force(law, length) == pytest.approx(2e5 * wanted, abs=1e-6)


def test_between_rows_it_is_the_monotone_cubic() -> None:
    """Where no end is near, PCHIP; its slope depends on the next rows only."""
    curve = PchipInterpolator(*np.array(ACTIVE).T)
    law = TableFibre(passive_curve=())
    for x in np.linspace(0.51, 1.49, 50):
        assert force(law, x, 1e5) == pytest.approx(1e5 * curve(x), rel=1e-12)


@pytest.mark.parametrize("optimal", [1.0, 0.9, 1.2])
def test_the_energy_is_the_exact_integral_of_the_force(optimal: float) -> None:
    law = TableFibre(optimal=optimal)
    assert energy(law, 1.0, 3e5) == pytest.approx(0.0, abs=1e-9)
    knots = optimal * np.array([x for x, _ in (*ACTIVE, *PASSIVE)])
    for stretch in (0.2, 0.55, 0.93, 1.27, 1.55, 1.9):
        low, high = min(1.0, stretch), max(1.0, stretch)
        inside = knots[(knots > low) & (knots < high)]
        work, _ = quad(lambda s: force(law, s, 3e5), 1.0, stretch, points=inside, limit=200)
        assert energy(law, stretch, 3e5) == pytest.approx(work, rel=1e-9)


def test_a_table_of_a_bell_is_the_bell() -> None:
    """T0 exp(-((x - o)/w)^2) of a table; on its flanks the error is of third order."""
    bell = HillFibre(optimal=1.1, width=0.4)
    errors = []
    for count in (41, 81):
        x = np.linspace(0.0, 2.4, count)
        rows = np.stack([x, np.exp(-(((x - 1.1) / 0.4) ** 2))], axis=1)
        law = TableFibre(active_curve=rows, passive_curve=())  # type: ignore[arg-type]
        at = np.concatenate([np.linspace(0.5, 1.0, 101), np.linspace(1.2, 1.7, 101)])
        errors.append(max(abs(force(law, s, 1.0) - force(bell, s, 1.0)) for s in at))
    assert errors[1] < 2e-4
    assert errors[0] / errors[1] > 6


def test_monotone_rows_make_a_monotone_force() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        x = np.cumsum(rng.uniform(0.01, 0.3, 12))
        f = np.cumsum(rng.choice([0.0, 0.0, 1.0], 12) * rng.exponential(1.0, 12))
        law = TableFibre(active_curve=(), passive_curve=np.stack([x, f], axis=1))  # type: ignore[arg-type]
        forces = [force(law, s) for s in np.linspace(0.01, x[-1] + 0.5, 400)]
        assert np.diff(forces).min() >= -1e-9 * max(forces)


def test_the_force_is_smooth_at_the_ends_and_beyond() -> None:
    law = TableFibre()
    below, above = 0.399999, 1.600001
    assert force(law, below, 1e5) == force(law, 0.1, 1e5) == 0.0
    active = [force(law, s, 1e5) - force(law, s) for s in (above, 3.0)]
    assert active == pytest.approx([0.0, 0.0], abs=1e-6)
    last = [force(law, s) for s in (1.4, 1.5, 1.6, 1.7)]
    assert np.diff(last) == pytest.approx(np.diff(last)[0] * np.ones(3))
    slopes = np.diff([force(law, s, 1e5) for s in FINE]) / np.diff(FINE)
    assert np.abs(np.diff(slopes)).max() < 0.2 * np.abs(slopes).max()


@pytest.mark.parametrize(
    ("curve", "sentence"),
    [
        ([[1.0, 0.0]], "active_curve has one row; it needs at least two"),
        ([[0.5, 1.0], [0.5, 2.0]], "its lengths must rise, but 0.5 comes after 0.5"),
        ([[-0.5, 1.0], [0.5, 2.0]], "active_curve has the length -0.5, which is below 0"),
        ([[0.5, np.nan], [0.6, 2.0]], "active_curve has a number that is not finite"),
        ([[0.5, 1.0, 2.0], [0.6, 2.0, 3.0]], "active_curve must be rows of two numbers, a length"),
        ([[0.5, 1.0], [0.6]], "active_curve must be rows of two numbers, a length and a force"),
        (5.0, "active_curve must be rows of two numbers, a length and a force"),
    ],
)
def test_what_is_no_curve_is_refused(curve: object, sentence: str) -> None:
    with pytest.raises(ModelError, match=rf"^table_fibre: .*{sentence}"):
        TableFibre(active_curve=curve)  # type: ignore[arg-type]


def test_one_curve_must_be_there() -> None:
    with pytest.raises(ModelError, match="both of its curves are empty"):
        TableFibre((), ())


def long_table(count: int) -> TableFibre:
    x = np.linspace(0.4, 1.6, count)
    return TableFibre(active_curve=np.stack([x, 1 - (x - 1) ** 2], axis=1))  # type: ignore[arg-type]


def test_regions_may_have_tables_of_different_lengths(bar_model: Model) -> None:
    """Their parameters differ in number, so that one loop cannot serve both."""
    short, long = TableFibre(), long_table(100)
    laws = {"belly": (short, StableNeoHookean()), "origin": (long, StableNeoHookean())}
    regions = [replace(r, laws=laws.get(r.name, r.laws)) for r in bar_model.regions]
    model = bar_model.with_(regions=tuple(regions))
    elastic = Elastic(model)
    F = np.tile(np.diag([1.2, 0.95, 0.95]), (len(model.soft), 1, 1))
    P = elastic.stress(F, np.full(len(F), 1e5))
    names = [model.regions[i].name for i in model.region[model.soft]]
    plain = np.zeros((3, 3))
    elastic_law = StableNeoHookean()
    type(elastic_law).point.stress(F[0], ALONG, 0.0, np.array(elastic_law.parameters()), plain)
    for law, name in ((short, "belly"), (long, "origin")):
        wanted = plain[0, 0] + force(law, 1.2, 1e5)
        assert P[names.index(name), 0, 0] == pytest.approx(wanted, rel=1e-9)


def test_a_table_is_saved_with_its_model(bar_model: Model, tmp_path: Path) -> None:
    regions = [replace(r, laws=(long_table(30),)) if r.laws else r for r in bar_model.regions]
    model = bar_model.with_(regions=tuple(regions))
    save_model(tmp_path / "m.npz", model)
    back = load_model(tmp_path / "m.npz")
    assert back.regions == model.regions
    assert back.digest == model.digest
    told = material(back.regions[2].laws)
    assert "active_curve 30 rows, passive_curve 9 rows, smax 300 kPa" in told


SCENE = """vastus: 1
model: {shape: bar, tets: 1000}
materials:
  muscle:
    - {law: stable_neo_hookean, young: 1e5}
    - {law: table_fibre, active_curve: CURVE, passive_curve: []}
"""


def built(folder: Path, curve: str) -> TableFibre:
    (folder / "scene.yaml").write_text(SCENE.replace("CURVE", curve))
    model = vastus.build(vastus.read(folder / "scene.yaml"))
    (law,) = {law for r in model.regions for law in r.laws if isinstance(law, TableFibre)}
    return law


def test_a_scene_gives_rows_or_names_a_file(tmp_path: Path) -> None:
    rows = ((0.5, 0.0), (1.0, 1.0), (1.5, 0.0))
    lines = [f"{x},{f}" for x, f in rows]
    (tmp_path / "plain.csv").write_text("\n".join(lines))
    (tmp_path / "head.csv").write_text("length, force\n" + "\n".join(lines) + "\n\n")
    both = "length,passive_curve,active_curve\n" + "\n".join(f"{x},9,{f}" for x, f in rows)
    (tmp_path / "both.csv").write_text(both)
    for curve in ("[[0.5, 0], [1, 1], [1.5, 0]]", "plain.csv", "head.csv", "both.csv"):
        law = built(tmp_path, curve)
        assert (law.active_curve, law.passive_curve) == (rows, ())


def test_the_digest_of_a_scene_sees_its_tables(tmp_path: Path) -> None:
    (tmp_path / "scene.yaml").write_text(SCENE.replace("CURVE", "a.csv"))
    digests = set()
    for value in (1.0, 2.0):
        (tmp_path / "a.csv").write_text(f"0.5,0\n1,{value}")
        digests.add(vastus.read(tmp_path / "scene.yaml").digest)
    assert len(digests) == 2


@pytest.mark.parametrize(
    ("curve", "sentence"),
    [
        ("none.csv", "line 6 .*there is no file"),
        ("text.csv", r"line 6 .*text\.csv', line 2: 'two' is not a finite number"),
        ("thin.csv", r"line 6 .*thin\.csv' needs two columns and at least two rows of numbers"),
        ("bell", "line 6 .*'bell' was given, but it must be rows of two numbers, or a CSV file"),
        ("3", "line 6 .*3 was given, but it must be rows of two numbers, or a CSV file"),
        ("[[1, 2], [0.5, 3]]", "line 6 .*its lengths must rise, but 0.5 comes after 1"),
        ("[[1, a], [2, 3]]", "line 6 .*active_curve must be rows of two numbers"),
    ],
)
def test_a_table_that_is_none_is_refused_with_its_line(
    curve: str, sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "text.csv").write_text("1,0\n2,two\n")
    (tmp_path / "thin.csv").write_text("1\n2\n")
    with pytest.raises(VastusError, match=sentence):
        built(tmp_path, curve)


def authored(folder: Path) -> Document:
    (folder / "a.csv").write_text("0.5,0\n1,1\n1.5,0\n")
    parts = {"m": {"file": "m.obj", "tissue": "muscle"}}
    fibres = {"law": "table_fibre", "active_curve": "a.csv", "passive_curve": []}
    data = {"vastus": 1, "surfaces": {"parts": parts}, "materials": {"muscle": fibres}}
    return Document(folder, data)


def test_the_author_of_a_scene_with_a_table_sets_its_numbers(tmp_path: Path) -> None:
    document = authored(tmp_path)
    quantities = materials.quantities(materials.laws_of(document, "muscle"))
    assert [quantity.name for quantity in quantities] == ["smax", "optimal"]
    changed = materials.set_number(document, "muscle", 0, "smax", 1e5)
    rows = ((0.5, 0.0), (1.0, 1.0), (1.5, 0.0))
    assert materials.laws_of(changed, "muscle") == (TableFibre(rows, (), smax=1e5),)


def test_a_scene_that_moves_still_names_its_tables() -> None:
    data = {"name": "x.csv", "materials": {"muscle": [{"law": "table_fibre", "curve": "a.csv"}]}}
    there = moved(data, Path("/scenes/here"), Path("/scenes/there"))
    assert there["materials"]["muscle"][0]["curve"] == str(Path("../here/a.csv"))
    assert there["name"] == "x.csv"
