"""What tells one model from another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vastus.materials import LAWS, StableNeoHookean, det, law
from vastus.model import Model, Muscle


def test_the_digest_sees_any_change(bar_model: Model) -> None:
    moved = type(bar_model.mesh)(bar_model.mesh.X * (1 + 1e-15), bar_model.mesh.T)
    others = [
        bar_model.with_(mesh=moved),
        bar_model.with_(name="rod"),
        bar_model.with_(gravity=np.zeros(3)),
        bar_model.with_(muscles=(Muscle("belly", strength=2e5),)),
    ]
    assert len({m.digest for m in [bar_model, *others]}) == 5


def test_the_digest_sees_the_energy_of_a_law(bar_model: Model) -> None:
    def digest_of(power: int) -> str:
        @law
        def squeezed(F, K=1e4):  # type: ignore[no-untyped-def]
            return K * (det(F) - 1) ** power

        LAWS.pop("squeezed")
        regions = [replace(r, laws=(squeezed(),)) if r.laws else r for r in bar_model.regions]
        return bar_model.with_(regions=tuple(regions)).digest

    assert digest_of(2) == digest_of(2) != digest_of(4)


def test_the_digest_is_that_of_version_0_1(bar_model: Model) -> None:
    """Results that were begun with it can be resumed; its fibres were uniform and local.

    Laws that are derived from an energy are told by the text that is compiled, which has changed.
    """
    muscles = (replace(Muscle.raw("belly"), strength=1e5, limit=1.0),)
    laws = (StableNeoHookean(6e4, 0.45),)
    regions = [replace(r, laws=laws) if r.laws else r for r in bar_model.regions]
    model = bar_model.with_(regions=tuple(regions), muscles=muscles)
    assert model.digest == "ec98c393b8f5512c88a7a61e51a4874c64670aab50eea2e5bec88cb61ce4936f"
