"""Muscles of the upper body as volumes: tables, lines they follow, surfaces, and flesh of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from vastus.bodies.upper.assembly import LINE_ROWS
from vastus.bodies.upper.lines import Line, lines_of
from vastus.bodies.upper.muscle_volumes import MuscleVolume, MuscleVolumes, muscle_volumes
from vastus.bodies.upper.muscle_volumes.arm import arm_muscles
from vastus.bodies.upper.muscle_volumes.back import back_muscles
from vastus.bodies.upper.muscle_volumes.chest_wall import ChestWall
from vastus.bodies.upper.muscle_volumes.deep import deep_muscles
from vastus.bodies.upper.muscle_volumes.front import front_muscles
from vastus.bodies.upper.muscle_volumes.neck import neck_muscles
from vastus.bodies.upper.muscle_volumes.solids import MuscleSolid
from vastus.energies.flesh.mixture import Shares
from vastus.errors import ModelError
from vastus.files.npz import write_npz
from vastus.flesh.fibres import shared_out
from vastus.flesh.motion import Motion
from vastus.flesh.parts import MusclePart
from vastus.flesh.skin import SkinSettings, skin_of
from vastus.flesh.sources import read_settings, usual_skin
from vastus.flesh.upper_body import UPPER_BODY_SKIN, is_upper_body, on_volumes, upper_body_parts
from vastus.geometry.lattice.remeshing import aspects, even_surface
from vastus.geometry.section import self_intersections
from vastus.geometry.surface import Surface
from vastus.modelling.trunk.proportions import proportions

WALL = ChestWall(np.full((121, 61), 100.0))
TETRAHEDRON = Surface(
    np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float),
    np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]),
)
# Volumes [cm^3] of Holzbaur et al. 2007, by the muscles that are together as large.
PUBLISHED = {
    ("deltoid_front", "deltoid_middle", "deltoid_back"): 380,
    ("pectoralis_major_clavicle", "pectoralis_major_sternum"): 290,
    ("latissimus_dorsi",): 262,
    ("triceps_long", "triceps_lateral", "triceps_medial"): 372,
    ("biceps_long", "biceps_short"): 143,
    ("brachialis",): 144,
    ("brachioradialis",): 65,
    ("infraspinatus",): 147,
    ("supraspinatus",): 50,
    ("pronator_teres",): 38,
    ("supinator",): 20,
    ("flexor_carpi_ulnaris",): 37,
}


@pytest.fixture(scope="module")
def lines() -> tuple[Line, ...]:
    return lines_of(LINE_ROWS, proportions())


@pytest.fixture(scope="module")
def solids(lines: tuple[Line, ...]) -> list[MuscleSolid]:
    marks = proportions()
    return [
        *deep_muscles(lines, marks), *back_muscles(), *front_muscles(WALL, marks),
        *neck_muscles(), *arm_muscles(),
    ]  # fmt: skip


def test_each_line_is_followed_by_one_muscle(
    solids: list[MuscleSolid], lines: tuple[Line, ...]
) -> None:
    assert len(lines) == 814
    assert max(Counter(solid.name for solid in solids).values()) == 1
    for line in lines:
        owners = [s.name for s in solids if any(each.has(line) for each in s.follows)]
        assert len(owners) == 1, (line.name, owners)


def test_muscles_without_lines_are_known_by_name(
    solids: list[MuscleSolid], lines: tuple[Line, ...]
) -> None:
    passive = {s.name for s in solids if not any(f.has(one) for f in s.follows for one in lines)}
    assert passive == {"flexor_carpi_radialis"}


def test_fibres_are_unit_vectors_inside_the_box_of_their_muscle(solids: list[MuscleSolid]) -> None:
    for solid in solids:
        low, high = solid.box
        assert np.allclose(np.linalg.norm(solid.course.directions, axis=1), 1), solid.name
        inside = ((solid.course.points > low) & (solid.course.points < high)).all(axis=1)
        assert inside.all(), solid.name


def test_activations_are_means_by_cross_section_and_at_most_one(lines: tuple[Line, ...]) -> None:
    left = [line for line in lines if line.group == "biceps_brachii" and line.side == "L"]
    names = tuple(line.name for line in left)
    volume = MuscleVolume("biceps", "L", TETRAHEDRON, np.zeros((1, 3)), np.eye(3)[:1], names)
    passive = MuscleVolume("fat", "L", TETRAHEDRON, np.zeros((1, 3)), np.eye(3)[:1], ())
    volumes = MuscleVolumes((volume, passive), {})
    areas = np.array([line.area for line in left])
    levels = np.array([[0.2, 0.6], [0.0, 5.0]])
    found = volumes.activations(levels, left)
    assert np.allclose(found[0], [levels[0] @ areas / areas.sum(), 0.0])
    assert found[1].tolist() == [1.0, 0.0]
    with pytest.raises(ModelError, match="follows line 'biceps_brachii_L0'"):
        volumes.weights(left[1:])


def test_muscles_have_as_many_fibres_as_their_lines(lines: tuple[Line, ...]) -> None:
    """Shortened by one strain at one stress, a muscle does the work of its lines, sum of A l."""
    left = [line for line in lines if line.group == "biceps_brachii" and line.side == "L"]
    names = tuple(line.name for line in left)
    volume = MuscleVolume("biceps", "L", TETRAHEDRON, np.zeros((1, 3)), np.eye(3)[:1], names)
    passive = MuscleVolume("fat", "L", TETRAHEDRON, np.zeros((1, 3)), np.eye(3)[:1], ())
    density, none = MuscleVolumes((volume, passive), {}).densities(left)
    assert density / 6 == pytest.approx(sum(line.area * line.length for line in left))
    assert none == 1.0


def test_a_muscle_needs_fibres() -> None:
    with pytest.raises(ModelError, match="'belly' has a density of fibres of 0; it must be"):
        MusclePart("belly", TETRAHEDRON, density=0.0)


def test_no_tet_is_filled_more_than_once() -> None:
    tet, muscle = np.array([0, 0, 1, 2]), np.array([0, 1, 0, 1])
    shares = shared_out(tet, np.array([0.9, 0.6, 0.5, 1.0]), np.ones(3))
    assert np.allclose(shares, [0.6, 0.4, 0.5, 1.0])
    fibre = np.tile([1.0, 0.0, 0.0], (4, 1))
    rows = Shares(tet, muscle, shares, fibre, np.ones(4))
    assert np.bincount(tet, rows.share).max() <= 1 + 1e-12


def test_folders_of_exercises_and_a_name_are_the_upper_body(tmp_path: Path) -> None:
    assert is_upper_body(Path("upper-body"))
    assert not is_upper_body(tmp_path)
    assert not is_upper_body(tmp_path / "no")
    write_npz(tmp_path / "motion.npz", {"times": np.zeros(1), "activation": np.zeros((1, 1))})
    assert not is_upper_body(tmp_path)  # that is the motion of flesh
    write_npz(tmp_path / "motion.npz", {"times": np.zeros(1), "activations": np.zeros((1, 814))})
    assert is_upper_body(tmp_path)
    assert usual_skin(tmp_path) == UPPER_BODY_SKIN
    assert usual_skin(tmp_path / "no") == SkinSettings()


def test_settings_change_what_is_usual_for_a_source(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text("skin: {cell: 0.004}\n")
    settings = read_settings(tmp_path / "settings.yaml", UPPER_BODY_SKIN)
    assert settings.skin.cell == 0.004
    assert settings.skin.groups == UPPER_BODY_SKIN.groups


def test_motions_of_other_muscles_stay_as_they_are() -> None:
    still = np.hstack([np.eye(3), np.zeros((3, 1))])[None, None]
    motion = Motion(np.zeros(1), ("humerusL",), still, ("biceps",), np.ones((1, 1)))
    assert on_volumes(motion) is motion


@pytest.mark.slow
class TestDrawn:
    """The surfaces, which take about a minute to draw if they are not kept."""

    def test_surfaces_are_closed_and_not_inside_out(self) -> None:
        volumes = muscle_volumes()
        surfaces = {each.name: each.surface for each in volumes.muscles} | dict(volumes.fillings)
        assert len(volumes.muscles) == len(set(volumes.names)) == 188
        for name, surface in surfaces.items():
            assert surface.closed, name
            assert surface.volume > 1e-7, name

    def test_the_skin_is_a_sphere_that_nowhere_crosses_itself(self) -> None:
        skin = even_surface(skin_of(upper_body_parts(), UPPER_BODY_SKIN))
        assert skin.closed
        assert skin.n_vertices - len(skin.edges) + skin.n_faces == 2
        assert len(self_intersections(skin)) == 0
        ratios = aspects(skin.X, skin.faces)
        assert np.quantile(ratios, 0.999) < 3.0
        assert ratios.max() < 4.0

    def test_sides_are_mirror_images(self) -> None:
        volumes = {each.name: each for each in muscle_volumes().muscles}
        for name, left in volumes.items():
            if left.side == "L":
                right = volumes[f"{name[:-1]}R"]
                assert np.array_equal(left.surface.X * [-1, 1, 1], right.surface.X)
                assert np.array_equal(left.surface.faces[:, ::-1], right.surface.faces)
                assert np.array_equal(left.fibres * [-1, 1, 1], right.fibres)

    @pytest.mark.parametrize("muscles", PUBLISHED, ids=lambda names: names[0])
    def test_muscles_of_the_arm_are_as_large_as_measured(self, muscles: tuple[str, ...]) -> None:
        volumes = {each.name: each.surface.volume for each in muscle_volumes().muscles}
        total = 1e6 * sum(volumes[f"{name}_L"] for name in muscles)
        assert 0.8 < total / PUBLISHED[muscles] < 1.2
