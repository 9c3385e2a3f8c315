"""The density of fibres, which makes a muscle's force its strength times its cross-section."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from builders import box
from line_arm import write_arm
from vastus.checks.contraction import leaks
from vastus.checks.finding import Severity
from vastus.geometry.flux import SMALLEST, conserved
from vastus.geometry.queries import locate
from vastus.geometry.signs import aligned
from vastus.materials import ActiveFibre, MuscleTissue, StableNeoHookean, TableFibre
from vastus.materials.base import Law
from vastus.measure.architecture import architecture, contradictions
from vastus.model import Model, Muscle
from vastus.modelling.fibres.streamlines import streamlines
from vastus.modelling.lines.line_files import read_lines
from vastus.modelling.lines.line_model import model_of
from vastus.modelling.lines.loft import loft
from vastus.modelling.shapes import bipennate, elbow, fusiform
from vastus.muscle import Density, belly_of
from vastus.numerics.rotation import unit
from vastus.numerics.types import Floats
from vastus.parts import Pin, Region, Tissue

STRENGTH = 3e5


def strap() -> Model:
    """A box of 16 cm^2 and 200 mm, held at both ends."""
    mesh = box((10, 4, 4), (0.2, 0.04, 0.04))
    ends = [np.flatnonzero(mesh.X[:, 0] == x) for x in (0.0, mesh.X[:, 0].max())]
    return Model(
        mesh=mesh,
        region=np.zeros(mesh.n_tets, np.int64),
        regions=(Region("strap", Tissue.MUSCLE, (StableNeoHookean(), ActiveFibre()), muscle="s"),),
        fibre=np.tile([1.0, 0.0, 0.0], (mesh.n_tets, 1)),
        muscles=(Muscle("s", STRENGTH),),
        pins=(Pin("left", ends[0]), Pin("right", ends[1])),
        gravity=np.zeros(3),
    )


def test_a_strap_is_uniform_and_has_its_own_section() -> None:
    found = architecture(model := strap(), 0)
    assert model.density == pytest.approx(1.0, abs=1e-12)
    assert (found.force, found.fibre_length) == (pytest.approx(480.0), pytest.approx(0.2))


def _streamline_length(model: Model, index: int) -> float:
    """The length of lines inside the belly, traced from bone to bone through the tendons too.

    A tube of length L has the volume dV = L dA, so that volume over section is the harmonic mean
    of the lengths of lines through random points.
    """
    own = np.flatnonzero(model.muscle_of_tet == index)
    part, kept = model.mesh.submesh(own)
    d = aligned(part, model.fibre[own])
    belly = model.contractile[own]
    chance = part.volumes * belly
    seeds = np.random.default_rng(0).choice(len(own), 200, p=chance / chance.sum())
    bone = model.bone_of_vertex[kept]
    lengths = np.zeros(len(seeds))
    for sign in (1.0, -1.0):
        lines = streamlines(part, sign * d, seeds, np.flatnonzero(bone >= 0))
        steps = np.diff(lines.points, axis=0)
        middles = (lines.points[:-1] + 0.5 * steps).reshape(-1, 3)
        tet = locate(part, middles).tets.reshape(steps.shape[:2])
        inside = (tet >= 0) & belly[tet]
        lengths += (np.linalg.norm(steps, axis=2) * inside).sum(axis=0)
    return float(1.0 / np.mean(1.0 / lengths))


def _lofted() -> Model:
    with TemporaryDirectory() as folder:
        lines = read_lines(write_arm(Path(folder)))
    return model_of(lines, loft(lines))


SHAPES = {"fusiform": lambda: fusiform(4_000), "elbow": lambda: elbow(8_000), "lofted": _lofted}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_section_is_volume_over_the_length_of_the_fibres(shape: str) -> None:
    model = SHAPES[shape]()
    for index in range(len(model.muscles)):
        flux, tets = model.fluxes[index], belly_of(model, index)
        volumes = model.mesh.volumes[tets]
        length = volumes.sum() / flux.area
        assert length == pytest.approx(_streamline_length(model, index), rel=0.02)
        assert flux.leak < 2e-3
        assert volumes @ flux.density == pytest.approx(volumes.sum(), rel=1e-12)
        inflow, outflow = (np.maximum(sign * flux.ends, 0).sum() for sign in (1, -1))
        assert inflow == pytest.approx(outflow, rel=1e-3)
        assert flux.density.min() >= 0.9 * SMALLEST


def _spun(model: Model, degrees: float) -> Floats:
    """The fibres of a spindle along z wound about its axis, most at the surface."""
    x, y, _ = model.mesh.centroids.T
    radius = np.hypot(x, y)
    turn = np.radians(degrees) * radius / radius[model.contractile].max()
    about = np.column_stack([-y, x, 0 * x]) / np.maximum(radius, 1e-9)[:, None]
    return unit(np.cos(turn)[:, None] * model.fibre + np.sin(turn)[:, None] * about)


def test_directions_that_are_no_gradient_conserve_too() -> None:
    """Wound fibres are longer by 1/cos, so that the section is smaller by at most that."""
    model = fusiform(4_000)
    wound = model.with_(fibre=np.where(model.contractile[:, None], _spun(model, 20), model.fibre))
    straight, helical = model.fluxes[0], wound.fluxes[0]
    assert helical.leak < 2e-3
    assert np.cos(np.radians(20)) * straight.area < helical.area < straight.area


def test_the_sense_of_fibres_does_not_matter() -> None:
    model = fusiform(2_000)
    signs = np.random.default_rng(1).choice([-1.0, 1.0], model.mesh.n_tets)
    mixed = model.with_(fibre=model.fibre * signs[:, None])
    assert mixed.density == pytest.approx(model.density, rel=1e-9)


def test_fibres_that_end_on_nothing_are_refused_by_name() -> None:
    model = fusiform(2_000)
    inward = -model.mesh.centroids * [1.0, 1.0, 0.0]
    inward /= np.maximum(np.linalg.norm(inward, axis=1), 1e-9)[:, None]
    half = model.contractile & (model.mesh.centroids[:, 2] > 0.075)
    bad = model.with_(fibre=np.where(half[:, None], inward, model.fibre))
    (finding,) = leaks(bad)
    assert finding.severity is Severity.ERROR
    assert str(finding).startswith("muscle 'belly' loses ")
    assert not list(leaks(model))
    even = (Muscle("belly", density=Density.UNIFORM),)
    assert not list(leaks(bad.with_(muscles=even)))


def test_pennate_fibres_pull_by_net_flux_times_cosine() -> None:
    """At zero deformation the fibres pull the cord along the axis by section x mean cosine."""
    for angle in (10.0, 20.0):
        model = bipennate(5_000, pennation=angle)
        tets, flux = belly_of(model, 0), model.fluxes[0]
        part, kept = model.mesh.submesh(tets)
        cord = np.isin(kept, np.unique(model.mesh.T[model.tets_of(["lower tendon"])]))
        d = model.fibre[tets]
        rise = np.einsum("eai,ea->ei", part.gradients, cord[part.T])
        weight = part.volumes * flux.density
        pull = STRENGTH * np.einsum("e,ei,ei,ej->j", weight, d, rise, d)
        cosine = np.average(-d[:, 2], weights=weight)
        assert -pull[2] == pytest.approx(STRENGTH * flux.area * cosine, rel=0.02)
        assert architecture(model, 0).pennation == pytest.approx(angle, abs=1.0)


@pytest.mark.parametrize("law", [MuscleTissue(), TableFibre(), StableNeoHookean()])
def test_denser_fibres_are_those_of_a_larger_parameter(law: Law) -> None:
    (row,) = law.parameters_at(np.array([1.7]))
    wanted = law if law.per_fibre is None else replace(law, smax=1.7 * law.smax)  # type: ignore
    assert row == pytest.approx(np.array(wanted.parameters()), rel=1e-13)


def test_force_and_fibre_length_are_met_whatever_the_mesh() -> None:
    model = fusiform(2_000)
    given = Muscle("belly", force=700.0, fibre_length=0.12)
    found = architecture(model.with_(muscles=(given,)), 0)
    assert found.force == pytest.approx(700.0)
    assert found.optimal_length == pytest.approx(0.12)
    assert found.pcsa == pytest.approx(found.volume / 0.12)
    assert found.strength == pytest.approx(700.0 / found.pcsa)
    by_area = architecture(model.with_(muscles=(Muscle("belly", 2e5, pcsa=1e-3),)), 0)
    assert by_area.force == pytest.approx(200.0)


def test_a_given_volume_counts_instead_of_that_of_the_mesh() -> None:
    """F0 = strength V / Lf with the volume that is given: a mesh with a clearance has less."""
    model = fusiform(2_000)
    bare = architecture(model, 0)
    given = Muscle("belly", volume=1.03 * bare.volume)
    found = architecture(model.with_(muscles=(given,)), 0)
    assert found.force == pytest.approx(1.03 * bare.force)
    assert found.pcsa == pytest.approx(1.03 * bare.pcsa)
    assert (found.strength, found.meshed) == (pytest.approx(3e5), bare.volume)


def test_what_is_given_is_compared_with_the_mesh() -> None:
    model = fusiform(2_000)
    found = architecture(model, 0)
    agreed = Muscle("belly", pcsa=found.pcsa, volume=found.volume, pennation=5.0)
    assert not list(contradictions(agreed, found))
    wrong = Muscle("belly", force=1e4, pcsa=2e-3, volume=0.1, pennation=40.0, tendon_length=0.3)
    said = list(contradictions(wrong, found))
    assert [sentence.split()[1] for sentence in said] == [
        *("pcsa", "tendon_length", "volume", "pennation", "force")
    ]
    assert "has pcsa 20 cm2, but the mesh says 8.48 cm2" in said[0]


def test_nothing_to_hold_on_to_means_no_force() -> None:
    mesh = box((2, 1, 1), (0.2, 0.1, 0.1))
    fibre = np.tile([1.0, 0.0, 0.0], (mesh.n_tets, 1))
    flux = conserved(mesh, fibre, np.full(mesh.n_vertices, -1))
    assert (flux.area, flux.leak) == (0.0, 1.0)
    assert flux.density == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("strength", "said"),
    [
        (3e5, ""),
        (2e6, "is too small for its force, or its force too large"),
        (5e4, "is too large for its force, or its force too small"),
    ],
)
def test_a_strength_that_muscle_does_not_have_is_told(strength: float, said: str) -> None:
    model = strap()
    muscles = tuple(replace(m, strength=strength) for m in model.muscles)
    told = str(architecture(model.with_(muscles=muscles), 0))
    assert told.endswith(said or "%")
    assert ("muscle has 100 to 1000 kPa" in told) == bool(said)
    raw = tuple(replace(m, strength=2.0, limit=np.inf) for m in model.muscles)
    assert "kPa: its volume" not in str(architecture(model.with_(muscles=raw), 0))
