"""The head of the page: who is operated on, what was done last, and the way back."""

from __future__ import annotations

from vastus.app.surgery.surgery import ClickMode, Surgery
from vastus.app.text import label, plain

SHOWN = 46  # characters of a step


class Head:
    """What the page is about, what to do next, undo and redo."""

    def __init__(self, surgery: Surgery, title: str) -> None:
        self._surgery, self._title = surgery, title
        gui, page = surgery.page.server.gui, surgery.page
        self._head = gui.add_markdown("")
        self._undo = gui.add_button("Undo")
        self._redo = gui.add_button("Redo")
        page.when(self._undo, lambda _: surgery.undo())
        page.when(self._redo, lambda _: surgery.redo())

    def refresh(self) -> None:
        """Show the next steps back and forth."""
        surgery, history = self._surgery, self._surgery.history
        count = len(surgery.operated.disorders)
        state = "healthy" if not count else f"{count} change{'s' if count > 1 else ''}"
        saved = surgery.file.is_saved(surgery.operated.disorders)
        kept = "" if not count and saved else ", saved" if saved else ", not saved"
        self._head.content = (
            f"**{plain(self._title)}**: {state}{kept}  \n**Next**: {plain(next_step(surgery), 300)}"
        )
        for handle, what, words in (
            (self._undo, "Undo", history.undo_words),
            (self._redo, "Redo", history.redo_words),
        ):
            handle.label = label(f"{what}: {words}", SHOWN) if words else what
            handle.disabled = words is None


def next_step(surgery: Surgery) -> str:
    """What a visitor may do now."""
    muscles = ", ".join(surgery.muscles)
    if surgery.click_mode is ClickMode.INSERT:
        return f"click on a bone, there {muscles} will be fixed."
    if not surgery.operated.disorders:
        return (
            f"give {muscles} a disorder under Disorders, or move where it ends under Operate; "
            "the findings change at the left."
        )
    return "compare the findings, go on, or save."
