"""Forces of muscles: the same through every section, in balance on bones, continuous in time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vastus.experiments.clamp import clamped
from vastus.measure.ends import ends_of, own_tets
from vastus.measure.fields import Fields
from vastus.measure.outputs import Outputs
from vastus.measure.sections import SECTIONS, Sections
from vastus.modelling.shapes import elbow, fusiform
from vastus.schedules import from_arrays, ramp
from vastus.solvers.newton import Newton
from vastus.state import Frame, rest
from vastus.timeloop import simulate


@pytest.fixture(scope="module")
def held() -> Frame:
    """A fusiform muscle between clamps, fully active."""
    clamp = clamped(fusiform(tets=1_000), "belly")
    inputs = clamp.schedule(np.ones(4), np.linspace(0.0, 1.0, 4))
    *_, last = simulate(clamp.model, Newton(tolerance=1e-10), inputs)
    return last


def test_the_same_force_passes_every_section(held: Frame) -> None:
    """R = sum V P grad psi is the same vector for all psi that are 0 and 1 at the ends."""
    model = held.model
    assert model is not None
    own = own_tets(model, 0)
    sections = Sections(model, own, ends_of(model, own))
    P = Fields(model).soft(held.state)[1]
    found = sections.of(P[np.searchsorted(model.soft, own)])
    assert len(found) == SECTIONS + 2
    size = np.linalg.norm(found[0])
    assert size > 100.0
    np.testing.assert_allclose(found, np.tile(found[0], (len(found), 1)), atol=1e-4 * size)


def test_forces_and_moments_on_bones_cancel(held: Frame) -> None:
    out = held.outputs

    def vector(bone: str, part: str, unit: str) -> np.ndarray:
        return np.array([out[f"belly_on_{bone}{part}_{axis}_{unit}"] for axis in "xyz"])

    forces = {bone: vector(bone, "", "N") for bone in ("upper", "lower")}
    moments = [
        vector(bone, "_moment", "Nm") + np.cross(vector(bone, "_at", "m"), force)
        for bone, force in forces.items()
    ]
    strongest = out["belly_force_N"]
    assert np.linalg.norm(sum(forces.values())) < 1e-6 * strongest
    assert np.linalg.norm(sum(moments)) < 1e-6 * strongest


def test_a_straight_muscle_delivers_most_of_its_tension(held: Frame) -> None:
    """What is missing is what the shortened tissue between the fibres pushes back."""
    assert 0.94 < held.outputs["belly_share"] < 1.0


def test_forces_do_not_depend_on_how_many_frames_there_are() -> None:
    model = elbow(tets=1_000)
    rows = {
        fps: [f.outputs for f in simulate(model, Newton(), ramp(model, biceps=0.6, fps=fps))]
        for fps in (3, 6)
    }
    for name in ("biceps_force_N", "triceps_force_N", "biceps_on_forearm_N"):
        coarse = np.array([row[name] for row in rows[3]])
        fine = np.array([row[name] for row in rows[6]])
        assert (coarse >= 0).all()
        np.testing.assert_allclose(coarse, fine[::2], atol=0.01 * max(fine.max(), 1e-9))


def test_arms_by_force_and_by_excursion_agree_on_the_elbow() -> None:
    """M / |R| = -dL/dtheta within 3 % where the biceps pulls and hardly bends."""
    model = elbow(tets=2_000).with_(gravity=np.zeros(3))
    angles = np.array([0.0, 0.0, 0.0, 10.0, 20.0, 30.0, 40.0])
    levels = np.array([0.0, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0])
    inputs = from_arrays(model, np.arange(7.0), {"biceps": levels}, joints={"elbow": angles})
    rows = [f.outputs for f in simulate(model, Newton(), inputs)][3:]
    arms = np.array([row["biceps_elbow_arm_m"] for row in rows])
    excursions = np.array([row["biceps_elbow_excursion_m"] for row in rows])
    np.testing.assert_allclose(arms, excursions, rtol=0.03)
    assert (arms > 0.02).all()


@pytest.mark.parametrize("squeezed", [0.6, 0.9, 1.0, 1.3])
@pytest.mark.parametrize("level", [0.0, 0.7])
def test_fibre_tension_is_never_negative(squeezed: float, level: float) -> None:
    """Nor where a muscle is pressed together."""
    model = fusiform(tets=1_000)
    x = model.mesh.X * [1.0, 1.0, squeezed]
    out = Outputs(model).of(replace(rest(model), x=x, activation=np.array([level])))
    assert out["belly_active_N"] >= 0.0
    assert out["belly_passive_N"] >= 0.0
    assert (out["belly_active_N"] > 0.0) == (level > 0.0)


def test_tension_and_pull_agree_from_rest_length_on() -> None:
    """A straight muscle pulls at its ends what its fibres carry, within 3 % of F0."""
    clamp = clamped(fusiform(tets=1_000), "belly")
    lengths = np.array([1.0, 1.0, 1.0, 1.1, 1.2, 1.3])
    levels = np.array([0.0, 0.5, 1.0, 1.0, 1.0, 1.0])
    rows = [f.outputs for f in simulate(clamp.model, Newton(), clamp.schedule(lengths, levels))]
    table = {name: np.array([row[name] for row in rows[2:]]) for name in rows[0]}
    apart = table["belly_force_N"] - clamp.pull(table)
    assert np.abs(apart).max() < 0.03 * clamp.strongest
