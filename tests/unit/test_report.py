"""The page of a result tells how it ended and what it holds, and lets nothing run."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vastus.errors import FileError
from vastus.export.export import write
from vastus.files.html import Table, page, render, shown
from vastus.geometry.penetration import Penetration
from vastus.materials.base import LAWS, Law, find_law
from vastus.materials.principal.ogden import Ogden
from vastus.model import Model, Muscle
from vastus.parts import Bone, Contact, ContactKind, Drive
from vastus.referee import Distance, Verdict
from vastus.report.chart import MOST, chart, legend, ticks
from vastus.report.model_tables import is_stress, material, pascals
from vastus.report.page import STYLE, Ending, report, write_report
from vastus.report.sections import Section
from vastus.results.frame_rows import write_verdicts
from vastus.results.result import PROVENANCE, read_result
from vastus.results.writer import ResultWriter
from vastus.schedules import ramp
from vastus.solvers.newton import Newton
from vastus.state import Frame, Report, State, rest

EVIL = "<script>alert('x')</script>\"&"


def frames(model: Model, count: int = 4) -> Iterator[Frame]:
    """Frames that shorten the bar, with outputs as a simulation has them."""
    name = model.muscles[0].name
    for i, inputs in enumerate(ramp(model, seconds=1.0, fps=count - 1, **{name: 1.0})):
        x = model.mesh.X * [1.0 - 0.3 * inputs.time, 1.0, 1.0]
        told = {"activation": inputs.time, "length_m": 0.08 * (1 - 0.3 * inputs.time),
                "force_N": 12.5 * i, "stretch": 1 - 0.3 * inputs.time,
                "volume_change": -0.01 * i}  # fmt: skip
        solved = Report(True, 3 + i, 2e-3, 40.0, 0.1, substeps=1 + i, seconds=0.25)
        inside = (Penetration("base", "tip", 1e-3 * (i + 1), 2e-9),) if i else ()
        outputs = {f"{name}_{what}": value for what, value in told.items()}
        yield Frame(
            i, State.still(inputs.time, x, inputs.poses, inputs.excitation), solved, outputs, inside
        )


@pytest.fixture
def folder(bar_model: Model, tmp_path: Path) -> Path:
    """A finished result, judged by a referee."""
    write(tmp_path / "out", bar_model, frames(bar_model))
    distance = Distance(1.5e-4, 2e-5, 0.0, "", 0.125, "belly", 50.0)
    verdicts = [
        Verdict(2, 0.67, 0.2, 0.6, distance),
        Verdict(3, 1.0, 0.2, sentence="no equilibrium was found"),
    ]
    write_verdicts(tmp_path / "out" / "referee.json", Newton(), verdicts)
    return tmp_path / "out"


class Reader(HTMLParser):
    """The tags of a page in order, with its text; void tags need no end."""

    VOID = frozenset({"meta", "img", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += f"{data} "


def drawn(times: np.ndarray, curves: dict[str, np.ndarray], label: str) -> str:
    """A chart as it stands in a page."""
    made = chart(times, curves, label, 1.0)
    return render(
        "report/templates/report.html",
        **{"title": "", "css": "", "digest": "", "model": "", "ending": Ending("", "", "")},
        sections=[Section("", charts=[made])],
    )


def marked(folder: Path, **changes: Any) -> str:
    """The text of the page of a result whose record was changed."""
    path = folder / PROVENANCE
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    return Reader(report(read_result(folder))).words


@pytest.fixture
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if pyvista were not installed, which is also quicker."""
    monkeypatch.setitem(__import__("sys").modules, "pyvista", None)


def test_the_page_holds_all_pictures_and_curves(folder: Path) -> None:
    pytest.importorskip("pyvista", reason="needs the viz extra")
    read = Reader(report(read_result(folder)))
    images = [attributes for tag, attributes in read.tags if tag == "img"]
    assert len(images) == 4
    assert all((i["src"] or "").startswith("data:image/png;base64,iVBOR") for i in images)
    assert (images[1]["alt"] or "").startswith("bar at 0.33 s")
    charts = [a["aria-label"] for tag, a in read.tags if tag == "svg"]
    assert any("muscle force [N] over time: belly from 0 to 37.5" in (c or "") for c in charts)
    assert len(charts) == 4


