"""Muscles: where they are attached, how much is tendon, how fibres run, how strong they are."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import numpy as np

from vastus.app.author.document import Document
from vastus.app.author.editor import ClickMode, Editor
from vastus.app.author.edits import muscles
from vastus.app.author.surface_display import ENDS, ROOT
from vastus.app.text import plain
from vastus.app.web_page import Choice
from vastus.model import Muscle
from vastus.modelling.surfaces.body_parts import Spot
from vastus.modelling.surfaces.preview import Preview
from vastus.numerics.types import Floats
from vastus.parts import Tissue
from vastus.scene.fibres import End

FAINT = 0.25
ALONG = (0.0, 0.0, 1.0)
PROPOSED = "(proposed)"
HINT = "Blue is held by the origin, green by the insertion, silver becomes tendon."
BRUSH = 10.0  # [mm] at first
USUAL_STRENGTH = Muscle("").strength


class MusclesPanel:
    """Shows the selected muscle as it would be built, and lets all of that be said otherwise."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        page, gui = editor.page, editor.page.server.gui
        self._muscle = Choice[str](page, "Muscle", editor.select)
        self._text = gui.add_markdown(HINT)
        self._ends = {
            end: Choice[str | None](page, end.value.capitalize(), self._setter(end)) for end in End
        }
        self._mode = Choice[ClickMode](page, "A click", self._set_mode)
        self._brush = gui.add_number("Brush [mm]", BRUSH, min=0.01, step=0.01)
        self._clear = gui.add_button("Clear the paint of this muscle")
        self._auto = gui.add_checkbox("Tendons as proposed", True)
        self._tendons = {
            end: gui.add_slider(
                f"Tendon at the {end.value} [%]", min=0.0, max=60.0, step=0.5, initial_value=5.0
            )
            for end in End
        }
        self._fibres = FibresFields(editor)
        self._spots = SpotDisplay(editor)
        self._strength = gui.add_number("Strength [kPa]", USUAL_STRENGTH / 1e3, min=1.0, step=1.0)
        self._limit = gui.add_number("Largest activation", 1.0, min=0.01, step=0.01)
        self._level = gui.add_slider(
            "Activation at the end", min=0.0, max=1.0, step=0.01, initial_value=0.0
        )
        page.when(self._clear, lambda _: self._cleared())
        page.when(self._auto, lambda _: self._set_tendons(), key="tendons")
        for slider in self._tendons.values():
            page.when(slider, lambda _: self._set_tendons(), key="tendons")
        page.when(self._strength, lambda _: self._set_strength(), key="strength")
        page.when(self._limit, lambda _: self._set_limit(), key="limit")
        page.when(self._level, lambda _: self._set_level(), key="level")

    def refresh(self) -> None:
        """Show the selected muscle."""
        document, part = self._editor.document, self._editor.selected_muscle
        named = [p for p, said in document.parts.items() if said.tissue is Tissue.MUSCLE]
        self._muscle.offer([(name, name) for name in named], part)
        self._mode.offer([(mode.value, mode) for mode in ClickMode], self._editor.click_mode)
        for handle in (
            self._clear, self._auto, self._strength, self._limit, self._level, self._brush,
            *self._ends.values(), *self._tendons.values(),
        ):  # fmt: skip
            handle.visible = part is not None
        self._fibres.refresh()
        self._spots.refresh()
        if part is None:
            self._text.content = "Select a muscle." if named else "There is no muscle yet."
            return
        said, seen = document.parts[part], self._editor.preview(part)
        self._text.content = preview_words(seen)
        for end, choice in self._ends.items():
            names = getattr(said, end.value)
            others = [p for p in document.names.parts if p != part]
            choice.offer([(PROPOSED, None), *((p, p) for p in others)], names[0] if names else None)
        self._clear.disabled = not any(muscles.spots(document, part, end) for end in End)
        self._auto.value = said.tendons is None
        if seen is not None:
            for fraction, slider in zip(seen.fractions, self._tendons.values(), strict=True):
                slider.value = round(100 * fraction, 1)
                slider.disabled = said.tendons is None
        self._refresh_muscle(part)

    def touched(self, part: str, place: Floats) -> None:
        """Pick or paint an end, as the mode says."""
        muscle, mode = self._editor.selected_muscle, self._editor.click_mode
        if muscle is None or mode is ClickMode.SELECT:
            return
        picks, paints = mode.picks, mode.paints
        spot = place.tolist(), self._brush.value / 1e3
        if picks is not None:
            if part != muscle:
                self._editor.edit(lambda d: muscles.set_end(d, muscle, picks, [part]))
        elif paints is not None:
            self._editor.edit(lambda d: muscles.add_spot(d, muscle, paints, *spot))
        else:
            self._each_end("erase paint", lambda d, end: muscles.erase_spots(d, muscle, end, *spot))

    def _each_end(self, words: str, change: Callable[[Document, End], Document]) -> None:
        """Change both ends in one step."""

        def both(document: Document) -> Document:
            for end in End:
                document = change(document, end)
            return document.with_data(document.data, words)

        self._editor.edit(both)

    def _refresh_muscle(self, part: str) -> None:
        document, name = self._editor.document, self._name_of(part)
        said = document.description.muscles.get(name)
        strength = said.strength if said and said.strength else USUAL_STRENGTH
        self._strength.value = strength / 1e3
        self._limit.value = self._level.max = said.limit if said and said.limit else 1.0
        level = document.description.inputs.activation.get(name)
        self._level.value = level if isinstance(level, float) else 0.0
        self._level.disabled = level is not None and not isinstance(level, float)

    def _name_of(self, part: str) -> str:
        return self._editor.document.parts[part].muscle or part

    def _setter(self, end: End) -> Callable[[str | None], None]:
        def set_end(to: str | None) -> None:
            muscle = self._editor.selected_muscle
            if muscle is not None:
                wanted = None if to is None else [to]
                self._editor.edit(lambda d: muscles.set_end(d, muscle, end, wanted))

        return set_end

    def _set_mode(self, mode: ClickMode) -> None:
        self._editor.click_mode = mode
        self._editor.refresh()

    def _cleared(self) -> None:
        muscle = self._editor.selected_muscle
        if muscle is not None:
            words = f"clear the paint of '{muscle}'"
            self._each_end(words, lambda d, end: muscles.clear_spots(d, muscle, end))

    def _set_tendons(self) -> None:
        muscle = self._editor.selected_muscle
        if muscle is None:
            return
        at_origin, at_insertion = (slider.value / 100 for slider in self._tendons.values())
        wanted = None if self._auto.value else (at_origin, at_insertion)
        self._editor.edit(lambda d: muscles.set_tendons(d, muscle, wanted))

    def _set_strength(self) -> None:
        part = self._editor.selected_muscle
        if part is not None:
            name, value = self._name_of(part), 1e3 * self._strength.value
            wanted = None if value == USUAL_STRENGTH else value
            self._editor.edit(lambda d: muscles.set_strength(d, name, wanted))

    def _set_limit(self) -> None:
        part = self._editor.selected_muscle
        if part is not None:
            name, limit = self._name_of(part), self._limit.value
            wanted = None if limit == 1.0 else limit
            self._editor.edit(lambda d: muscles.set_limit(d, name, wanted))

    def _set_level(self) -> None:
        part = self._editor.selected_muscle
        if part is not None:
            name, level = self._name_of(part), self._level.value or None
            self._editor.edit(lambda d: muscles.set_activation(d, name, level))


