"""Sliders for the joints of the body."""

from __future__ import annotations

from functools import partial
from math import degrees, pi
from typing import Any

import numpy as np

from vastus.app.surgery.surgery import Surgery
from vastus.app.text import label
from vastus.bodies.body import Body, mujoco_package

FREE = 180.0  # [deg] to which a hinge without limits is turned
FAR = 200.0  # [mm] to which a slider without limits is moved


class PosePanel:
    """The tab in which the body is put into a pose; findings are those of this pose."""

    def __init__(self, surgery: Surgery) -> None:
        self._surgery = surgery
        page, gui = surgery.page, surgery.page.server.gui
        gui.add_markdown("Strength and moment arms are told **in this pose**.")
        home = gui.add_button("Home")
        page.when(home, lambda _: self._home())
        self._sliders: list[tuple[int, float, Any]] = []
        for name, place, unit, (low, high) in coordinates(surgery.healthy):
            value = float(np.clip(surgery.pose[place] * unit, low, high))
            word = "deg" if unit == 180 / pi else "mm"
            slider = gui.add_slider(label(f"{name} [{word}]"), low, high, 0.1, round(value, 1))
            page.when(slider, partial(self._moved, len(self._sliders)), key=f"pose {place}")
            self._sliders.append((place, unit, slider))

    def refresh(self) -> None:
        """Show the pose."""
        for place, unit, slider in self._sliders:
            value = round(
                float(np.clip(unit * self._surgery.pose[place], slider.min, slider.max)), 1
            )
            if slider.value != value:
                slider.value = value

    def _moved(self, number: int, _: Any) -> None:
        place, unit, slider = self._sliders[number]
        self._surgery.move(place, slider.value / unit)

    def _home(self) -> None:
        self._surgery.pose = np.array(self._surgery.healthy.home)
        self._surgery.refresh()


def coordinates(body: Body) -> list[tuple[str, int, float, tuple[float, float]]]:
    """Hinges [deg] and sliders [mm]: name, place among coordinates, unit, and ends of the range."""
    kinds, m = mujoco_package().mjtJoint, body.model
    scales = {kinds.mjJNT_HINGE: (degrees(1.0), FREE), kinds.mjJNT_SLIDE: (1e3, FAR)}
    found = []
    for j in range(m.njnt):
        kind = kinds(int(m.jnt_type[j]))
        if kind in scales:
            unit, wide = scales[kind]
            ends = unit * m.jnt_range[j] if m.jnt_limited[j] else (-wide, wide)
            low, high = (round(float(end), 1) for end in ends)
            found.append((m.joint(j).name, int(m.jnt_qposadr[j]), unit, (low, high)))
    return found