@pytest.mark.usefixtures("no_pictures")
def test_without_pyvista_the_page_says_so_and_shows_the_rest(folder: Path) -> None:
    read = Reader(report(read_result(folder)))
    assert "No pictures were drawn: this needs the package 'pyvista'" in read.words
    assert not [tag for tag, _ in read.tags if tag == "img"]
    assert [tag for tag, _ in read.tags if tag == "svg"]


@pytest.mark.usefixtures("no_pictures")
def test_the_page_has_every_section_and_its_numbers(folder: Path) -> None:
    words = " ".join(Reader(report(read_result(folder))).words.split())
    assert "finished 4 frames from 0 to 1 s, solved in 1 s." in words
    for expected in (
        "192",  # tets
        "stable_neo_hookean (young 60 kPa, poisson 0.45) + active_fibre",
        "belly 100 1 ",  # strength in kPa, largest activation
        "base pinned base 0",
        "smallest dihedral angle [°]",
        "0.015 0.002",  # distances in per cent
        "0.25",  # force in per cent of the strongest
        "Frame 3: the referee failed: no equilibrium was found",
        "base tip 3 1 4 2",  # deepest pair: frame, time, depth, volume
        "4 frames took 1 s and 18 iterations",
        "The largest residual is 0.005 % of the load",
        "hash of the model",
    ):
        assert expected in words, expected


@pytest.mark.usefixtures("no_pictures")
def test_names_can_do_no_harm(bar_model: Model, tmp_path: Path) -> None:
    regions = [replace(r, name=r.name + EVIL, muscle=r.muscle and EVIL) for r in bar_model.regions]
    model = bar_model.with_(
        name=EVIL,
        regions=tuple(regions),
        muscles=(Muscle(EVIL, 1e5),),
        bones=(
            Bone(f"a{EVIL}", (regions[0].name,), Drive.PINNED),
            Bone(f"b{EVIL}", (regions[4].name,)),
        ),
    )
    write(tmp_path / "out", model, frames(model))
    marked(tmp_path / "out", command=EVIL, seed=EVIL, sentence=EVIL, status="failed")
    text = report(read_result(tmp_path / "out"))
    read = Reader(text)
    assert read.words.count(EVIL) > 10
    assert "script" not in {tag for tag, _ in read.tags}
    assert not [
        name for _, a in read.tags for name in a if name.startswith("on") or name == "style"
    ]
    assert "<script" not in text


