"""Contact as fields over vertices: in a state, in the files of a frame, and read back."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import meshio
import numpy as np
import pytest

import vastus
from builders import box, carve
from vastus.contact.bodies import soft_bodies
from vastus.contact.prepare import obstacles, usual_contact
from vastus.errors import FileError
from vastus.export.export import export
from vastus.geometry.tetmesh import TetMesh
from vastus.measure.contact_fields import ContactFields
from vastus.measure.contact_outputs import ContactOutputs
from vastus.measure.fields import Fields
from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.numerics.types import Ints
from vastus.parts import Contact, ContactKind
from vastus.results.frame_file import frame_path
from vastus.results.playback import FIELDS, POINT_FIELDS
from vastus.results.result import read_playback, read_result
from vastus.state import Frame, State, rest

GAP, PRESSURE = 5e-4, 1e4
TOUCH = ("contact_pressure", "contact_force")
CELL, NEAR = 0.01, 1e-3  # [m]


def block_above_bone(contact: Contact | None) -> Model:
    """A wide bone A below muscle 'm', one layer of cells apart and nothing glued."""
    mesh = box((8, 8, 4), (0.08, 0.08, 0.04))
    x, y, z = mesh.centroids.T
    labels = np.where(z < 0.02, "A", "")
    inner = (np.abs(x - 0.04) < 0.02) & (np.abs(y - 0.04) < 0.02)
    labels[(z > 0.03) & inner] = "m"
    return carve(mesh, labels, contact=contact)


def let_down(model: Model, distance: float) -> State:
    """The muscle moved so that it is at a distance [m] from the bone."""
    shift = np.where(model.bone_of_vertex[:, None] < 0, [0.0, 0.0, distance - CELL], 0.0)
    return replace(rest(model), x=model.mesh.X + shift)


def two_bodies(contact: Contact) -> tuple[Model, State]:
    """The muscles 'a' and 'b', of which the upper is moved down to half the gap."""
    pytest.importorskip("ipctk", reason="contact of soft bodies needs the extra 'contact'")
    mesh = box((4, 4, 5), (0.04, 0.04, 0.05))
    labels = np.full(mesh.n_tets, "")
    labels[mesh.centroids[:, 2] < 0.02] = "a"
    labels[mesh.centroids[:, 2] > 0.03] = "b"
    beside = mesh.X - np.where(mesh.X[:, 2:] > 0.025, [0.0, 0.0, CELL - 2 * NEAR], 0.0)
    model = carve(TetMesh(beside, mesh.T), labels, contact=contact)
    x = model.mesh.X.copy()
    x[of_body(model, "b")] += [0.003, 0.002, -1.5 * NEAR]
    return model, replace(rest(model), x=x)


def bottom(model: Model) -> Ints:
    """The vertices of the muscle's lower face, without those of its edges."""
    x, y, z = model.mesh.X.T
    within = (np.abs(x - 0.04) < 0.019) & (np.abs(y - 0.04) < 0.019)
    return np.flatnonzero(within & (np.abs(z - 0.03) < 1e-9))


def of_body(model: Model, name: str) -> Ints:
    (found,) = (np.unique(body.T) for body in soft_bodies(model) if body.name == name)
    return found


def test_a_flat_face_is_pushed_by_the_pressure_of_its_distance() -> None:
    """p = k ((d - phi) / d)^2 everywhere, and its sum is p times the area: theory, eq. 51."""
    model = block_above_bone(Contact(gap=GAP, pressure=PRESSURE))
    state = let_down(model, GAP / 2)
    found, row = ContactFields(model).of(state), ContactOutputs(model).of(state)
    assert row["m_A_contact_distance_m"] == pytest.approx(GAP / 2, rel=1e-2)
    p = PRESSURE * (1 - row["m_A_contact_distance_m"] / GAP) ** 2
    np.testing.assert_allclose(found["contact_pressure"][bottom(model)], p, rtol=1e-5)
    total = found["contact_force"].sum(axis=0)
    # The slope of a spline is not quite 1.
    np.testing.assert_allclose(total, [0.0, 0.0, p * 0.04**2], rtol=2e-3, atol=1e-6)
    assert not found["contact_force"][model.bone_of_vertex >= 0].any()
    assert not any(values.any() for values in ContactFields(model).of(rest(model)).values())


