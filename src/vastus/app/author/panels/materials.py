"""Materials: a preset for each tissue or region, and its numbers with their units."""

from __future__ import annotations

from typing import Any

from vastus.app.author.edits import materials
from vastus.app.author.presets import Preset, Quantity, preset_of, presets, quantities
from vastus.app.author.studio import Studio
from vastus.app.choice import Choice
from vastus.app.words import label, plain
from vastus.model import Tissue
from vastus.numerics.types import Floats

OWN = Preset("numbers of your own", "These numbers are of your own.", ())


class MaterialsPanel:
    """Chooses what a tissue, or one region of it, is made of."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._name = Tissue.MUSCLE.value
        gui = studio.page.server.gui
        self._what = Choice[str](studio.page, "Material of", self._choose)
        self._preset = Choice[str](studio.page, "Preset", self._set_preset)
        self._told = gui.add_markdown("")
        self._folder = gui.add_folder("Its numbers")
        self._numbers: dict[tuple[int, str], Any] = {}

    def refresh(self) -> None:
        """Show the chosen material."""
        regions = self._studio.document.names.regions
        soft = [t.value for t in Tissue if t is not Tissue.BONE]
        names = soft + [name for name, tissue in regions.items() if tissue is not Tissue.BONE]
        if self._name not in names:
            self._name = Tissue.MUSCLE.value
        self._what.offer([(_said(name, soft), name) for name in names], self._name)
        tissue = materials.tissue_of(self._studio.document, self._name)
        laws = materials.laws_of(self._studio.document, self._name)
        chosen = preset_of(laws, tissue) or OWN
        offered = [*presets(tissue), *([OWN] if chosen is OWN else [])]
        self._preset.offer([(p.name, p.name) for p in offered], chosen.name)
        self._told.content = plain(chosen.sentence, 200)
        self._show(quantities(laws))

    def touched(self, part: str, place: Floats) -> None:
        """Nothing."""

    def _show(self, found: list[Quantity]) -> None:
        """Make a field for each number, anew only if there are other numbers."""
        wanted = [(q.law, q.name) for q in found]
        if list(self._numbers) != wanted:
            for handle in self._numbers.values():
                handle.remove()
            with self._folder:
                self._numbers = {(q.law, q.name): self._field(q) for q in found}
        for q in found:
            self._numbers[q.law, q.name].value = q.value / _scale(q)

    def _field(self, q: Quantity) -> Any:
        what, _, more = (q.sentence or q.name).partition("; ")
        handle = self._studio.page.server.gui.add_number(
            label(f"{what} [kPa]" if q.unit else what),
            q.value / _scale(q),
            step=1e-4,
            hint=more or f"The parameter '{q.name}'.",
        )
        self._studio.page.when(handle, lambda _: self._set(q, handle.value), key=(q.law, q.name))
        return handle

    def _set(self, q: Quantity, value: float) -> None:
        si = value * _scale(q)
        self._studio.edit(lambda d: materials.set_number(d, self._name, q.law, q.name, si))

    def _choose(self, name: str) -> None:
        self._name = name
        self.refresh()

    def _set_preset(self, name: str) -> None:
        tissue = materials.tissue_of(self._studio.document, self._name)
        preset = next((p for p in presets(tissue) if p.name == name), None)
        if preset is not None:
            self._studio.edit(lambda d: materials.set_material(d, self._name, preset.laws))


def _said(name: str, tissues: list[str]) -> str:
    return f"all {name}" if name in tissues else name


def _scale(q: Quantity) -> float:
    return 1e3 if q.unit else 1.0