def test_the_policy_of_a_page_allows_its_own_style_only() -> None:
    text = page("files/templates/page.html", "t", style=STYLE)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy
    assert policy[1].startswith("default-src 'none'; img-src data:; style-src 'sha256-")
    assert "unsafe" not in policy[1]
    style = re.search("<style>(.*)</style>", text, re.S)
    assert style
    digest = b64encode(sha256(style[1].encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy[1]


@pytest.mark.usefixtures("no_pictures")
def test_the_page_is_in_order(folder: Path) -> None:
    text = report(read_result(folder))
    read = Reader(text)
    headings = [tag for tag, _ in read.tags if re.fullmatch("h[1-6]", tag)]
    assert headings == ["h1"] + ["h2"] * 10
    anchors = {a["href"] for tag, a in read.tags if tag == "a"}
    assert anchors == {f"#{a['id']}" for tag, a in read.tags if tag == "h2"}
    assert not re.search(r"(src|href)=\"(?!#|data:image/png)", text)
    assert "http" not in re.sub('http-equiv="', "", text)


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize(
    ("status", "sentence", "expected"),
    [
        ("failed", "frame 4 of 9: no luck", "failed Frame 4 of 9: no luck; 4 frames from 0 to 1 s"),
        ("interrupted", "interrupted after 4 frames", "interrupted Interrupted after 4 frames;"),
        ("running", "", "running The run goes on, or was killed; 4 frames"),
        ("lost", "", "unknown It is not known how the run ended; 4 frames"),
        (None, None, "unknown It is not known how the run ended; 4 frames"),
    ],
)
def test_every_way_to_end_is_told(
    folder: Path, status: str | None, sentence: str | None, expected: str
) -> None:
    words = " ".join(marked(folder, status=status, sentence=sentence).split())
    assert expected in words


@pytest.mark.usefixtures("no_pictures")
def test_a_run_that_failed_at_once_has_a_page(bar_model: Model, tmp_path: Path) -> None:
    ResultWriter(tmp_path / "out", bar_model).close()
    words = Reader(report(read_result(tmp_path / "out"))).words
    for sentence in ("No frame is finished.", "There is no report of any frame.", "It was not mea"):
        assert sentence in words


@pytest.mark.usefixtures("no_pictures")
def test_a_model_of_one_frame_and_values_that_are_not_numbers(
    bar_model: Model, tmp_path: Path
) -> None:
    still = rest(bar_model)
    outputs = {"belly_force_N": float("nan"), "belly_activation": 0.0}
    lone = Frame(
        0, replace(still, activation=np.zeros(1)),
        Report(False, 1, 0.0, 0.0, 0.0), outputs,
    )  # fmt: skip
    write(tmp_path / "out", bar_model, [lone])
    read = Reader(report(read_result(tmp_path / "out")))
    assert "Frames that did not converge: 0." in read.words
    assert "1 frame at 0 s" in read.words
    assert not re.search(r"\bnan\b", report(read_result(tmp_path / "out")), re.I)


@pytest.mark.usefixtures("no_pictures")
def test_a_page_is_replaced_only_if_that_is_asked_for(folder: Path, tmp_path: Path) -> None:
    assert write_report(folder) == folder / "report.html"
    with pytest.raises(FileError, match=r"report\.html' is there already; --overwrite"):
        write_report(folder)
    write_report(folder, overwrite=True)
    assert write_report(folder, tmp_path / "new" / "a.html").is_file()
    with pytest.raises(FileError, match="is a folder"):
        write_report(folder, tmp_path, overwrite=True)
    with pytest.raises(FileError, match="not a result folder"):
        write_report(tmp_path / "new")
    assert [p.name for p in (tmp_path / "new").iterdir()] == ["a.html"]


def test_a_chart_breaks_its_line_where_there_is_no_number() -> None:
    text = drawn(np.arange(5.0), {"a": np.array([0, 1, np.nan, 1, 0.0])}, "b [N]")
    (line, *_) = re.findall(r' d="([^"]+)"', text)
    assert [c for c in line if c.isalpha()] == ["M", "L", "M", "L"]
    assert text.count("<circle") == 4
    assert "<title>a, 3 s: 1</title>" in text


def test_a_chart_of_many_curves_looks_different_for_each() -> None:
    curves = {f"m{i}": np.array([0.0, i]) for i in range(MOST)}
    text = drawn(np.array([0.0, 1.0]), curves, "x")
    looks = re.findall(
        r'<g class="(h\d)"><title>m\d+</title><path( stroke-dasharray="[^"]+")?', text
    )
    assert len(looks) == len(set(looks)) == MOST


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (0.0, 1.0, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (0.0, 0.5, ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]),
        (-4.0, 84.0, ["0", "20", "40", "60", "80"]),
        (0.0, 0.015, ["0.0000", "0.0025", "0.0050", "0.0075", "0.0100", "0.0125", "0.0150"]),
        (1e5, 1.5e5, ["100000", "110000", "120000", "130000", "140000", "150000"]),
        (-0.9, 0.4, ["-0.75", "-0.50", "-0.25", "0.00", "0.25"]),
    ],
)
def test_ticks_are_round_and_within(low: float, high: float, texts: list[str]) -> None:
    made = ticks(low, high)
    assert [text for _, text in made] == texts
    for number, text in made:
        assert float(text) == pytest.approx(number, abs=1e-12)


