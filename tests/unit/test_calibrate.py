"""Fits: what is recovered, what is told of it, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import vastus
from builders import box, solid
from vastus import Inputs, Model, Newton, Pin, Target
from vastus.calibration.fit import Fit, calibrate, errors_of
from vastus.calibration.fit_folder import draw_fit, require_free, write_fit
from vastus.calibration.residuals import Effort
from vastus.errors import FileError, ModelError
from vastus.files.model_file import load_model
from vastus.inputs import Schedule
from vastus.materials import HillFibre, StableNeoHookean

PULL = "body_on_right_x_N"
BOUNDS = {"muscles.body.strength": (1e4, 8e4, 1e6), "materials.body.young": (2e4, 2e5, 2e6)}


def clamped(strength: float, young: float, width: float = 0.6) -> Model:
    """A bar between two clamps."""
    mesh = box((4, 1, 1), (0.04, 0.01, 0.01))
    left, right = (np.flatnonzero(mesh.X[:, 0] == x) for x in (0.0, mesh.X[:, 0].max()))
    model = solid(
        mesh,
        (StableNeoHookean(young, 0.4), HillFibre(1.0, width)),
        pins=(Pin("left", left), Pin("right", right)),
    )
    return model.with_(muscles=(replace(model.muscles[0], strength=strength),))


def lengths(model: Model, level: float, most: float = 0.2) -> Schedule:
    """Five lengths at one activation."""
    shifts = [np.array([[0.0, 0, 0], [0.04 * s, 0, 0]]) for s in np.linspace(-0.1, most, 5)]
    return Schedule(
        [
            replace(Inputs.rest(model, k / 4), shifts=s, excitation=np.full(1, level))
            for k, s in enumerate(shifts)
        ]
    )


def measured(model: Model, most: float = 0.2) -> list[Target]:
    """What a model has, passive and active."""
    return [
        Target(
            PULL,
            inputs,
            np.array([f.outputs[PULL] for f in vastus.simulate(model, Newton(1e-12), inputs)]),
            name=name,
        )
        for name, inputs in (
            ("passive", lengths(model, 0.0, most)),
            ("active", lengths(model, 0.5, most)),
        )
    ]


@pytest.fixture(scope="module")
def fit() -> Fit:
    return calibrate(clamped(8e4, 2e5), BOUNDS, measured(clamped(6e4, 1.5e5)))


def test_parameters_are_recovered(fit: Fit) -> None:
    assert fit.converged
    assert fit.effort.evaluations <= 20
    assert fit["muscles.body.strength"] == pytest.approx(6e4, rel=1e-8)
    assert fit["materials.body.young"] == pytest.approx(1.5e5, rel=1e-8)
    assert fit.misfit < 1e-9
    assert not fit.warnings
    assert "materials.body.young" in repr(fit)


def test_errors_are_those_of_a_straight_line() -> None:
    """The textbook's: s^2 = SSR/(n - 2), and the covariance s^2 (J^T J)^-1."""
    x, rng = np.linspace(0, 1, 20), np.random.default_rng(3)
    J = np.column_stack([np.ones(20), x])
    residuals = 0.1 * rng.standard_normal(20)
    residuals -= J @ np.linalg.lstsq(J, residuals, rcond=None)[0]
    errors, correlation = errors_of(J, residuals, np.array([2.0, 3.0]))
    s2 = residuals @ residuals / 18
    wanted = s2 * np.linalg.inv(J.T @ J)
    np.testing.assert_allclose(errors, np.sqrt(np.diag(wanted)), rtol=1e-12)
    assert correlation[0, 1] == pytest.approx(wanted[0, 1] / errors.prod(), rel=1e-10)


def test_a_law_whose_force_falls_too_steeply_is_told() -> None:
    soft = clamped(3e5, 3e4, width=0.3)
    targets = [Target(PULL, lengths(soft, 1.0, 0.4)[:3], np.full(3, 20.0))]
    found = calibrate(soft, {"muscles.body.strength": (2.9e5, 3e5, 3.1e5)}, targets, evaluations=1)
    assert any("falls with length between the stretches" in told for told in found.warnings)


def test_a_parameter_that_changes_nothing_is_told() -> None:
    model = clamped(6e4, 1.5e5)
    targets = measured(model)[:1]  # passive only
    found = calibrate(model, BOUNDS, targets, evaluations=2)
    assert "'muscles.body.strength' changes none of the targets" in found.warnings


