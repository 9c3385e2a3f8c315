"""How the fibres of the selected muscle run."""

from __future__ import annotations

from enum import StrEnum

from vastus.app.author.edits import muscles
from vastus.app.author.studio import Studio
from vastus.app.choice import Choice
from vastus.scene.fibres import End

ALONG = (0.0, 0.0, 1.0)


class Method(StrEnum):
    """A way to say how fibres run, in the words of the page."""

    FOUND = "from origin to insertion"
    BETWEEN = "between two named parts"
    STRAIGHT = "along one direction"
    DATA = "as a file says"


class FibresPart:
    """Chooses the method, its options and a pennation."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        page, gui = studio.page, studio.page.server.gui
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
        name, document = self._muscle, self._studio.document
        shown = (
            self._method, self._from, self._to, self._direction, self._angle, self._sheet,
        )  # fmt: skip
        for handle in shown:
            handle.visible = name is not None
        if name is None:
            return
        said = document.at("muscles", name, "fibres") or {}
        method = method_of(said)
        offered = [m for m in Method if m is not Method.DATA or method is Method.DATA]
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
        part = self._studio.selected_muscle
        return None if part is None else self._studio.document.parts[part].muscle or part

    def _set_method(self, method: Method) -> None:
        name = self._require()
        if method is Method.FOUND:
            self._studio.edit(lambda d: muscles.usual_fibres(d, name))
        elif method is Method.BETWEEN:
            self._between()
        elif method is Method.STRAIGHT:
            self._along()

    def _between(self, start: str | None = None, end: str | None = None) -> None:
        name, part = self._require(), self._studio.selected_muscle
        seen = self._studio.preview(part) if part else None
        said = self._studio.document.at("muscles", name, "fibres") or {}
        first = [start] if start else _all(said.get("from")) or list(seen.origin if seen else ())
        last = [end] if end else _all(said.get("to")) or list(seen.insertion if seen else ())
        self._studio.edit(lambda d: muscles.fibres_between(d, name, first, last))

    def _along(self) -> None:
        name, direction = self._require(), self._direction.value
        self._studio.edit(lambda d: muscles.fibres_along(d, name, direction))

    def _pennate(self, sheet: str | None) -> None:
        name, angle = self._require(), self._angle.value
        said = self._studio.document.at("muscles", name, "fibres") or {}
        towards = (
            sheet or (said.get("pennation") or {}).get("aponeurosis") or _first(said.get("to"))
        )
        end = End((said.get("pennation") or {}).get("end", End.INSERTION))
        if not angle:
            self._studio.edit(lambda d: muscles.no_pennation(d, name))
        elif towards:
            self._studio.edit(lambda d: muscles.set_pennation(d, name, angle, towards, end))
        else:
            self._studio.page.tell("Choose first where the sheet is that the fibres turn to.")

    def _require(self) -> str:
        assert self._muscle is not None
        return self._muscle


def method_of(said: dict[str, object]) -> Method:
    """How the plain data of a muscle's fibres say that they run."""
    if "from" in said:
        return Method.BETWEEN
    if "direction" in said:
        return Method.STRAIGHT
    return Method.DATA if "data" in said else Method.FOUND


def _all(names: object) -> list[str]:
    """One name or several as a list."""
    if names is None:
        return []
    return [names] if isinstance(names, str) else [str(name) for name in names]  # type: ignore[attr-defined]


def _first(names: object) -> str | None:
    if isinstance(names, str) or names is None:
        return names
    return str(names[0])  # type: ignore[index]