def test_long_names_of_a_legend_are_cut_and_wrap() -> None:
    rows = legend(["a" * 100, "b", "c" * 60], 100.0)
    assert [len(text) for _, _, text in rows] == [40, 1, 40]
    assert rows[0][1] < rows[2][1]


def test_cells_read_as_people_write_them() -> None:
    assert [shown(c) for c in (None, float("nan"), 3, 12345.6, 0.00012, 1e-20, "x")] == [
        "–", "–", "3", "12,346", "0.00012", "0", "x",
    ]  # fmt: skip
    values = {"name": "", "facts": (), "tables": [Table("", ("a",), [("b" * 30,)])]}
    assert 'class="text long"' in render("report/templates/model.html", **values)


def own_laws() -> list[str]:
    find_law("stable_neo_hookean")
    return sorted(n for n, law in LAWS.items() if law.__module__.startswith("vastus."))


@pytest.mark.parametrize("name", own_laws())
def test_the_parameters_that_are_stresses_scale_the_energy(name: str) -> None:
    """psi is linear in all stresses together: twice of each is twice the energy."""
    law: Law = LAWS[name]()
    names = [n for n in law.__dataclass_fields__ if is_stress(type(law), n)]  # type: ignore[attr-defined]
    twice = replace(law, **{n: 2 * getattr(law, n) for n in names})  # type: ignore[type-var]
    if isinstance(twice, Ogden):  # its moduli are in rows, beside exponents
        twice = replace(twice, terms=tuple((2 * c, m) for c, m in twice.terms))
    F = np.array([[1.1, 0.1, 0.0], [0.05, 0.95, 0.02], [0.0, -0.1, 1.05]])
    d = np.array([1.0, 0.0, 0.0])
    once, doubled = (
        type(law).point.energy(F, d, T0, np.array(each.parameters()))
        for each, T0 in ((law, 3e4), (twice, 6e4))
    )
    assert once != 0
    assert doubled == pytest.approx(2 * once, rel=1e-9)


def test_stresses_have_short_numbers() -> None:
    assert [pascals(p) for p in (0.0, 2.0, 8e4, 2.7e6, 5e9)] == [
        "0 Pa", "2 Pa", "80 kPa", "2.7 MPa", "5 GPa",
    ]  # fmt: skip
    assert material(()) == "rigid"


def test_contact_is_told_of_pairs_that_touched(bar_model: Model, tmp_path: Path) -> None:
    """Bodies of the bar are its bones 'base' and 'tip' and its muscle 'belly'."""
    assert "The model has no contact." in _contact_of(bar_model, tmp_path / "none", {})
    model = bar_model.with_(contact=Contact(muscles=ContactKind.NONE))
    apart = {"belly_base_contact_N": (0.0, 0.0, 0.0)}
    assert "No two bodies touch in any frame." in _contact_of(model, tmp_path / "apart", apart)
    columns = {
        "belly_tip_contact_N": (0.0, 7.5, 2.0),
        "belly_tip_contact_Pa": (0.0, 2e3, 3e3),
        "belly_tip_contact_m2": (0.0, 2e-4, 1e-4),
        "belly_tip_contact_distance_m": (1e-3, 4e-4, -6e-4),
    }
    said = _contact_of(model, tmp_path / "touching", apart | columns)
    cells = re.findall(r"<td[^>]*>(?:<[^>]*>)*([^<]*)", said)
    assert cells == ["belly", "tip", "7.5", "1", "0.5", "3", "2", "-0.6"]


def _contact_of(model: Model, folder: Path, columns: dict[str, tuple[float, ...]]) -> str:
    """The section on contact of a result of three frames with such columns."""
    made = [
        replace(frame, outputs=dict(frame.outputs) | {n: v[i] for n, v in columns.items()})
        for i, frame in enumerate(frames(model, 3))
    ]
    write(folder, model, made)
    return report(read_result(folder)).split('id="contact"')[1].split("<h2")[0]
