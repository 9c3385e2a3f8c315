"""Undo, redo, and whether all is saved."""

from __future__ import annotations

from vastus.app.author.guide import next_step
from vastus.app.author.mode import Mode
from vastus.app.author.studio import Studio
from vastus.app.words import label, plain
from vastus.numerics.types import Floats

SHOWN = 60  # characters of a step


class HistoryPanel:
    """The head of the page: what it is, where it is saved, and the way back."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        gui = studio.page.server.gui
        self._head = gui.add_markdown("")
        self._undo = gui.add_button("Undo")
        self._redo = gui.add_button("Redo")
        self._reload = gui.add_button("Reload", hint="Take the scene file as it is on disk.")
        self._all = gui.add_button("See everything")
        studio.page.when(self._all, lambda _: studio.see_all())
        studio.page.when(self._undo, lambda _: studio.undo())
        studio.page.when(self._redo, lambda _: studio.redo())
        studio.page.when(self._reload, lambda _: studio.reload())

    def refresh(self) -> None:
        """Show the next steps back and forth."""
        history, file = self._studio.history, self._studio.scene_file
        saved = "every step is saved in" if file.exists() else "the first step will make"
        name, todo = (plain(t, 200) for t in (self._studio.document.name, self._todo))
        mode = self._studio.mode
        click = "" if mode is Mode.SELECT else f"  \nA click {mode.value}."
        self._head.content = f"**{name}**: {saved} {plain(file.name)}  \n**Next**: {todo}{click}"
        for handle, what, words in (
            (self._undo, "Undo", history.undo_words),
            (self._redo, "Redo", history.redo_words),
        ):
            handle.label = label(f"{what}: {words}", SHOWN) if words else what
            handle.disabled = words is None

    @property
    def _todo(self) -> str:
        return next_step(self._studio.document)

    def touched(self, part: str, place: Floats) -> None:
        """Nothing."""
