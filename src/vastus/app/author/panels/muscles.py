"""Muscles: where they are attached, how much is tendon, how fibres run, how strong they are."""

from __future__ import annotations

from collections.abc import Callable

from vastus.app.author.document import Document
from vastus.app.author.edits import ends, muscles
from vastus.app.author.mode import Mode
from vastus.app.author.panels.dabs import Dabs
from vastus.app.author.panels.fibres import FibresPart
from vastus.app.author.studio import Studio
from vastus.app.choice import Choice
from vastus.app.words import plain
from vastus.model import Muscle, Tissue
from vastus.modelling.anatomy.preview import Preview
from vastus.numerics.types import Floats
from vastus.scene.fibres import End

PROPOSED = "(proposed)"
HINT = "Blue is held by the origin, green by the insertion, silver becomes tendon."
BRUSH = 10.0  # [mm] at first
USUAL_STRENGTH = Muscle("").strength


class MusclesPanel:
    """Shows the selected muscle as it would be built, and lets all of that be said otherwise."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        page, gui = studio.page, studio.page.server.gui
        self._muscle = Choice[str](page, "Muscle", studio.select)
        self._told = gui.add_markdown(HINT)
        self._ends = {
            end: Choice[str | None](page, end.value.capitalize(), self._setter(end)) for end in End
        }
        self._mode = Choice[Mode](page, "A click", self._set_mode)
        self._brush = gui.add_number("Brush [mm]", BRUSH, min=0.01, step=0.01)
        self._clear = gui.add_button("Clear the paint of this muscle")
        self._auto = gui.add_checkbox("Tendons as proposed", True)
        self._tendons = {
            end: gui.add_slider(
                f"Tendon at the {end.value} [%]", min=0.0, max=60.0, step=0.5, initial_value=5.0
            )
            for end in End
        }
        self._fibres = FibresPart(studio)
        self._dabs = Dabs(studio)
        self._strength = gui.add_number("Strength [kPa]", USUAL_STRENGTH / 1e3, min=1.0, step=1.0)
        self._level = gui.add_slider(
            "Activation at the end", min=0.0, max=1.0, step=0.01, initial_value=0.0
        )
        page.when(self._clear, lambda _: self._cleared())
        page.when(self._auto, lambda _: self._set_tendons(), key="tendons")
        for slider in self._tendons.values():
            page.when(slider, lambda _: self._set_tendons(), key="tendons")
        page.when(self._strength, lambda _: self._set_strength(), key="strength")
        page.when(self._level, lambda _: self._set_level(), key="level")

    def refresh(self) -> None:
        """Show the selected muscle."""
        document, part = self._studio.document, self._studio.selected_muscle
        named = [p for p, said in document.parts.items() if said.tissue is Tissue.MUSCLE]
        self._muscle.offer([(name, name) for name in named], part)
        self._mode.offer([(mode.value, mode) for mode in Mode], self._studio.mode)
        for handle in (
            self._clear, self._auto, self._strength, self._level, self._brush,
            *self._ends.values(), *self._tendons.values(),
        ):  # fmt: skip
            handle.visible = part is not None
        self._fibres.refresh()
        self._dabs.refresh()
        if part is None:
            self._told.content = "Select a muscle." if named else "There is no muscle yet."
            return
        said, seen = document.parts[part], self._studio.preview(part)
        self._told.content = told(seen)
        for end, choice in self._ends.items():
            names = getattr(said, end.value)
            others = [p for p in document.names.parts if p != part]
            choice.offer([(PROPOSED, None), *((p, p) for p in others)], names[0] if names else None)
        self._clear.disabled = not any(ends.dabs(document, part, end) for end in End)
        self._auto.value = said.tendons is None
        if seen is not None:
            for fraction, slider in zip(seen.fractions, self._tendons.values(), strict=True):
                slider.value = round(100 * fraction, 1)
                slider.disabled = said.tendons is None
        self._refresh_muscle(part)

    def touched(self, part: str, place: Floats) -> None:
        """Pick or paint an end, as the mode says."""
        muscle, mode = self._studio.selected_muscle, self._studio.mode
        if muscle is None or mode is Mode.SELECT:
            return
        picks, paints = mode.picks, mode.paints
        dab = place.tolist(), self._brush.value / 1e3
        if picks is not None:
            if part != muscle:
                self._studio.edit(lambda d: ends.set_end(d, muscle, picks, [part]))
        elif paints is not None:
            self._studio.edit(lambda d: ends.add_dab(d, muscle, paints, *dab))
        else:
            self._each_end("erase paint", lambda d, end: ends.erase_dabs(d, muscle, end, *dab))

    def _each_end(self, words: str, change: Callable[[Document, End], Document]) -> None:
        """Change both ends in one step."""

        def both(document: Document) -> Document:
            for end in End:
                document = change(document, end)
            return document.with_data(document.data, words)

        self._studio.edit(both)

    def _refresh_muscle(self, part: str) -> None:
        document, name = self._studio.document, self._name_of(part)
        said = document.said.muscles.get(name)
        strength = said.strength if said and said.strength else USUAL_STRENGTH
        self._strength.value = strength / 1e3
        level = document.said.inputs.activation.get(name)
        self._level.value = level if isinstance(level, float) else 0.0
        self._level.disabled = level is not None and not isinstance(level, float)

    def _name_of(self, part: str) -> str:
        return self._studio.document.parts[part].muscle or part

    def _setter(self, end: End) -> Callable[[str | None], None]:
        def set_end(to: str | None) -> None:
            muscle = self._studio.selected_muscle
            if muscle is not None:
                wanted = None if to is None else [to]
                self._studio.edit(lambda d: ends.set_end(d, muscle, end, wanted))

        return set_end

    def _set_mode(self, mode: Mode) -> None:
        self._studio.mode = mode
        self._studio.refresh()

    def _cleared(self) -> None:
        muscle = self._studio.selected_muscle
        if muscle is not None:
            words = f"clear the paint of '{muscle}'"
            self._each_end(words, lambda d, end: ends.clear_dabs(d, muscle, end))

    def _set_tendons(self) -> None:
        muscle = self._studio.selected_muscle
        if muscle is None:
            return
        at_origin, at_insertion = (slider.value / 100 for slider in self._tendons.values())
        wanted = None if self._auto.value else (at_origin, at_insertion)
        self._studio.edit(lambda d: ends.set_tendons(d, muscle, wanted))

    def _set_strength(self) -> None:
        part = self._studio.selected_muscle
        if part is not None:
            name, value = self._name_of(part), 1e3 * self._strength.value
            wanted = None if value == USUAL_STRENGTH else value
            self._studio.edit(lambda d: muscles.set_strength(d, name, wanted))

    def _set_level(self) -> None:
        part = self._studio.selected_muscle
        if part is not None:
            name, level = self._name_of(part), self._level.value or None
            self._studio.edit(lambda d: muscles.set_activation(d, name, level))


def told(seen: Preview | None) -> str:
    """Markdown of what a build would make of a muscle."""
    if seen is None:
        return "Its surface cannot be used yet."
    if seen.error:
        return f"**{plain(seen.error, 400)}**"
    first, last = (" and ".join(plain(p) for p in names) for names in (seen.origin, seen.insertion))
    return f"From **{first}** to **{last}**.  \n{HINT}"
