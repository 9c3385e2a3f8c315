"""The viewer from Python: its frame in a notebook, and what a bad source leaves behind."""

from __future__ import annotations

import socket
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("viser", reason="the pages need viser")

import vastus
from hostile import write_small
from vastus.app.view import notebook as windows
from vastus.app.view.notebook import Window, view
from vastus.app.web_page import Page
from vastus.errors import FileError, VastusError
from vastus.model import Model


@pytest.fixture
def ports(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Where pages were opened."""
    found: list[int] = []

    def noted(title: str, *, port: int) -> Page:
        page = Page(title, port=port)
        found.append(page.server.get_port())
        return page

    monkeypatch.setattr(windows, "Page", noted)
    return found


def listening(port: int) -> bool:
    with socket.socket() as door:
        return door.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize("name", ["nowhere", "notes.txt", "empty", "scene.yaml", "model.npz"])
def test_a_bad_source_is_one_sentence_and_its_server_is_closed(
    tmp_path: Path, name: str, ports: list[int]
) -> None:
    (tmp_path / "empty").mkdir()
    for file in ("notes.txt", "scene.yaml", "model.npz"):
        (tmp_path / file).write_text("nothing of this kind")
    with pytest.raises(VastusError):
        view(tmp_path / name)
    assert len(ports) == 1
    assert not listening(ports[0])


def test_a_result_and_a_model_are_opened_and_closed(tmp_path: Path, bar_model: Model) -> None:
    write_small(tmp_path / "result", bar_model)
    for source in (tmp_path / "result", bar_model):
        window = vastus.view(source)
        port = window.page.server.get_port()
        assert window.url == f"http://127.0.0.1:{port}/"
        assert str(port) in repr(window)
        assert listening(port)
        window.close()
        window.close()
        assert not listening(port)


def test_only_a_result_is_compared(bar_model: Model, tmp_path: Path) -> None:
    scene = tmp_path / "scene.yaml"
    scene.write_text("vastus: 1")
    with pytest.raises(FileError, match="nothing to compare"):
        view(scene, tmp_path)


def test_the_frame_of_a_notebook_holds_nothing_but_the_address() -> None:
    url = "http://127.0.0.1:1/?token=\"'><script>window.broken=1</script>&a=b"
    found: list[tuple[str, dict[str, str | None]]] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append((tag, dict(attrs)))

    Reader().feed(Window(SimpleNamespace(url=url), 500)._repr_html_())  # type: ignore[arg-type]
    ((tag, attributes),) = found
    assert tag == "iframe"
    assert attributes["src"] == url
    assert attributes["height"] == "500"