def test_a_parameter_that_ends_at_its_bound_is_told() -> None:
    targets = measured(clamped(6e4, 1.5e5))
    bounds = {"muscles.body.strength": (7e4, 8e4, 1e6)}
    found = calibrate(clamped(8e4, 1.5e5), bounds, targets)
    assert found.parameters[0].at_bound
    assert "'muscles.body.strength' ended at its bound 70000" in found.warnings


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ({}, "needs one parameter at least"),
        ({"muscles.body.strength": (1e5, 1e4, 1e6)}, "starts at 10000 between 100000 and 1e"),
        (
            {"muscles.body.strenth": (1e4, 1e5, 1e6)},
            r"has no 'strenth'.*like.*muscles.body.strength",
        ),
        (
            {"materials.body.poisson": (0.1, 0.3, 0.7)},
            "poisson = 0.7: .*must be above -1 and below",
        ),
        ({"inputs.activation.body": (0.1, 0.3, 0.7)}, "not of the model but of its inputs"),
    ],
)
def test_parameters_that_cannot_be_fitted_are_refused(bounds, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        calibrate(clamped(8e4, 2e5), bounds, measured(clamped(6e4, 1.5e5))[:1])


def test_targets_that_mean_nothing_are_refused() -> None:
    inputs = lengths(clamped(8e4, 2e5), 0.0)
    with pytest.raises(ModelError, match="not finite numbers"):
        Target(PULL, inputs, np.array([np.nan]))
    with pytest.raises(ModelError, match="6 values for 5 inputs"):
        Target(PULL, inputs, np.ones(6))
    with pytest.raises(ModelError, match="the error -1; it must be above 0"):
        Target(PULL, inputs, np.ones(5), error=-1.0)
    with pytest.raises(ModelError, match="1 measured values cannot tell 2 parameters"):
        calibrate(clamped(8e4, 2e5), BOUNDS, [Target(PULL, inputs, np.ones(1))])
    with pytest.raises(ModelError, match="one target at least"):
        calibrate(clamped(8e4, 2e5), BOUNDS, [])


def test_a_fit_is_written_and_drawn(fit: Fit, tmp_path: Path) -> None:
    write_fit(fit, tmp_path / "fit")
    names = {path.name for path in (tmp_path / "fit").iterdir()}
    assert names == {"parameters.csv", "correlation.csv", "fit.csv", "model.npz", "provenance.json"}
    assert (
        load_model(tmp_path / "fit" / "model.npz").muscles[0].strength
        == fit["muscles.body.strength"]
    )
    rows = (tmp_path / "fit" / "fit.csv").read_text().splitlines()
    assert len(rows) == 11
    draw_fit(fit, tmp_path / "fit" / "fit.png")
    with pytest.raises(FileError, match="holds a fit; --overwrite replaces it"):
        require_free(tmp_path / "fit", overwrite=False)


def test_a_fit_that_was_interrupted_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    model, targets = clamped(8e4, 1.5e5), measured(clamped(6e4, 1.5e5))[1:]
    bounds, journal = {"muscles.body.strength": (1e4, 8e4, 1e6)}, tmp_path / "evaluations.jsonl"

    def stop(effort: Effort) -> None:
        if effort.evaluations == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        calibrate(model, bounds, targets, journal=journal, watch=stop)
    assert len(journal.read_text().splitlines()) == 3
    with journal.open("a") as file:
        file.write('{"key": "cut o')  # as the machine failed
    resumed = calibrate(model, bounds, targets, journal=journal)
    whole = calibrate(model, bounds, targets)
    assert resumed["muscles.body.strength"] == whole["muscles.body.strength"]
    assert resumed.sentence == whole.sentence
    lines = journal.read_text().splitlines()
    assert len(lines) == whole.effort.evaluations + 1
    calibrate(model, bounds, targets[:1], tolerance=1e-9, evaluations=1, journal=journal)
    assert len(journal.read_text().splitlines()) > len(lines)  # another fit has its own


def test_a_fit_without_derivatives_comes_near(tmp_path: Path) -> None:
    pytest.importorskip("optuna", reason="the extra `optimise`")
    targets = measured(clamped(6e4, 1.5e5))[1:]
    bounds = {"muscles.body.strength": (2e4, 1.2e5, 2e5)}
    made = [
        calibrate(clamped(8e4, 1.5e5), bounds, targets, method="optuna", evaluations=25)
        for _ in range(2)
    ]
    assert made[0]["muscles.body.strength"] == pytest.approx(6e4, rel=0.1)
    assert np.isnan(made[0].parameters[0].error)
    assert made[0].effort.evaluations >= 25
    assert not made[0].converged
    assert made[0].sentence.startswith("the best of")
    assert made[0]["muscles.body.strength"] == made[1]["muscles.body.strength"]
    with pytest.raises(ModelError, match="no method 'annealing'; methods: least_squares, optuna"):
        calibrate(clamped(8e4, 1.5e5), bounds, targets, method="annealing")


@pytest.mark.slow
def test_standard_errors_are_those_of_a_bootstrap() -> None:
    """1 % noise, fifty times: the mean standard error is within 2x of the scatter of the fits."""
    truth, rng = clamped(6e4, 1.5e5), np.random.default_rng(1)
    exact = measured(truth)
    noise = 0.01 * max(np.abs(target.values).max() for target in exact)
    bounds = BOUNDS | {"materials.body.width": (0.3, 0.6, 1.5)}
    fits = [
        calibrate(
            truth,
            bounds,
            [
                replace(t, values=t.values + noise * rng.standard_normal(5), error=noise)
                for t in exact
            ],
        )
        for _ in range(50)
    ]
    values = np.array([[p.value for p in fit.parameters] for fit in fits])
    errors = np.array([[p.error for p in fit.parameters] for fit in fits])
    ratio = errors.mean(axis=0) / values.std(axis=0, ddof=1)
    assert ((ratio > 0.5) & (ratio < 2.0)).all(), ratio
