"""What an examination finds before and after, side by side, with the curves over the range."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import radians

import numpy as np

from vastus.app.surgery.surgery import Surgery
from vastus.app.text import label, plain
from vastus.app.view.time_plots import COLOURS, axis_range
from vastus.app.web_page import Choice
from vastus.control.disorders.comparison import Comparison
from vastus.numerics.types import Floats

LEAST = {"deg": 0.05, "N m": 0.005, "mm": 0.05}  # differences that are shown as such
MOST = 4  # muscles whose arms are drawn
DASH = [6, 5]  # of the curves before
Row = tuple[str, str, str, bool]  # what, before, after, whether that differs


class FindingsPanel:
    """The panel at the left."""

    def __init__(self, surgery: Surgery) -> None:
        self._surgery = surgery
        page, gui = surgery.page, surgery.page.server.gui
        self._joint: Choice[str] = Choice(page, "Joint", self._choose)
        self._before: Choice[int] = Choice(page, "Before is", self._compare)
        self._gravity = gui.add_checkbox(
            "With weight", surgery.gravity, hint="Whether the limb has its own weight."
        )
        page.when(self._gravity, lambda _: self._weigh())
        self._table = gui.add_html("")
        relax = gui.add_button_group("Show relaxed", ("before", "after"))
        page.when(relax, lambda _: self._relax(relax.value), event="on_click")
        x = np.array([0.0, 1.0])
        self._strength, self._arms = (
            gui.add_uplot((x, x), ({}, {"label": "-"}), title=title, aspect=aspect)
            for title, aspect in (("strength over the range", 1.5), ("moment arms", 1.5))
        )

    def refresh(self) -> None:
        """Show the findings, or that they are being computed."""
        s = self._surgery
        self._joint.offer(((joint, joint) for joint in s.hinges), s.joint)
        states = [("the healthy body", 0)]
        states += [(f"after {k}. {d}", k) for k, d in enumerate(s.operated.disorders, 1)]
        self._before.offer(states, s.compared)
        if s.found is None:
            self._table.content = _note(
                plain(s.trouble, 300) if s.trouble else "computing &hellip;"
            )
            return
        self._table.content = findings_html(s.found, s.joint, s.muscles)
        self._draw(s.found.curves[s.joint])

    def _draw(self, curves: dict[str, Floats]) -> None:
        s, angles = self._surgery, curves["angle_deg"]
        strength = {
            f"{word}, {when}": np.abs(curves[f"{word}_{when}_Nm"])
            for word in ("raising", "lowering")
            for when in ("before", "after")
        }
        arms = {
            f"{muscle}, {when}": curves.get(f"{muscle}_arm_{when}_mm", np.zeros(len(angles)))
            for muscle in s.muscles[:MOST]
            for when in ("before", "after")
        }
        for plot, title, found in (
            (self._strength, "strength [N m], dashed: before", strength),
            (self._arms, "moment arm [mm], dashed: before", arms),
        ):
            with s.page.server.atomic():
                plot.title = title
                plot.series = ({"label": "angle"}, *_series(found))
                limits = axis_range(np.concatenate(list(found.values())))
                plot.scales = {"x": {"time": False}, "y": {"auto": False, "range": limits}}
                plot.data = (angles, *found.values())

    def _choose(self, joint: str) -> None:
        self._surgery.joint = joint
        self._surgery.refresh()

    def _compare(self, stage: int) -> None:
        self._surgery.compared = stage
        self._surgery.refresh()

    def _weigh(self) -> None:
        self._surgery.gravity = bool(self._gravity.value)
        self._surgery.refresh()

    def _relax(self, when: str) -> None:
        s = self._surgery
        if s.found is not None:
            rest = s.found.finding("relaxed angle", s.joint)
            place = int(s.healthy.model.joint(s.joint).qposadr[0])
            s.move(place, radians(rest.before if when == "before" else rest.after))


def _series(curves: Iterable[str]) -> list[dict[str, object]]:
    """Lines of one colour a pair, dashed before and whole after."""
    found: list[dict[str, object]] = []
    for number, name in enumerate(curves):
        line = {"label": label(name, 28), "stroke": COLOURS[(number // 2) % len(COLOURS)]}
        dashed = {"dash": DASH} if number % 2 == 0 else {}
        found.append({**line, **dashed, "width": 2, "points": {"show": False}})
    return found


def findings_html(found: Comparison, joint: str, muscles: Sequence[str]) -> str:
    """A table of what was found about a joint, and of the arms of some muscles."""
    body = "".join(_line(*row) for row in rows_of(found, joint, muscles))
    head = "".join(f'<th style="{_cell(k > 0)}">{t}</th>' for k, t in enumerate(_HEAD))
    return (
        '<div style="padding:0 14px 8px 8px">'
        '<table style="width:100%;border-collapse:collapse;font-size:13px">'
        f'<tr style="color:#777">{head}</tr>{body}</table></div>'
    )


_HEAD = ("", "before", "after")


def rows_of(found: Comparison, joint: str, muscles: Sequence[str]) -> list[Row]:
    """What the table says, in its order."""
    one = found.finding

    def single(title: str, measure: str, subject: str = joint) -> Row:
        f = one(measure, subject)
        unit = "\N{DEGREE SIGN}" if f.unit == "deg" else f" {f.unit}"
        changed = abs(f.after - f.before) > LEAST[f.unit]
        return title, _number(f.before) + unit, _number(f.after) + unit, changed

    def ends(title: str, kind: str) -> Row:
        low, high = one(f"{kind} range, least", joint), one(f"{kind} range, largest", joint)
        changed = any(abs(f.after - f.before) > LEAST["deg"] for f in (low, high))
        before, after = (
            f"{_number(a, 0)} to {_number(b, 0)}\N{DEGREE SIGN}"
            if a < 0  # a dash beside a minus sign cannot be read
            else f"{_number(a, 0)}\N{EN DASH}{_number(b, 0)}\N{DEGREE SIGN}"
            for a, b in ((low.before, high.before), (low.after, high.after))
        )
        return title, before, after, changed

    rows = [
        single("Relaxed angle", "relaxed angle"),
        ends("Passive range", "passive"),
        ends("Active range", "active"),
        single("Strength here, raising", "strength raising"),
        single("greatest", "greatest strength raising"),
        single("Strength here, lowering", "strength lowering"),
        single("greatest", "greatest strength lowering"),
    ]
    known = {f.subject for f in found.findings if f.measure == f"moment arm, {joint}"}
    for muscle in muscles:
        title = f"Arm of {muscle} here"
        if muscle in known:
            rows.append(single(title, f"moment arm, {joint}", muscle))
        else:
            rows.append((title, "0.0 mm", "0.0 mm", False))
    return rows


def _number(value: float, digits: int = 1) -> str:
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "\N{MINUS SIGN}")


def _cell(right: bool) -> str:
    side = "right" if right else "left"
    return f"text-align:{side};padding:3px 4px;border-bottom:1px solid #e4e4e4;font-weight:normal"


def _line(title: str, before: str, after: str, changed: bool) -> str:
    emphasis = ";font-weight:bold;color:#b3261e" if changed else ""
    inset = ";padding-left:16px;color:#777" if title == "greatest" else ""
    return (
        f'<tr><td style="{_cell(False)}{inset}">{plain(title)}</td>'
        f'<td style="{_cell(True)};white-space:nowrap">{before}</td>'
        f'<td style="{_cell(True)};white-space:nowrap{emphasis}">{after}</td></tr>'
    )


def _note(words: str) -> str:
    return f'<p style="padding:0 10px;color:#777"><em>{words}</em></p>'
