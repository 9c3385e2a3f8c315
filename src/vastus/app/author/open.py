"""The authoring page, opened for a folder."""

from __future__ import annotations

from pathlib import Path

from vastus.app.author.panels.build import BuildPanel
from vastus.app.author.panels.checks import ChecksPanel, HistoryPanel
from vastus.app.author.panels.joints import JointsPanel
from vastus.app.author.panels.muscles import MusclesPanel
from vastus.app.author.panels.parts import MaterialsPanel, PartsPanel
from vastus.app.author.studio import Studio
from vastus.app.page import Page
from vastus.app.view.timeline import dock


def open_studio(page: Page, folder: Path) -> Studio:
    """Fill a page with the panels that author the scene of a folder."""
    studio = Studio(page, folder)
    dock(page)
    studio.panels.append(HistoryPanel(studio))
    tabs = page.server.gui.add_tab_group()
    with tabs.add_tab("Parts"):
        studio.panels.append(PartsPanel(studio))
    with tabs.add_tab("Joints"):
        studio.panels.append(JointsPanel(studio))
    with tabs.add_tab("Muscles"):
        studio.panels.append(MusclesPanel(studio))
    with tabs.add_tab("Materials"):
        studio.panels.append(MaterialsPanel(studio))
    with tabs.add_tab("Check"):
        checks = ChecksPanel(studio)
        studio.panels.append(checks)
    with tabs.add_tab("Build"):
        studio.panels.append(BuildPanel(studio, checks.show))
    studio.refresh()
    return studio
