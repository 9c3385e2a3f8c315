"""What a click on a surface means."""

from __future__ import annotations

from enum import StrEnum

from vastus.scene.fibres import End


class Mode(StrEnum):
    """What a click does, in the words of the page."""

    SELECT = "selects a part"
    PICK_ORIGIN = "makes a part the origin"
    PICK_INSERTION = "makes a part the insertion"
    PAINT_ORIGIN = "paints the origin"
    PAINT_INSERTION = "paints the insertion"
    ERASE = "erases paint"

    @property
    def picks(self) -> End | None:
        """The end of a muscle whose part a click names."""
        return {Mode.PICK_ORIGIN: End.ORIGIN, Mode.PICK_INSERTION: End.INSERTION}.get(self)

    @property
    def paints(self) -> End | None:
        """The end of a muscle that a click paints."""
        return {Mode.PAINT_ORIGIN: End.ORIGIN, Mode.PAINT_INSERTION: End.INSERTION}.get(self)
