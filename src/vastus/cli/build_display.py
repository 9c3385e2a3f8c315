"""A build as the command line shows it: the step it is at, then tables of what was decided."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from types import TracebackType

from rich.console import Console
from rich.status import Status
from rich.table import Table

from vastus.cli.table import stdout
from vastus.modelling.anatomy.record import Record

QUIET = 10.0  # [s] between plain lines


class Steps(AbstractContextManager["Steps"]):
    """Shows the present step on stderr: in place in a terminal, as plain lines elsewhere."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._start, self._said = time.monotonic(), 0.0
        terminal = self._console.is_terminal
        self._status = Status("reading", console=self._console) if terminal else None

    def __enter__(self) -> Steps:
        if self._status:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if self._status:
            self._status.stop()

    def watch(self, step: str) -> None:
        """Called with what is being done."""
        now = time.monotonic()
        text = f"{step} ({now - self._start:.0f} s)"
        if self._status:
            self._status.update(text)
        elif now - self._said > QUIET:
            self._said = now
            self._console.print(text)


def print_record(record: Record) -> None:
    """Print what was decided: parts that were repaired, attachments, muscles, joints, times."""
    doubt = "" if record.unit_sure else " (guessed: say 'units' to be sure)"
    mesh = record.mesh
    lines = [
        f"files in {record.unit}{doubt}",
        f"{mesh.tets} tets, {mesh.vertices} vertices, smallest dihedral angle "
        f"{mesh.min_dihedral:.1f} degrees, {mesh.inverted} inverted, "
        f"{mesh.bones_sharing} vertices shared by bones",
        *(f"{part.name}: {', '.join(part.repairs)}" for part in record.parts if part.repairs),
        *(f"joint {joint.name}: {joint.sentence}" for joint in record.joints),
        ", ".join(_time(step.name, step.seconds, kept=step.kept) for step in record.steps),
    ]
    console = stdout()
    console.print(_attachments(record))
    console.print(_muscles(record))
    for line in lines:
        console.print(line, markup=False)


def _time(name: str, seconds: float, *, kept: bool) -> str:
    return f"{name} kept" if kept else f"{name} {seconds:.1f} s"


def _attachments(record: Record) -> Table:
    out = _table("muscle", "end", "attached to", "", "mm off", "cap", "vertices")
    for a in record.anchors:
        how = "given" if a.given else "proposed"
        cap = "painted" if a.painted else f"{a.cap:.2f}"
        numbers = (f"{1000 * a.distance:.1f}", cap, str(a.vertices))
        out.add_row(a.muscle, a.end, a.to, how, *numbers)
    return out


def _muscles(record: Record) -> Table:
    out = _table("muscle", "mm long", "tendon at origin", "at insertion", "fibres astray")
    for m in record.muscles:
        shares = [f"{100 * share:.1f} %" for share in (*m.tendons, m.ill_directed)]
        out.add_row(m.name, f"{1000 * m.length:.0f}", *shares)
    return out


def _table(*headings: str) -> Table:
    out = Table(box=None, padding=(0, 1), header_style="bold")
    for heading in headings:
        out.add_column(heading, no_wrap=True)
    return out