@pytest.mark.parametrize("soft", [False, True])
def test_contact_of_other_laws_is_as_firm_as_these_make_it(soft: bool) -> None:
    """Where no pressure is given, stiffness and strength decide on it."""
    if soft:
        (model, state), name = two_bodies(Contact(gap=NEAR)), "a_b_contact_N"
    else:
        model, name = block_above_bone(Contact(gap=NEAR)), "m_A_contact_N"
        state = let_down(model, 0.5 * NEAR)
    other = model.with_laws(
        regions=tuple(
            replace(r, laws=(replace(r.laws[0], young=3 * r.laws[0].young), *r.laws[1:]))  # type: ignore[type-var, attr-defined]
            if r.laws
            else r
            for r in model.regions
        ),
        muscles=tuple(replace(m, strength=3e5) for m in model.muscles),
    )
    outputs, fields = Outputs(model), Fields(model)
    before, felt = outputs.of(state), fields.on_vertices(state)[TOUCH[0]]
    found = outputs.with_laws(other).of(state)
    assert found[name] > 1.5 * before[name] > 0
    assert found == Outputs(other).of(state)
    pressure = fields.with_laws(other).on_vertices(state)[TOUCH[0]]
    np.testing.assert_array_equal(pressure, Fields(other).on_vertices(state)[TOUCH[0]])
    assert pressure.max() > 1.5 * felt.max() > 0
    assert outputs.of(state) == before


def test_a_barrier_pushes_two_bodies_apart_by_the_forces_of_the_table() -> None:
    model, state = two_bodies(Contact(gap=NEAR, pressure=PRESSURE))
    found, row = ContactFields(model).of(state), ContactOutputs(model).of(state)
    on_a, on_b = (found["contact_force"][of_body(model, name)].sum(axis=0) for name in "ab")
    assert np.linalg.norm(on_b) == pytest.approx(row["a_b_contact_N"])
    assert on_b[2] > 0.99 * np.linalg.norm(on_b)
    np.testing.assert_allclose(on_a, -on_b, atol=1e-9 * on_b[2])
    largest = found["contact_pressure"][of_body(model, "a")].max()
    assert largest == pytest.approx(row["a_b_contact_Pa"])


def test_what_a_barrier_does_to_bones_is_left_out() -> None:
    pytest.importorskip("ipctk", reason="a barrier needs the extra 'contact'")
    contact = Contact(bones=ContactKind.BARRIER, gap=NEAR, pressure=PRESSURE)
    model = block_above_bone(contact)
    found = ContactFields(model).of(let_down(model, NEAR / 2))
    bony = model.bone_of_vertex >= 0
    assert found["contact_force"][~bony, 2].sum() > 1
    assert not found["contact_force"][bony].any()
    assert not found["contact_pressure"][bony].any()


@pytest.fixture(scope="module")
def frames() -> list[Frame]:
    """An elbow whose triceps bulges onto the humerus."""
    model = vastus.shapes.elbow(tets=1500).with_(contact=Contact())
    inputs = vastus.ramp(model, triceps=0.3, fps=1)
    return list(vastus.simulate(model, vastus.Newton(tolerance=1e-6), inputs))


