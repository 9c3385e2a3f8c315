"""The viewer from Python: a page that a notebook shows inside itself."""

from __future__ import annotations

from html import escape
from pathlib import Path

from vastus.app.view.viewer import open_model, open_source
from vastus.app.web_page import Page
from vastus.errors import ModelError
from vastus.model import Model


class Window:
    """An open page; a notebook shows it in a frame, and elsewhere its `url` can be opened."""

    def __init__(self, page: Page, height: int) -> None:
        self.page, self.height = page, height

    @property
    def url(self) -> str:
        """The address of the page, on this machine."""
        return self.page.url

    def close(self) -> None:
        """End the page."""
        self.page.close()

    def _repr_html_(self) -> str:
        return (
            f'<iframe src="{escape(self.url)}" width="100%" height="{self.height}" '
            'style="border: 1px solid #ccc"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<the viewer at {self.url}>"


def view(
    source: str | Path | Model, other: str | Path | None = None, *, port: int = 0, height: int = 620
) -> Window:
    """Show a result folder, a scene file or a model in the browser; `height` [px] in a notebook.

    A result may have an `other` result to compare with. The page lives until it is closed, or
    until Python ends.
    """
    if isinstance(source, Model) and other is not None:
        raise ModelError("a model is not played, so it cannot be compared with a result")
    title = source.name if isinstance(source, Model) else Path(source).name
    page = Page(title, port=port)
    try:
        if isinstance(source, Model):
            open_model(page, source)
        else:
            open_source(page, Path(source), Path(other) if other is not None else None)
    except BaseException:
        page.close()
        raise
    return Window(page, height)
