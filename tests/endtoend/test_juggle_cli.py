"""`vastus juggle` as it is used."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from vastus.cli import main

pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")


def juggle(*words: object) -> Result:
    return CliRunner().invoke(main, ["juggle", *map(str, words)])


def test_three_balls_are_juggled_and_written(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    done = juggle("3", "--seconds", 1.5, "--no-pictures", "-o", folder)
    assert done.exit_code == 0, done.output
    assert "0 drops" in done.output
    assert "no torque is missing" in done.output
    with (folder / "juggling.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert float(rows[-1]["time_s"]) == pytest.approx(1.5, abs=0.01)
    assert all(0 <= float(rows[-1][f"{side}_DELT1_activation"]) <= 1 for side in "rl")
    # Balls in flight fall freely: second differences of their heights are those of gravity.
    z = [float(row["ball1_z_m"]) for row in rows]
    h = float(rows[1]["time_s"]) - float(rows[0]["time_s"])
    assert min(b - 2 * a + c for a, b, c in zip(z[1:], z, z[2:], strict=False)) / h**2 < -9.7
    with (folder / "events.csv").open(encoding="utf-8") as file:
        events = list(csv.DictReader(file))
    caught = [event for event in events if event["what"] == "catch"]
    record = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    assert record["status"] == "finished"
    assert record["outcome"]["catches"] == len(caught) > 0
    assert record["outcome"]["reserve_Nm"] == 0
    assert "'lines'" in str(record), "the law of the muscles is told"
    energy = record["outcome"]["energy_J"]
    assert energy["muscles"] > 0 > energy["dampers"]
    assert abs(energy["balance"]) < 2.5
    assert "energy: muscles +" in done.output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["432"], "432"),
        (["x!"], "x!"),
        (["3", "--strength", "0"], "strength 0.0 of the body: it must be above zero"),
        (["3", "--seconds", "-1"], "--seconds -1: it must be above 0 and at most 600"),
        (["b"], "b"),
    ],
)
def test_what_cannot_be_juggled_is_one_sentence(
    tmp_path: Path, words: list[str], sentence: str
) -> None:
    done = juggle(*words, "-o", tmp_path / "made")
    assert done.exit_code == 2
    assert len(done.output.strip().splitlines()) == 1
    assert sentence in done.output
    assert not (tmp_path / "made").exists()
    print(done.output)


@pytest.mark.slow
def test_throws_are_optimised_when_asked(tmp_path: Path) -> None:
    words = ("--seconds", 1.2, "--no-pictures", "--optimise", 3, "-o", tmp_path / "made")
    done = juggle("3", *words)
    assert done.exit_code == 0, done.output
    assert "throws optimised in" in done.output
    record = json.loads((tmp_path / "made" / "provenance.json").read_text(encoding="utf-8"))
    assert record["outcome"]["landing_mean_m"] < 0.01
    both = juggle("3", *words, "--corrections", 1)
    assert both.exit_code == 2
    assert "1 corrections of throws that are optimised; give one of the two" in both.output


@pytest.mark.slow
def test_pictures_of_juggling(tmp_path: Path) -> None:
    pytest.importorskip("pyvista", reason="the extra 'viz' is absent")
    done = juggle("3", "--seconds", 0.6, "-o", tmp_path / "made")
    assert done.exit_code == 0, done.output
    for name in ("plot.png", "sheet.png", "movie.mp4"):
        assert (tmp_path / "made" / name).stat().st_size > 10_000
