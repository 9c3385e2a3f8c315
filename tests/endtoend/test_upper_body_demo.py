"""`vastus demo upper-body`: what it asks of two commands, and draws of their folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

pytest.importorskip("mujoco")
pytest.importorskip("pyvista", reason="the extra 'viz' is absent")

from layered import write_exercise, write_flesh
from vastus.cli import main
from vastus.cli.bodies.flesh import flesh
from vastus.cli.bodies.upper_body import upper_body


@pytest.mark.slow
def test_the_demo_moves_a_body_puts_flesh_around_it_and_draws_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, dict[str, Any]] = {}

    def exercises(**options: Any) -> None:
        asked["upper-body"] = options
        write_exercise(options["output"])

    def fleshes(**options: Any) -> None:
        asked["flesh"] = options
        write_flesh(options["output"])

    monkeypatch.setattr(upper_body, "callback", exercises)
    monkeypatch.setattr(flesh, "callback", fleshes)
    out = tmp_path / "demo"
    done = CliRunner().invoke(main, ["demo", "upper-body", "-o", str(out)])
    assert done.exit_code == 0, done.output
    first, second = asked["upper-body"], asked["flesh"]
    assert (first["motion"], first["seconds"], first["breath"]) == ("curl", 3.0, 3.0)
    assert first["sensor"] == 5.0
    assert first["masses"] == (1.0, 3.0)
    assert first["steps"] == 5, "what the demo does not say is as usual"
    assert (second["source"], second["output"]) == (out, out / "flesh")
    assert second["spacing"] > 0.007, "coarser than usual"
    assert (out / "sides.png").stat().st_size > 10_000
    assert (out / "movie.mp4").stat().st_size > 5_000
    assert f"vastus view {out / 'flesh'}" in done.output