def preview_words(seen: Preview | None) -> str:
    """Markdown of what a build would make of a muscle."""
    if seen is None:
        return "Its surface cannot be used yet."
    if seen.error:
        return f"**{plain(seen.error, 400)}**"
    first, last = (" and ".join(plain(p) for p in names) for names in (seen.origin, seen.insertion))
    return f"From **{first}** to **{last}**.  \n{HINT}"


class Method(StrEnum):
    """A way to say how fibres run, in the words of the page."""

    FOUND = "from origin to insertion"
    BETWEEN = "between two named parts"
    STRAIGHT = "along one direction"
    DATA = "as a file says"
    SOLIDS = "along solids of B-splines"


class FibresFields:
    """Chooses the method, its options and a pennation."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        page, gui = editor.page, editor.page.server.gui
        self._method = Choice[Method](page, "Fibres run", self._set_method)
        self._from = Choice[str](page, "Fibres from", lambda p: self._between(start=p))
        self._to = Choice[str](page, "Fibres to", lambda p: self._between(end=p))
        self._direction = gui.add_vector3("Direction", ALONG, step=0.01)
        self._angle = gui.add_slider(
            "Pennation [deg]", min=0.0, max=60.0, step=1.0, initial_value=0.0
        )
        self._sheet = Choice[str](page, "Towards the sheet at", lambda p: self._pennate(p))
        page.when(self._direction, lambda _: self._along(), key="direction")
        page.when(self._angle, lambda _: self._pennate(None), key="pennation")

    def refresh(self) -> None:
        """Show the fibres of the selected muscle."""
        name, document = self._muscle, self._editor.document
        shown = (
            self._method, self._from, self._to, self._direction, self._angle, self._sheet,
        )  # fmt: skip
        for handle in shown:
            handle.visible = name is not None
        if name is None:
            return
        said = document.at("muscles", name, "fibres") or {}
        method = method_of(said)
        offered = [m for m in Method if m not in (Method.DATA, Method.SOLIDS) or m is method]
        self._method.offer([(m.value, m) for m in offered], method)
        regions = [(r, r) for r in [*document.names.bones, *document.names.regions]]
        regions = list(dict.fromkeys(regions))
        between = method is Method.BETWEEN
        self._from.visible = self._to.visible = between
        if between:
            self._from.offer(regions, _first(said["from"]))
            self._to.offer(regions, _first(said["to"]))
        self._direction.visible = method is Method.STRAIGHT
        if method is Method.STRAIGHT:
            self._direction.value = tuple(float(c) for c in said["direction"])
        pennation = said.get("pennation") or {}
        # An angle needs fibres that are said to run somewhere.
        self._angle.visible = method is not Method.FOUND
        self._sheet.visible = method is not Method.FOUND
        self._angle.value = float(pennation.get("angle", 0.0))
        self._sheet.offer(regions, pennation.get("aponeurosis"))

    @property
    def _muscle(self) -> str | None:
        part = self._editor.selected_muscle
        return None if part is None else self._editor.document.parts[part].muscle or part

    def _set_method(self, method: Method) -> None:
        name = self._require()
        if method is Method.FOUND:
            self._editor.edit(lambda d: muscles.usual_fibres(d, name))
        elif method is Method.BETWEEN:
            self._between()
        elif method is Method.STRAIGHT:
            self._along()

    def _between(self, start: str | None = None, end: str | None = None) -> None:
        name, part = self._require(), self._editor.selected_muscle
        seen = self._editor.preview(part) if part else None
        said = self._editor.document.at("muscles", name, "fibres") or {}
        first = [start] if start else _all(said.get("from")) or list(seen.origin if seen else ())
        last = [end] if end else _all(said.get("to")) or list(seen.insertion if seen else ())
        self._editor.edit(lambda d: muscles.fibres_between(d, name, first, last))

    def _along(self) -> None:
        name, direction = self._require(), self._direction.value
        self._editor.edit(lambda d: muscles.fibres_along(d, name, direction))

    def _pennate(self, sheet: str | None) -> None:
        name, angle = self._require(), self._angle.value
        said = self._editor.document.at("muscles", name, "fibres") or {}
        towards = (
            sheet or (said.get("pennation") or {}).get("aponeurosis") or _first(said.get("to"))
        )
        end = End((said.get("pennation") or {}).get("end", End.INSERTION))
        if not angle:
            self._editor.edit(lambda d: muscles.no_pennation(d, name))
        elif towards:
            self._editor.edit(lambda d: muscles.set_pennation(d, name, angle, towards, end))
        else:
            self._editor.page.tell("Choose first where the sheet is that the fibres turn to.")

    def _require(self) -> str:
        assert self._muscle is not None
        return self._muscle


def method_of(said: dict[str, object]) -> Method:
    """How the plain data of a muscle's fibres say that they run."""
    keys = {
        "kind": Method.SOLIDS,
        "from": Method.BETWEEN,
        "direction": Method.STRAIGHT,
        "data": Method.DATA,
    }
    return next((method for key, method in keys.items() if key in said), Method.FOUND)


def _all(names: object) -> list[str]:
    """One name or several as a list."""
    if names is None:
        return []
    return [names] if isinstance(names, str) else [str(name) for name in names]  # type: ignore[attr-defined]


def _first(names: object) -> str | None:
    return next(iter(_all(names)), None)


class SpotDisplay:
    """Draws the spots of the selected muscle."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._drawn: list[Any] = []
        self._of: list[tuple[End, Spot]] = []

    def refresh(self) -> None:
        """Draw what is painted now."""
        muscle, document = self._editor.selected_muscle, self._editor.document
        wanted = [
            (end, spot) for end in End if muscle for spot in muscles.spots(document, muscle, end)
        ]
        if wanted == self._of:
            return
        for handle in self._drawn:
            handle.remove()
        self._of = wanted
        self._drawn = [self._ball(n, end, spot) for n, (end, spot) in enumerate(wanted)]

    def _ball(self, number: int, end: End, spot: Spot) -> Any:
        colour = ENDS[end]
        return self._editor.page.server.scene.add_icosphere(
            f"{ROOT}/paint/{number}",
            radius=spot.radius,
            color=tuple(np.round(255 * colour).astype(int).tolist()),
            opacity=FAINT,
            position=spot.centre,
            cast_shadow=False,
        )
