"""The real pages in headless Chromium; what they look like is kept in the folder `screenshots`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from browsing import Visit

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Without a graphics card; other flags for this are refused or crash.
FLAGS = ["--enable-unsafe-swiftshader", "--no-sandbox"]
# [px] It is drawn without a graphics card: twice as large, it takes twice as long.
WINDOW = {"width": 800, "height": 600}


@pytest.fixture(scope="session")
def chromium() -> Iterator[object]:
    """A browser without a window."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("there is no Chromium to show the pages")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def screenshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pictures of the pages go: VASTUS_SCREENSHOTS, or a temporary folder."""
    wanted = os.environ.get("VASTUS_SCREENSHOTS")
    folder = Path(wanted) if wanted else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def visiting(chromium: object, screenshots: Path) -> Iterator[Visit]:
    """A visitor of pages, who notes every error of the browser's console."""
    page = chromium.new_page(viewport=WINDOW)  # type: ignore[attr-defined]
    visitor = Visit(page, screenshots)
    yield visitor
    page.close()
    assert visitor.errors == []


@pytest.fixture
def visit(chromium: object, screenshots: Path) -> Iterator[Visit]:
    """A visitor who opens a page for one test."""
    with visiting(chromium, screenshots) as visitor:
        yield visitor


@pytest.fixture(scope="module")
def lasting_visit(chromium: object, screenshots: Path) -> Iterator[Visit]:
    """A visitor who stays for all tests of a file, as opening a page is most of a short test."""
    with visiting(chromium, screenshots) as visitor:
        yield visitor
