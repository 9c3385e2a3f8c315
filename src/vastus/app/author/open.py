"""The authoring page opened for a folder: its head, which says what to do next, and its tabs."""

from __future__ import annotations

from pathlib import Path

from vastus.app.author.document import Document
from vastus.app.author.editor import ClickMode, Editor
from vastus.app.author.panels.build import BuildPanel
from vastus.app.author.panels.checks import ChecksPanel
from vastus.app.author.panels.joints import JointsPanel
from vastus.app.author.panels.muscles import MusclesPanel
from vastus.app.author.panels.parts import MaterialsPanel, PartsPanel
from vastus.app.text import label, plain
from vastus.app.web_page import Page
from vastus.numerics.types import Floats
from vastus.parts import Drive

SHOWN = 60  # characters of a step


def open_editor(page: Page, folder: Path) -> Editor:
    """Fill a page with the panels that author the scene of a folder."""
    editor = Editor(page, folder)
    page.dock_panel()
    editor.panels.append(Head(editor))
    tabs = page.server.gui.add_tab_group()
    with tabs.add_tab("Parts"):
        editor.panels.append(PartsPanel(editor))
    with tabs.add_tab("Joints"):
        editor.panels.append(JointsPanel(editor))
    with tabs.add_tab("Muscles"):
        editor.panels.append(MusclesPanel(editor))
    with tabs.add_tab("Materials"):
        editor.panels.append(MaterialsPanel(editor))
    with tabs.add_tab("Check"):
        checks = ChecksPanel(editor)
        editor.panels.append(checks)
    with tabs.add_tab("Build"):
        editor.panels.append(BuildPanel(editor, checks.show))
    editor.refresh()
    return editor


class Head:
    """What the page is about, where it is saved, what to do next, and the way back."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        gui = editor.page.server.gui
        self._head = gui.add_markdown("")
        self._undo = gui.add_button("Undo")
        self._redo = gui.add_button("Redo")
        self._reload = gui.add_button("Reload", hint="Take the scene file as it is on disk.")
        self._all = gui.add_button("See everything")
        editor.page.when(self._all, lambda _: editor.see_all())
        editor.page.when(self._undo, lambda _: editor.undo())
        editor.page.when(self._redo, lambda _: editor.redo())
        editor.page.when(self._reload, lambda _: editor.reload())

    def refresh(self) -> None:
        """Show the next steps back and forth."""
        history, file = self._editor.history, self._editor.scene_file
        saved = "every step is saved in" if file.exists() else "the first step will make"
        name, todo = (
            plain(t, 200) for t in (self._editor.document.name, next_step(self._editor.document))
        )
        mode = self._editor.click_mode
        click = "" if mode is ClickMode.SELECT else f"  \nA click {mode.value}."
        self._head.content = f"**{name}**: {saved} {plain(file.name)}  \n**Next**: {todo}{click}"
        for handle, what, words in (
            (self._undo, "Undo", history.undo_words),
            (self._redo, "Redo", history.redo_words),
        ):
            handle.label = label(f"{what}: {words}", SHOWN) if words else what
            handle.disabled = words is None

    def touched(self, part: str, place: Floats) -> None:
        """Nothing."""


def next_step(document: Document) -> str:
    """The next thing that a scene lacks before it can be built and moved."""
    names = document.names
    if not names.parts:
        return "add surface files under Parts."
    if not names.bones:
        return "say under Parts which surfaces are bone."
    if not names.muscles:
        return "say under Parts which surfaces are muscle."
    held = [bone for bone in names.bones if document.drive(bone) is not Drive.FREE]
    if not held:
        return "choose a bone under Parts that is held still; now the body would fall."
    loose = [bone for bone in names.bones if bone not in held and not _tied(document, bone)]
    if loose:
        return f"tie '{loose[0]}' to another bone under Joints, or hold it still."
    return "look at the muscles, check, and build."


def _tied(document: Document, bone: str) -> bool:
    return any(bone in joint.bones for joint in document.joints.values())
