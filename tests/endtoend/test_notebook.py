"""The notebook among the examples runs from top to bottom, and its cells show what they should."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook.ipynb"


def contents() -> dict[str, Any]:
    return dict(json.loads(NOTEBOOK.read_text(encoding="utf-8")))


def shown_by(code: str, names: dict[str, object]) -> object:
    """Run a cell; the value of its last line, which a notebook would show."""
    *body, last = ast.parse(code).body
    assert isinstance(last, ast.Expr)
    exec(compile(ast.Module(body, []), NOTEBOOK.name, "exec"), names)
    return eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names)


def test_the_notebook_is_stored_without_outputs() -> None:
    notebook = contents()
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


def test_the_notebook_runs_and_shows_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyvista", reason="needs the viz extra")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    cells = ["".join(c["source"]) for c in contents()["cells"] if c["cell_type"] == "code"]
    values = [shown_by(code, names) for code in cells]
    pictures = [value for value in values if hasattr(value, "_repr_png_")]
    assert len(pictures) == 4
    assert all(picture.pixels.std() > 10 for picture in pictures)
    assert "biceps" in values[0]._repr_html_()  # type: ignore[attr-defined]
    assert (tmp_path / "result" / "report.html").stat().st_size > 100_000
