"""Views that are kept in a result's folder, which may come from a stranger."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("viser", reason="the pages need viser")

from hostile import at_most
from vastus.app.view.capture import FILE, VIEWS, Bookmarks, read_views
from vastus.errors import FileError
from visited import Visited

KEEP, GO = "Keep this view", "Go to view"
PLACE = [[1, 2, 3], [0, 0, 0.5]]


@pytest.fixture
def page() -> Iterator[Visited]:
    with Visited() as made:
        camera = SimpleNamespace(position=(1.0, 2.0, 3.0), look_at=(0.0, 0.0, 0.5))
        made.client = SimpleNamespace(camera=camera, atomic=nullcontext)
        yield made


def keep(page: Visited, bookmarks: Bookmarks, name: str) -> None:
    bookmarks._name.value = name
    page.do(KEEP)


def test_a_view_is_kept_and_come_back_to(page: Visited, tmp_path: Path) -> None:
    keep(page, Bookmarks(page, tmp_path), "side")
    assert json.loads((tmp_path / FILE).read_text()) == {"side": PLACE}
    assert page.told == ["The view 'side' is kept."]
    page.client.camera.position = (9.0, 9.0, 9.0)
    page.do(GO, "side")
    assert page.client.camera.position == (1.0, 2.0, 3.0)
    with Visited() as another:
        Bookmarks(another, tmp_path)
        assert another.handle(GO).options == (VIEWS, "side")


def test_views_without_a_name_are_numbered(page: Visited) -> None:
    Bookmarks(page, None)
    page.do(KEEP)
    page.do(KEEP)
    assert page.handle(GO).options == (VIEWS, "view 1", "view 2")


@pytest.mark.parametrize(
    "name", ["../../escaped", "/etc/passwd", "<script>window.broken=1</script>", "a\nb\x00\u202e"]
)
def test_hostile_names_are_only_names(page: Visited, tmp_path: Path, name: str) -> None:
    keep(page, Bookmarks(page, tmp_path), name)
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
    (kept,) = read_views(tmp_path / FILE)
    assert kept.isprintable()


def test_no_two_options_are_the_same(page: Visited, tmp_path: Path) -> None:
    """A list with the same option twice ends the whole page."""
    (tmp_path / FILE).write_text(json.dumps({VIEWS: PLACE, "a": PLACE, "a\u200b": PLACE}))
    bookmarks = Bookmarks(page, tmp_path)
    for name in (VIEWS, "a", "a"):
        keep(page, bookmarks, name)
    options = page.handle(GO).options
    assert len(set(options)) == len(options)


def test_a_link_is_replaced_not_followed(page: Visited, tmp_path: Path) -> None:
    folder, outside = tmp_path / "result", tmp_path / "outside.json"
    folder.mkdir()
    outside.write_text("{}")
    (folder / FILE).symlink_to(outside)
    Bookmarks(page, folder)
    page.do(KEEP)
    assert outside.read_text() == "{}"


def test_there_are_no_views_without_a_file(tmp_path: Path) -> None:
    assert read_views(tmp_path / FILE) == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"a": 1}',
        '{"a": [[1, 2, 3]]}',
        '{"a": [[1, 2], [1, 2, 3]]}',
        '{"a": [[1, 2, "x"], [1, 2, 3]]}',
        '{"a": [[1, 2, NaN], [1, 2, 3]]}',
        '{"a": [[1, 2, 1e999], [1, 2, 3]]}',
        f'{{"a": [[1, 2, 1{"0" * 400}], [1, 2, 3]]}}',
        f'{{"a": {"[" * 100_000}',
        '{"a": ' * 100_000,
    ],
)
def test_damaged_views_are_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(FileError, match="holds no views; delete it to begin anew"):
        read_views(tmp_path / FILE)


@pytest.mark.skipif(os.name == "nt", reason="needs pipes of POSIX")
def test_a_pipe_and_a_folder_are_no_views(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with at_most(5), pytest.raises(FileError, match="holds no views"):
            read_views(tmp_path / name)
