"""How a run ended, in a word and a line."""

from __future__ import annotations

from dataclasses import dataclass

from vastus.io.provenance import Status
from vastus.io.result import Result

KINDS = {
    Status.FINISHED: "good",
    Status.INTERRUPTED: "fair",
    Status.RUNNING: "fair",
    Status.FAILED: "bad",
}


@dataclass(frozen=True)
class Ending:
    """A word, whether that is `good`, `fair` or `bad`, and a sentence."""

    word: str
    kind: str
    sentence: str


def ending(result: Result) -> Ending:
    """How the run of a result ended."""
    said, why = str(result.provenance.get("status")), str(result.provenance.get("sentence") or "")
    if said not in list(Status):
        return Ending("unknown", "fair", f"it is not known how the run ended; {frames(result)}")
    status = Status(said)
    if status is Status.RUNNING:
        why = "the run goes on, or was killed"
    parts = [part for part in (why, frames(result)) if part]
    return Ending(status.value, KINDS[status], "; ".join(parts))


def frames(result: Result) -> str:
    """How many frames are finished, their times, and what they took."""
    count = len(result.times)
    if not count:
        return "no frame is finished"
    when = f"at {result.times[0]:g} s"
    if count > 1:
        when = f"from {result.times[0]:g} to {result.times[-1]:g} s"
    took = sum(float(report.get("seconds", 0.0)) for report in result.reports)
    return f"{count} frame{'s' * (count > 1)} {when}" + f", solved in {took:.3g} s" * bool(took)
