"""Give the chosen muscles a disorder, and see and remove those that there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from vastus.app.surgery.surgery import Surgery
from vastus.app.text import plain
from vastus.app.web_page import Choice
from vastus.control.disorders.disorder import Disorder
from vastus.control.disorders.kinds import DISORDERS
from vastus.errors import ModelError


@dataclass(frozen=True)
class Amount:
    """The number of a kind of disorder: its key, and the field of it."""

    key: str
    title: str
    least: float
    most: float
    usual: float
    step: float = 0.01
    scale: float = 1.0
    means: str = ""


AMOUNTS = {
    "contracture": Amount("length", "Length left", 0.3, 0.99, 0.7,
                          means="Fibres are this share of their length; the tendon stays."),
    "atrophy": Amount("area", "Area left", 0.05, 0.99, 0.5,
                      means="The cross-section is this share; active and passive force follow."),
    "hypertrophy": Amount("area", "Area, times", 1.01, 3.0, 1.5,
                          means="The cross-section is this many times larger."),
    "weakness": Amount("force", "Force left", 0.01, 1.0, 0.5,
                       means="Fibres contract with this share; they resist stretch as before."),
    "paralysis": Amount("part", "Cells paralysed", 0.01, 1.0, 0.25,
                        means="This share of the belly's cells only stretches."),
    "lengthening": Amount("by", "Longer by [mm]", -50.0, 50.0, 10.0, 0.5, 1e-3,
                          means="An operation: the tendon is longer, or shorter below zero."),
}  # fmt: skip
PATTERNS = ("sector", "band", "random")


class DisordersPanel:
    """The tab with the form and the list."""

    def __init__(self, surgery: Surgery) -> None:
        self._surgery = surgery
        page, gui = surgery.page, surgery.page.server.gui
        self._of = gui.add_markdown("")
        self._kind = gui.add_dropdown("Disorder", tuple(AMOUNTS))
        page.when(self._kind, lambda _: self.refresh())
        self._means = gui.add_markdown("")
        self._amounts = {
            kind: gui.add_slider(a.title, a.least, a.most, a.step, a.usual)
            for kind, a in AMOUNTS.items()
        }
        self._pattern = gui.add_dropdown(
            "Which cells",
            PATTERNS,
            hint="A sector beside the others, a band across the middle, or any.",
        )
        add = gui.add_button("Add this disorder")
        page.when(add, lambda _: self._add())
        gui.add_divider()
        self._list = gui.add_markdown("")
        self._number: Choice[int] = Choice(page, "Change", self._choose)
        self._remove = gui.add_button("Remove this change")
        page.when(self._remove, lambda _: self._remove_chosen())
        self._chosen = 0

    def refresh(self) -> None:
        """Show the form of the kind, and the changes so far."""
        s, kind = self._surgery, self._kind.value
        self._of.content = f"For **{plain(', '.join(s.muscles), 200)}** (chosen under Operate):"
        self._means.content = AMOUNTS[kind].means
        for each, slider in self._amounts.items():
            slider.visible = each == kind
        self._pattern.visible = kind == "paralysis"
        rows = [f"{k}. {each}" for k, each in enumerate(s.operated.disorders, 1)]
        shown = "  \n".join(plain(row, 160) for row in rows)
        self._list.content = f"**Changes, in order**  \n{shown or 'none yet'}"
        self._chosen = min(self._chosen, max(len(rows) - 1, 0))
        self._number.offer(((row, k) for k, row in enumerate(rows)), self._chosen)
        self._number.visible = self._remove.visible = bool(rows)

    def _choose(self, index: int) -> None:
        self._chosen = index

    def _add(self) -> None:
        made = disorder_of(
            self._kind.value,
            self._surgery.muscles,
            self._amounts[self._kind.value].value,
            self._pattern.value,
        )
        self._chosen = len(self._surgery.operated.disorders)
        self._surgery.edit(lambda o: o.after(made))

    def _remove_chosen(self) -> None:
        self._surgery.edit(lambda o: o.without(self._chosen))


def disorder_of(kind: str, muscles: tuple[str, ...], amount: float, pattern: str) -> Disorder:
    """What the form says."""
    said = AMOUNTS[kind]
    row: dict[str, Any] = {"muscles": muscles, said.key: round(said.scale * amount, 6)}
    if kind == "paralysis":
        row["pattern"] = pattern
    try:
        return DISORDERS[kind](**row)
    except ValidationError as error:
        raise ModelError(f"{kind}: {error.errors()[0]['msg']}") from None
