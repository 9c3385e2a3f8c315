"""An exercise or flesh, played in layers: bones, lines and volumes by activation, and skin."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from vastus.app.bodies.body_figure import busiest
from vastus.app.bodies.layer_figure import LayerFigure
from vastus.app.text import plain
from vastus.app.view.time_plots import MOST, Plot
from vastus.app.view.timeline import Timeline
from vastus.app.web_page import Page
from vastus.flesh.layers import BodyLayers, Layer
from vastus.numerics.types import Floats

GLASS = 0.4  # the opacity of the skin at first


class LayerPlayer:
    """Plays the layers of a body in a page."""

    def __init__(self, page: Page, layers: BodyLayers) -> None:
        self._layers, self._index = layers, 0
        self.figure = LayerFigure(page.server, layers)
        page.dock_panel()
        gui = page.server.gui
        gui.add_markdown(f"**{plain(layers.name)}**")
        self.timeline = Timeline(page, layers.times, self._show)
        tabs = gui.add_tab_group()
        with tabs.add_tab("Layers"):
            self._boxes = {layer: self._box(page, layer) for layer in layers.present}
            if Layer.SKIN in layers.present:
                self._glass = gui.add_slider(
                    "Opacity of skin", min=0.05, max=1.0, step=0.05, initial_value=GLASS
                )
                self.figure.see_through(GLASS)
                page.when(self._glass, lambda _: self._see_through(), key="glass")
        self._names, self._levels = _active(layers)
        with tabs.add_tab("Muscles"):
            self._list = gui.add_markdown("")
        with tabs.add_tab("Plots"):
            curves = self._curves() if len(layers) > 1 else {}
            self._plots = [
                Plot(page, title, layers.times, each) for title, each in curves.items() if each
            ]
        self.figure.look(page)
        self.timeline.go(0)

    def _box(self, page: Page, layer: Layer) -> Any:
        # Volumes are in the place of lines.
        hidden = layer is Layer.LINES and Layer.MUSCLES in self._layers.present
        box = page.server.gui.add_checkbox(layer.value.capitalize(), initial_value=not hidden)
        self.figure.visible[layer] = not hidden
        page.when(box, partial(self._choose, layer))
        return box

    def _choose(self, layer: Layer, _: object) -> None:
        self.figure.show(layer, bool(self._boxes[layer].value), self._index)

    def _see_through(self) -> None:
        self.figure.see_through(float(self._glass.value))

    def _show(self, index: int) -> None:
        self._index = index
        self.figure.draw(index)
        self._list.content = busiest(self._names, self._levels[index])
        for plot in self._plots:
            plot.at(float(self._layers.times[index]))

    def _curves(self) -> dict[str, dict[str, Floats]]:
        angles, levels = self._layers.angles, self._levels
        moved = sorted(angles, key=lambda name: -np.ptp(angles[name]))[:MOST]
        most = np.argsort(-(levels**2).mean(axis=0), kind="stable")[:MOST]
        return {
            "joint angle [deg]": {name: angles[name] for name in moved},
            "activation": {self._names[k]: levels[:, k] for k in most},
        }


def _active(layers: BodyLayers) -> tuple[tuple[str, ...], Floats]:
    """The names of what is activated, and activations (k, m): lines, or volumes without them."""
    if layers.lines is not None:
        return layers.lines.paths.names, layers.lines.activations
    if layers.flesh is not None:
        return layers.flesh.names, layers.flesh.activations
    return (), np.zeros((len(layers), 0))
