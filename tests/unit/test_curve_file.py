"""Published curves in text files of several kinds."""

from __future__ import annotations

from pathlib import Path

import pytest

from vastus.errors import VastusError
from vastus.files.curve_file import read_curves


@pytest.mark.parametrize(
    "text", ["1 2\n3 4\n", "# from a paper\nx,y\n1,2\n3,4\n", "x;y\n1;2\n3;4", "x\ty\n1\t2\n3\t4\n"]
)
def test_two_columns_are_a_curve(tmp_path: Path, text: str) -> None:
    path = tmp_path / "law.csv"
    path.write_text(text, encoding="utf-8")
    (curve,) = read_curves(str(path))
    assert (curve.name, curve.x.tolist(), curve.y.tolist()) == ("law", [1, 3], [2, 4])


def test_more_columns_are_more_curves_and_two_can_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "law.csv"
    path.write_text("x,active,passive\n1,2,5\n3,4,\n", encoding="utf-8")
    both = read_curves(str(path))
    assert [c.name for c in both] == ["law: active", "law: passive"]
    assert both[1].x.tolist() == [1]
    for given in (f"{path}:active:passive", f"{path}:2:3"):
        (chosen,) = read_curves(given)
        assert (chosen.x.tolist(), chosen.y.tolist()) == ([2], [5])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1\n2\n", "one column"),
        ("x,y\n1,2\n\n3\n", "line 4: there are 1 values, but 2 columns"),
        ("# measured\nx,y\n1,b\n", "line 3: 'b' is not a number"),
        ("1 2\n3 4 5\n", "line 2: there are 3 values, but 2 columns"),
    ],
)
def test_what_is_no_curve_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "law.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(VastusError, match=says):
        read_curves(str(path))
