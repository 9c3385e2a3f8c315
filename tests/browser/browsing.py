"""What a visitor of the pages does: open, press, choose, drag, look."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

PATIENCE = 30.0  # [s] that a page may take on a busy machine
PANEL = 400  # [px] at the right
LOADED = 1.5  # [s] in which the browser unpacks what it was sent


class Visit:
    """A visitor in a browser's page."""

    def __init__(self, page: Any, screenshots: Path) -> None:
        self.page, self._folder = page, screenshots
        self.errors: list[str] = []
        page.on("console", lambda m: m.type == "error" and self.errors.append(m.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self, url: str) -> None:
        """Open an address and wait until the page is connected and drawn."""
        self.page.goto(url)
        self.page.wait_for_selector("canvas", timeout=1e3 * PATIENCE)
        time.sleep(LOADED)

    def see(self, text: str) -> None:
        """Wait until a text is seen."""
        self.page.get_by_text(text).first.wait_for(timeout=1e3 * PATIENCE)

    def press(self, name: str) -> None:
        """Press a button."""
        self.page.get_by_role("button", name=name, exact=True).first.click(timeout=1e3 * PATIENCE)

    def turn_to(self, tab: str) -> None:
        """Turn to a tab."""
        self.page.get_by_role("tab", name=tab, exact=True).first.click()
        time.sleep(0.3)

    def choose(self, label: str, option: str) -> None:
        """Choose an option of a list."""
        self.field(label).click()
        self.page.get_by_role("option", name=option, exact=True).first.click()

    def type(self, label: str, text: str) -> None:
        """Type into a field and leave it."""
        field = self.field(label)
        field.fill(text)
        field.press("Enter")

    def tick(self, label: str) -> None:
        """Tick or untick a box."""
        self.page.get_by_label(label, exact=True).first.click()

    def field(self, label: str) -> Any:
        """The input after a label; not every one is tied to it."""
        after = "following::input[not(@type='hidden')][1]"
        return self.page.locator(f"xpath=//*[normalize-space(text())='{label}']/{after}").first

    def click_at(self, across: float, down: float) -> None:
        """Click in the picture, at fractions of its width and height."""
        size = self.page.viewport_size
        self.page.mouse.click(across * (size["width"] - PANEL), down * size["height"])

    def picture(self) -> np.ndarray:
        """(height, width, 3) what is seen left of the panel."""
        shot = self.page.screenshot()
        image = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"))
        return image[:, : image.shape[1] - PANEL].astype(int)

    def keep(self, name: str) -> None:
        """Keep a picture of the whole page."""
        self.page.screenshot(path=self._folder / f"{name}.png")

    def wait(self, happened: Callable[[], bool], what: str) -> None:
        """Wait until something has happened."""
        until = time.monotonic() + PATIENCE
        while not happened():
            assert time.monotonic() < until, f"{what} did not happen in {PATIENCE:g} s"
            # The browser's events are only taken while it is asked for something.
            self.page.wait_for_timeout(100)


def changed(before: np.ndarray, after: np.ndarray) -> float:
    """The share of a picture that has changed visibly."""
    return float((np.abs(before - after).max(axis=2) > 24).mean())
