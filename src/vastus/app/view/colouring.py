"""What colours stand for in the page: a choice, its limits and a bar that explains them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from vastus.app.figure import SHADES
from vastus.app.look import Limits, Look, Paint
from vastus.app.page import Page
from vastus.io.colours import MAPS, Shade

BAR = (
    '<div style="padding:0 1em 0.4em;font-size:0.8em"><div>{title}</div>'
    '<div style="height:0.9em;border-radius:3px;background:linear-gradient(to right,{stops})">'
    '</div><div style="display:flex;justify-content:space-between">{ticks}</div></div>'
)
TICKS = 5
STEP = 0.001  # of the numbers to type


# Where there is nothing to find limits from.
USUAL: dict[Paint, Limits] = {
    Paint.ACTIVATION: (0.0, 1.0),
    Paint.STRETCH: (0.5, 1.5),
    Paint.STRESS: (0.0, 3e5),  # [Pa] the usual strength of muscle
    Paint.VOLUME: (0.9, 1.1),
}


class Colouring:
    """Chooses the field that muscles are coloured by, of those there are limits for."""

    def __init__(
        self, page: Page, limits: Mapping[Paint, Limits], change: Callable[[Look], None]
    ) -> None:
        self._change, self._found = change, dict(limits)
        self.look = Look(limits=dict(limits))
        gui = page.server.gui
        choices = tuple(p.value for p in Paint if p is Paint.TISSUE or p in limits)
        self._paint = gui.add_dropdown("Colour by", choices, initial_value=Paint.TISSUE.value)
        self._bar = gui.add_html("")
        self._low = gui.add_number("From", 0.0, step=STEP, visible=False)
        self._high = gui.add_number("To", 1.0, step=STEP, visible=False)
        self._again = gui.add_button("Usual limits", visible=False)
        self._fibres = gui.add_checkbox("Fibres", False)
        self._joints = gui.add_checkbox("Joints", True)
        page.when(self._paint, lambda _: self._chosen(), key="paint")
        for number in (self._low, self._high):
            page.when(number, lambda _: self._limited(), key="limits")
        page.when(self._again, lambda _: self._reset())
        for box in (self._fibres, self._joints):
            page.when(box, lambda _: self._lines(), key="lines")

    def offer(self, paint: Paint, limits: Limits) -> None:
        """Let one more field be chosen."""
        self._found[paint] = limits
        self.look.limits[paint] = limits
        self._paint.options = tuple(p.value for p in Paint if p is Paint.TISSUE or p in self._found)

    def _chosen(self) -> None:
        paint = Paint(self._paint.value)
        self._set(replace(self.look, paint=paint))

    def _limited(self) -> None:
        paint = self.look.paint
        scale = SHADES[paint].scale
        low, high = self._low.value / scale, self._high.value / scale
        if low < high:
            self._set(replace(self.look, limits=self.look.limits | {paint: (low, high)}))

    def _reset(self) -> None:
        paint = self.look.paint
        self._set(replace(self.look, limits=self.look.limits | {paint: self._found[paint]}))

    def _lines(self) -> None:
        self._set(replace(self.look, fibres=self._fibres.value, joints=self._joints.value))

    def _set(self, look: Look) -> None:
        self.look = look
        measured = look.paint is not Paint.TISSUE
        for handle in (self._low, self._high, self._again):
            handle.visible = measured
        self._bar.content = ""
        if measured:
            shade, (low, high) = SHADES[look.paint], look.limits[look.paint]
            self._low.value, self._high.value = (
                _short(shade.scale * low),
                _short(shade.scale * high),
            )
            self._bar.content = bar(shade, low, high)
        self._change(look)


def bar(shade: Shade, low: float, high: float) -> str:
    """HTML of a colour bar with its numbers, for limits in the unit of the field."""
    stops = ",".join(f"rgb({r},{g},{b})" for r, g, b in MAPS[shade.map].tolist())
    values = [shade.scale * (low + (high - low) * k / (TICKS - 1)) for k in range(TICKS)]
    ticks = "".join(f"<span>{_short(value):g}</span>" for value in values)
    return BAR.format(title=shade.title, stops=stops, ticks=ticks)


def _short(value: float) -> float:
    return float(f"{value:.4g}")
