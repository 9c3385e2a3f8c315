"""A user's law is checked before anything is solved: what fails is said, with numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import vastus
from vastus.energies.elastic import Elastic
from vastus.errors import ModelError, VastusError
from vastus.materials import (
    LAWS,
    ActiveFibre,
    Law,
    NeoHookean,
    PointLaw,
    check_law,
    consistency,
    det,
    law,
    maximum,
    where,
)
from vastus.materials.base import Isotropic
from vastus.materials.traced import load_laws
from vastus.model import Model
from vastus.numerics.jit import point


def unlisted(energy: Any, **options: bool) -> type[Law]:
    """A law of an energy that is forgotten again: the law tests are about the package's own."""
    made = law(**options)(energy) if options else law(energy)
    LAWS.pop(energy.__name__)
    return made


def sound(F, mu=1e4):  # type: ignore[no-untyped-def]
    J = det(F)
    return mu / 2 * (np.sum(F * F) - 3 - 2 * np.log(J)) + mu * (J - 1) ** 2


def offset(F, mu=1e4):  # type: ignore[no-untyped-def]
    return mu / 2 * np.sum(F * F) - mu * np.log(det(F))


def tense(F, mu=1e4):  # type: ignore[no-untyped-def]
    return mu / 2 * (np.sum(F * F) - 3)


EVERY = [name for name in consistency.ALLOWED if name != "bulk apart"]  # of laws without one


def turned(F, mu=1e4):  # type: ignore[no-untyped-def]
    return mu * (F[0, 0] - 1) ** 2


def undefined(F, mu=1e4):  # type: ignore[no-untyped-def]
    return mu * np.sqrt(det(F) - 2)


@pytest.mark.parametrize("name", LAWS)
def test_the_laws_of_the_package_pass(name: str) -> None:
    report, knows_bulk = check_law(LAWS[name]), LAWS[name]().split()[1] is not None
    assert set(report.errors) == {*EVERY, *(["bulk apart"] if knows_bulk else [])}
    assert all(error < 1e-9 for error in report.errors.values())


def test_a_report_is_a_short_table() -> None:
    text = repr(check_law(unlisted(sound)(mu=2e4)))
    lines = text.splitlines()
    assert lines[0] == "law 'sound' (mu 20000), relative errors:"
    assert [line[:18].strip() for line in lines[1:]] == list(consistency.ALLOWED)


@dataclass(frozen=True)
class WrongBulk(Isotropic):
    """It says that its (ln J)^2 is a (J - 1)^2."""

    name: ClassVar[str] = "wrong_bulk"
    point: ClassVar[PointLaw] = NeoHookean.point


def test_a_bulk_part_of_another_form_is_found() -> None:
    with pytest.raises(ModelError, match="not what is left without its bulk modulus, and that"):
        check_law(WrongBulk(6e4, 0.49))


@pytest.mark.parametrize(
    ("energy", "sentence"),
    [
        (offset, r"the energy at rest is not zero: 15000 Pa against 0 Pa at F = \[\[1, 0, 0\]"),
        (tense, "the stress at rest is not zero, and the law is not declared `prestressed`: 10000"),
        (turned, r"the energy changes when the whole is turned: \S+ Pa against \S+ Pa at F = \[\["),
        (undefined, r"it is not finite at F = \[\["),
    ],
)
def test_an_energy_that_is_none_is_refused(energy: Any, sentence: str) -> None:
    with pytest.raises(ModelError, match=rf"^law '{energy.__name__}' \(mu 10000\): {sentence}"):
        check_law(unlisted(energy))


def test_a_law_that_says_it_is_prestressed_may_be() -> None:
    assert "no stress at rest" not in check_law(unlisted(tense, prestressed=True)).errors


@point
def _doubled_stress(F: Any, d: Any, T0: float, p: Any, P: Any) -> None:
    ActiveFibre.point.stress(F, d, 2.0 * T0, p, P)


@point
def _stiffer(F: Any, d: Any, T0: float, p: Any, H: Any) -> None:
    ActiveFibre.point.tangent(F, d, T0, p, H)
    H[0, 0] += 1e-3 * T0


@point
def _skew(F: Any, d: Any, T0: float, p: Any, H: Any) -> None:
    ActiveFibre.point.tangent(F, d, T0, p, H)
    H[0, 1] += 1e-3 * T0


GOOD = ActiveFibre.point


