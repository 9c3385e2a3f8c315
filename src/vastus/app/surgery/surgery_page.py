"""The page for operations opened for a body: findings at the left, what one does at the right."""

from __future__ import annotations

from pathlib import Path

from vastus.app.surgery.panels.disorder_form import DisordersPanel
from vastus.app.surgery.panels.findings_panel import FindingsPanel
from vastus.app.surgery.panels.head import Head
from vastus.app.surgery.panels.operate import OperatePanel
from vastus.app.surgery.panels.posing import PosePanel
from vastus.app.surgery.panels.saving import SavePanel
from vastus.app.surgery.surgery import Surgery
from vastus.app.web_page import Page
from vastus.bodies.body import Body

WIDTH = 340  # [px] of the panel at the left


def open_surgery(
    page: Page, body: Body, changes: Path, *, source: Path | None = None, title: str = "body"
) -> Surgery:
    """Fill a page with a body, its disorders and its findings.

    `changes` is the file of disorders, which need not exist yet, and `source` that of the body.
    Exports go to a folder beside the changes.
    """
    surgery = Surgery(page, body, changes, source)
    page.dock_panel()
    gui = page.server.gui
    left = gui.add_panel()
    with left.add_tab("Findings"):
        surgery.panels.append(FindingsPanel(surgery))
    left.dock_left()
    left.set_width(WIDTH)
    surgery.panels.append(Head(surgery, title))
    tabs = gui.add_tab_group()
    with tabs.add_tab("Operate"):
        surgery.panels.append(OperatePanel(surgery))
    with tabs.add_tab("Disorders"):
        surgery.panels.append(DisordersPanel(surgery))
    with tabs.add_tab("Pose"):
        surgery.panels.append(PosePanel(surgery))
    with tabs.add_tab("Save"):
        folder = changes.parent / f"{changes.stem}_operated"
        surgery.panels.append(SavePanel(surgery, folder))
    surgery.refresh()
    surgery.see_muscle()
    return surgery