@pytest.fixture(scope="module")
def folder(frames: list[Frame], tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("contact") / "out"
    assert frames[0].model is not None
    vastus.write(where, frames[0].model, frames)
    return where


def test_the_forces_of_a_file_add_up_to_those_of_the_table(
    frames: list[Frame], folder: Path
) -> None:
    model, row = read_result(folder).model, frames[-1].outputs
    stored = meshio.read(frame_path(folder, len(frames) - 1))
    force, pressure = (stored.point_data[f"contact_{what}"] for what in ("force", "pressure"))
    own = np.isin(stored.point_data["vertex"], of_body(model, "triceps"))
    size = float(np.linalg.norm(force[own].sum(axis=0)))
    assert size == pytest.approx(row["triceps_humerus_contact_N"], rel=1e-9)
    assert size > 10
    assert 0.1 < pressure[own].max() / row["triceps_humerus_contact_Pa"] < 1


def test_paraview_has_contact_on_points(folder: Path, frames: list[Frame]) -> None:
    pyvista = pytest.importorskip("pyvista", reason="needs the viz extra")
    soft = pyvista.read(frame_path(folder, len(frames) - 1))
    assert soft.point_data["contact_force"].shape == (soft.n_points, 3)
    pushed = soft.point_data["contact_pressure"] > 0
    np.testing.assert_array_equal(pushed, soft.point_data["contact_force"].any(axis=1))


def test_contact_is_read_back_to_the_last_bit_and_exported(
    frames: list[Frame], folder: Path, tmp_path: Path
) -> None:
    model, last = read_result(folder).model, len(frames) - 1
    fields = Fields(model).on_vertices(frames[-1].state)
    stored = read_result(folder).frame(last)
    export(folder, tmp_path / "vtu", to="vtu")
    copy = meshio.read(tmp_path / "vtu" / f"frame_{last:04d}.vtu").point_data
    assert set(stored.point_fields) == set(fields) == set(TOUCH)
    for name, values in fields.items():
        np.testing.assert_array_equal(stored.point_fields[name], values)
        np.testing.assert_array_equal(copy[name], values)


def test_frames_that_were_written_without_contact_are_read(
    frames: list[Frame], folder: Path, tmp_path: Path
) -> None:
    """As all were before there were such fields."""
    model = read_result(folder).model
    vastus.write(tmp_path / "old", model, frames[-1:])
    path = frame_path(tmp_path / "old", 0)
    written = path.read_bytes()
    for name in TOUCH:
        array = rb'<DataArray [^>]*Name="' + name.encode() + rb'".*?</DataArray>\n'
        written, count = re.subn(array, b"", written, flags=re.DOTALL)
        assert count == 1
    path.write_bytes(written)
    assert read_result(tmp_path / "old").frame(0).point_fields == {}
    assert read_playback(tmp_path / "old", (*FIELDS, *POINT_FIELDS))[0].point_fields == {}
    export(tmp_path / "old", tmp_path / "vtu", to="vtu")
    assert "contact_force" not in meshio.read(tmp_path / "vtu" / "frame_0000.vtu").point_data


def test_fields_of_another_shape_are_refused(frames: list[Frame], tmp_path: Path) -> None:
    assert frames[0].model is not None
    vastus.write(tmp_path, frames[0].model, frames[:1])
    path = frame_path(tmp_path, 0)
    contents = path.read_bytes().replace(b'"contact_pressure"', b'"contact_other"')
    path.write_bytes(contents.replace(b'"contact_force"', b'"contact_pressure"'))
    with pytest.raises(FileError, match="'contact_pressure' must be"):
        read_result(tmp_path).frame(0)


def test_obstacles_are_shared_by_models_that_differ_in_materials_only() -> None:
    model = vastus.shapes.elbow(tets=1_000).with_(contact=usual_contact())
    stronger = model.with_(muscles=tuple(replace(m, strength=2e5) for m in model.muscles))
    assert obstacles(stronger) is obstacles(model)
    moved = model.with_(mesh=TetMesh(1.1 * model.mesh.X, model.mesh.T))
    assert obstacles(moved) is not obstacles(model)
    alone = model.with_(contact=replace(usual_contact(), gap=5e-4))
    assert obstacles(alone) is not obstacles(model)
