"""Fig. 17: an arm whose bones are scripted, and whose muscles follow."""

from __future__ import annotations

from typing import Any

from vastus.files.html import Table
from vastus.reproduce import style
from vastus.reproduce.emu.models.performance import built, drawn, moments, solved
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.kept import place_of
from vastus.results.result import Result
from vastus.results.soundness import Soundness

TETS = (4_000, 30_000)
TURN = 80.0  # [deg] that the script turns the forearm by
MUCH = 5.0  # [%] of its length that a muscle becomes shorter by
SCENE = """\
vastus: 1
name: scripted arm
model: {{shape: elbow, tets: {tets}}}
bones:
  forearm: {{drive: scripted}}
joints:
  elbow: null
inputs:
  seconds: 1
  fps: 8
  activation:
    biceps: [[0, 0], [1, 0.3]]
  bones:
    forearm:
      - {{time: 0}}
      - {{time: 1, axis: [1, 0, 0], angle_deg: {turn}, centre: [0, 0, 0]}}
"""


def run(setting: Setting) -> Finding:
    """Script the forearm of the elbow, and let its muscles follow."""
    job = built(SCENE.format(tets=TETS[setting.full], turn=TURN), "scripted")
    with place_of(setting, "scripted") as folder:
        result, pace = solved(job, folder, setting)
        rows = moments(result)
        shots = drawn(result, rows)
    sound, changes = Soundness.of(result), _changes(result)
    named = ", ".join(f"{name} by {value:+.1f} %" for name, value in changes.items())
    return Finding(
        agreement=Agreement.of(
            not sound.inverted, min(changes.values()) < -MUCH and max(changes.values()) > MUCH
        ),
        sentence=f"While the script turns the forearm by {TURN:g} deg, lengths of muscles change, "
        f"{named}; {sound.inverted or 'no'} tets are inverted, at {job.model.mesh.n_tets:,} tets "
        f"and {pace}.",
        tables=(Table("Muscles", ("muscle", "change of length [%]"), list(changes.items())),),
        figure=_pictures(shots, [float(result.times[row]) for row in rows]),
        caption="The elbow of this package; its forearm is where the script puts it.",
        solvers={"elbow": job.solver},
    )


def _changes(result: Result) -> dict[str, float]:
    """How the length of each muscle changed [%]."""
    lengths = {m.name: result.table[f"{m.name}_length_m"] for m in result.model.muscles}
    return {name: float(100 * (v[-1] / v[0] - 1)) for name, v in lengths.items()}


def _pictures(shots: tuple[Any, ...], times: list[float]) -> Any:
    made, axes = style.figure(len(shots), width=2.6, height=3.2)
    for plot, shot, time in zip(axes, shots, times, strict=True):
        style.picture(plot, shot, f"{time:.2f} s")
    return made


EXPERIMENT = Experiment(
    "fig17",
    "Fig. 17: scripted bones",
    "An artist scripts the bones of an arm, and muscles are simulated on top.",
    run,
    (0.5, 3.0),
)
