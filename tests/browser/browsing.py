"""What a visitor of the pages does: open, press, choose, drag, look."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from patience import Deadline, patience

PATIENCE = 30.0  # [s] that a page may take on a quiet machine
TURN = 2.0  # [s] of waiting at once
PANEL = 400  # [px] at the right
STILL = 0.5  # [s] in which a picture that is not being drawn does not change
LOADED = 1.5  # [s] in which the browser unpacks what it was sent


class Visit:
    """A visitor in a browser's page, who is as patient as the machine is slow."""

    def __init__(self, page: Any, screenshots: Path) -> None:
        self._page, self._folder = page, screenshots
        self.errors: list[str] = []
        page.on("console", lambda m: m.type == "error" and self.errors.append(m.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    @property
    def page(self) -> Any:
        """The browser's page; what is asked of it may take as long as it must at present."""
        self._page.set_default_timeout(1e3 * patience(PATIENCE))
        return self._page

    def open(self, url: str) -> None:
        """Open an address and wait until the page is connected and drawn."""
        self.page.goto(url)
        # Of several canvases the first may be an empty one of a chart.
        self.page.wait_for_selector("canvas:visible")
        self.pause(LOADED)

    def pause(self, seconds: float) -> None:
        """Let the page come to rest, which takes so many seconds on a quiet machine."""
        self.page.wait_for_timeout(1e3 * patience(seconds))

    def see(self, text: str, seconds: float = PATIENCE) -> None:
        """Wait until a text is seen."""
        self._await(self.page.get_by_text(text).first, seconds)

    def see_button(self, name: str) -> None:
        """Wait until a button is seen."""
        self._await(self._button(name), PATIENCE)

    def press(self, name: str) -> None:
        """Press a button."""
        self._button(name).click()

    def turn_to(self, tab: str) -> None:
        """Turn to a tab."""
        self.page.get_by_role("tab", name=tab, exact=True).first.click()
        self.page.get_by_role("tab", name=tab, exact=True, selected=True).first.wait_for()

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
        """The input after a label that is seen; not every one is tied to it."""
        labels = self.page.locator(f"xpath=//*[normalize-space(text())='{label}']")
        after = "xpath=following::input[not(@type='hidden')][1]"
        return labels.locator("visible=true").first.locator(after)

    def click_at(self, across: float, down: float) -> None:
        """Click in the picture, at fractions of its width and height."""
        size = self.page.viewport_size
        self.page.mouse.click(across * (size["width"] - PANEL), down * size["height"])

    def picture(self) -> np.ndarray:
        """(height, width, 3) what is seen left of the panel."""
        shot = self.page.screenshot()
        image = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"))
        return image[:, : image.shape[1] - PANEL].astype(int)

    def still(self) -> np.ndarray:
        """What is seen left of the panel once it no longer changes."""
        seen = [self.picture()]

        def rested() -> bool:
            self.pause(STILL)
            seen.append(self.picture())
            return changed(*seen[-2:]) == 0.0

        self.wait(rested, "a picture at rest")
        return seen[-1]

    def keep(self, name: str) -> None:
        """Keep a picture of the whole page."""
        self.page.screenshot(path=self._folder / f"{name}.png")

    def wait(self, happened: Callable[[], bool], what: str) -> None:
        """Wait until something has happened."""
        deadline = Deadline(PATIENCE)
        while not happened():
            assert not deadline.over, f"{what} did not happen"
            # The browser's events are only taken while it is asked for something.
            self.page.wait_for_timeout(100)

    def _button(self, name: str) -> Any:
        return self.page.get_by_role("button", name=name, exact=True).first

    def _await(self, what: Any, seconds: float) -> None:
        """Wait in short turns, so that a machine that becomes slow meanwhile gets more time."""
        deadline = Deadline(seconds)
        while True:
            try:
                what.wait_for(timeout=1e3 * TURN)
            except Exception as error:
                if deadline.over or type(error).__name__ != "TimeoutError":
                    raise
            else:
                return


def inked(picture: np.ndarray) -> float:
    """The share of a picture that is not as bright as the ground."""
    return float((picture.min(axis=2) < 235).mean())


def changed(before: np.ndarray, after: np.ndarray) -> float:
    """The share of a picture that has changed visibly."""
    return float((np.abs(before - after).max(axis=2) > 24).mean())