@dataclass(frozen=True)
class Written(Law):
    """A law written by hand; `point`, `active` and `fibrous` are set by the tests."""

    name: ClassVar[str] = "written"
    point: ClassVar[PointLaw] = GOOD
    active: ClassVar[bool] = True
    fibrous: ClassVar[bool] = True


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"point": replace(GOOD, stress=_doubled_stress)},
            "stress is not the derivative of",
        ),
        ({"point": replace(GOOD, tangent=_stiffer)}, "tangent is not the derivative of the stress"),
        ({"point": replace(GOOD, tangent=_skew)}, "tangent is not symmetric"),
        ({"fibrous": False}, "depends on d, but its class does not say `fibrous = True`"),
        ({"active": False}, "depends on T0, but its class does not say `active = True`"),
    ],
)
def test_a_law_written_by_hand_must_be_true_to_its_energy(
    changes: dict[str, Any], sentence: str
) -> None:
    made = type("Wrong", (Written,), changes)
    with pytest.raises(ModelError, match=rf"^law 'written': .*{sentence}"):
        check_law(made())
    assert check_law(Written()).errors


def test_a_law_may_be_undefined_at_large_strains_and_have_kinks() -> None:
    def gent(F, mu=1e4, limit=0.05):  # type: ignore[no-untyped-def]
        return -mu / 2 * limit * np.log(1 - (np.sum(F * F) - 3 - 2 * np.log(det(F))) / limit)

    def slack(F, d, k=1e5, end=1.02):  # type: ignore[no-untyped-def]
        y = F @ d
        stretch = np.sqrt(y @ y)
        return k / 2 * maximum(stretch - 1, 0.0) ** 2 + k * maximum(stretch - end, 0.0) ** 2

    for energy in (gent, slack):
        assert check_law(unlisted(energy)).errors


def test_a_price_for_inversion_is_no_state_of_the_law() -> None:
    def priced(F, mu=1e4):  # type: ignore[no-untyped-def]
        J = det(F)
        return where(J > 0.9, mu * (J - 1) ** 2, 1e40)

    assert check_law(unlisted(priced)).errors


def test_parameters_without_defaults_are_asked_for() -> None:
    def bare(F, mu, lam):  # type: ignore[no-untyped-def]
        return mu * lam * (det(F) - 1) ** 2

    made = unlisted(bare)
    with pytest.raises(ModelError, match=r"give it as bare\(mu=\.\.\., lam=\.\.\.\)$"):
        check_law(made)
    assert check_law(made(1.0, 2.0)).errors


def obeying(model: Model, made: Law) -> Model:
    regions = [replace(r, laws=(made,)) if r.laws else r for r in model.regions]
    return model.with_(regions=tuple(regions))


def test_a_users_law_is_checked_when_it_is_prepared_for_solving(bar_model: Model) -> None:
    model = obeying(bar_model, unlisted(tense)())
    with pytest.raises(ModelError, match=r"law 'tense' .* the stress at rest is not zero"):
        vastus.Newton().prepare(model)


def test_a_law_is_checked_once_for_its_values(
    bar_model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Law] = []
    monkeypatch.setattr(consistency, "check_law", calls.append)
    made = unlisted(sound)
    for mu in (1e4, 1e4, 3e4):
        Elastic(obeying(bar_model, made(mu)))
    assert calls == [made(1e4), made(3e4)]
    Elastic(bar_model)  # the package's own laws are checked by its tests
    assert len(calls) == 2


SCENE = """vastus: 1
model: {shape: bar, tets: 1000}
materials:
  muscle: {law: tense_in_a_file, mu: 2e4}
"""
FILE = """import numpy as np, vastus
@vastus.law
def tense_in_a_file(F, mu=1e4):
    return mu / 2 * (np.sum(F * F) - 3)
"""


def test_a_law_of_a_file_is_refused_with_its_place_in_the_scene(tmp_path: Path) -> None:
    (tmp_path / "laws.py").write_text(FILE)
    (tmp_path / "scene.yaml").write_text(SCENE)
    load_laws([tmp_path / "laws.py"])
    try:
        with pytest.raises(
            VastusError, match=r"scene\.yaml, line 4 .* the stress at rest is not zero"
        ):
            vastus.build(vastus.read(tmp_path / "scene.yaml"))
    finally:
        LAWS.pop("tense_in_a_file")
