"""The files of juggling: a table over time, throws and catches, and where they come from."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

import numpy as np

from vastus.bodies.body import Body
from vastus.files.safe import write_text
from vastus.juggling.result import Result
from vastus.results.body_motion import BodyMotion, write_body_motion
from vastus.results.provenance import Provenance, Record, Status

TABLE, EVENTS, PROVENANCE = "juggling.csv", "events.csv", "provenance.json"


def write_juggling(
    folder: Path, body: Body, result: Result, settings: Mapping[str, object]
) -> None:
    """Write what was juggled to a folder; `settings` tell how."""
    record = result.record
    assert record is not None, "juggling that was not run has nothing to write"
    angles = [body.dof_names[int(d)] for arm in body.arms for d in arm.dofs]
    places = [int(body.model.joint(name).qposadr[0]) for name in angles]
    balls = record.balls.shape[1]
    columns = {"time_s": record.times}
    columns |= {f"{n}_rad": record.positions[:, p] for n, p in zip(angles, places, strict=True)}
    columns |= {
        f"ball{k + 1}_{axis}_m": record.balls[:, k, i]
        for k in range(balls)
        for i, axis in enumerate("xyz")
    }
    columns |= {f"{n}_activation": a for n, a in zip(body.names, record.activations.T, strict=True)}
    columns |= {f"{n}_missing_Nm": t for n, t in zip(angles, record.missing.T, strict=True)}
    columns |= {f"{n}_reserve_Nm": t for n, t in zip(angles, record.reserves.T, strict=True)}
    rows = zip(*columns.values(), strict=True)
    write_text(folder / TABLE, _csv(list(columns), ([f"{x:.7g}" for x in row] for row in rows)))
    happened = [
        (t.time, "throw", t.ball + 1, t.hand, str(t.value), 100 * t.landing) for t in result.throws
    ]
    happened += [
        (e.time, "catch" if e.held else "drop", e.ball + 1, e.hand, "", 100 * e.gap)
        for e in result.events
    ]
    heads = ["time_s", "what", "ball", "hand", "value", "off_cm"]
    told = ([f"{e[0]:.4f}", *e[1:5], f"{e[5]:.3f}"] for e in sorted(happened, key=lambda e: e[0]))
    write_text(folder / EVENTS, _csv(heads, told))
    digest = sha256(repr(body.units).encode() + np.asarray(body.home).tobytes()).hexdigest()[:16]
    written = Record.begin(folder / PROVENANCE, Provenance(dict(settings)), digest)
    written.contents["outcome"] = {
        "catches": result.catches,
        "drops": result.drops,
        "landing_mean_m": float(result.landings.mean()) if len(result.landings) else None,
        "missing_Nm": result.missing,
        "reserve_Nm": result.reserve,
        "effort": result.effort,
        "cpu_s": result.cpu,
    }
    if result.energy is not None:
        balance = {"balance": result.energy.balance}
        written.contents["outcome"]["energy_J"] = asdict(result.energy) | balance
    if result.mismatch is not None:
        off = {"most": result.mismatch.most, "rms": result.mismatch.rms}
        written.contents["outcome"]["bellies_against_tables"] = off
    write_body_motion(
        folder,
        BodyMotion(folder.name, body, record.times, record.positions, record.activations),
    )
    written.mark(Status.FINISHED if not result.drops else Status.FAILED, str(result))


def _csv(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return text.getvalue()
