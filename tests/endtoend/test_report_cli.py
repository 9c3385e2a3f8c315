"""`vastus report` as a user calls it."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

import vastus
from vastus.cli import main
from vastus.model import Model


def test_a_result_becomes_a_page_and_other_folders_are_refused(
    bar_model: Model, tmp_path: Path
) -> None:
    inputs = vastus.ramp(bar_model, belly=0.2, seconds=0.1)
    vastus.write(tmp_path / "out", bar_model, vastus.simulate(bar_model, vastus.Newton(), inputs))
    words = ["report", str(tmp_path / "out"), "-o", str(tmp_path / "page.html")]
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == f"page: {tmp_path / 'page.html'}\n"
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "2 frames from 0 to 0.1 s" in text

    columns = ["--x", "belly_activation", "--y", "belly_force_N"]
    words = ["report", str(tmp_path / "out"), "-o", str(tmp_path / "chosen.html"), *columns]
    assert CliRunner().invoke(main, words).exit_code == 0
    text = (tmp_path / "chosen.html").read_text(encoding="utf-8")
    assert "Chosen columns" in text
    assert "belly_force_N over belly_activation: belly_force_N from 0 to" in text

    words = ["report", str(tmp_path), "-o", str(tmp_path / "other.html")]
    refused = CliRunner().invoke(main, words)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == (
        f"error: '{tmp_path}' is not a result folder: it has no provenance.json\n"
    )
    assert not (tmp_path / "other.html").exists()
