"""The documentation keeps its word: its Python runs, its scenes are valid, its names exist."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from inspect import signature
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType

import pytest
from pydantic import BaseModel

import vastus
from vastus.materials.base import LAWS, find_law
from vastus.modelling.build import build
from vastus.results.result import FILES
from vastus.scene.actuators import CablePart, CavityPart
from vastus.scene.body import BonePart, JointPart, MeshFile, MusclePart, RegionPart
from vastus.scene.drive import JointFile, Output, PoseKey, SolverPart, Timeline
from vastus.scene.fibres import Fibres, SolidFibres, SolidRegion
from vastus.scene.read import scene_of
from vastus.scene.scene import Description
from vastus.scene.selection import LoadPart, PinPart
from vastus.scene.surfaces import SurfacePart, Surfaces
from vastus.skeleton import BONES
from vastus.skeleton.joints import JOINTS
from vastus.studies.designs import DESIGNS
from vastus.studies.outputs import WORDS
from vastus.studies.parameters import DISTRIBUTIONS
from vastus.studies.study_file import DesignPart, StudyFile

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
SECTIONS: tuple[type[BaseModel], ...] = (
    Description,
    MeshFile,
    Surfaces,
    SurfacePart,
    RegionPart,
    MusclePart,
    Fibres,
    SolidFibres,
    SolidRegion,
    BonePart,
    JointPart,
    PinPart,
    LoadPart,
    CavityPart,
    CablePart,
    Timeline,
    JointFile,
    PoseKey,
    SolverPart,
    Output,
)


FILE = r"`((?:\w+/)*\w+\.py)`"  # a Python file in code type
# In code type, or as a heading of the reference; names of pictures that are saved are not modules.
DOTTED = r"(?:`@?|^::: )(vastus(?:\.(?!png\b|mp4\b)\w+)+)"
# Pages whose code takes seconds, or half a minute: it is run with the slow tests. What it shows has
# quick tests of its own, and that all its names and keywords exist is seen without running it.
LONG = {"flesh", "choosing-a-solver", "own-solver", "juggling", "joints", "notebook", "results"}
LONG |= {"report", "motion", "export", "own-energy"}
FINE = {"surfaces"}  # pages whose meshes must be as fine as they are
TETS = re.compile(r"\btets(=|: )[\d_]+")


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of exactly this language."""
    return fenced(page.read_text(encoding="utf-8"), language)


def fenced(text: str, language: str) -> list[str]:
    """The fenced blocks of exactly this language in a text."""
    fence = re.compile(rf"^```{language}(?: title=\S+)?\n(.*?)^```$", re.S | re.M)
    return fence.findall(text)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def naming(pattern: str) -> list[Path]:
    """The pages in which the pattern occurs, the one for contributors included."""
    pages = [*PAGES, ROOT / "CONTRIBUTING.md"]
    return [page for page in pages if re.search(pattern, page.read_text(encoding="utf-8"), re.M)]


def with_blocks(language: str) -> list[Path]:
    return [page for page in PAGES if blocks(page, language)]


@pytest.fixture
def own_laws() -> Iterator[None]:
    """Forget the laws that a page registers."""
    find_law("stable_neo_hookean")
    kept = dict(LAWS)
    yield
    LAWS.clear()
    LAWS.update(kept)


@pytest.mark.usefixtures("own_laws")
@pytest.mark.parametrize(
    "tets",
    [r"tets\g<1>1000", pytest.param(None, marks=pytest.mark.slow)],
    ids=["coarse", "as it stands"],
)
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] if page.stem in LONG else [], id=name_of(page))
        for page in with_blocks("python")
    ],
)
def test_the_python_of_a_page_runs_from_top_to_bottom(
    page: Path, tets: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On meshes as coarse as shapes can be, and on those that the page says."""
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    if tets and page.stem not in FINE:
        text = TETS.sub(tets, text)
    for title, scene in re.findall(r'^```yaml title="(\S+)"\n(.*?)^```$', text, re.S | re.M):
        Path(title).write_text(scene, encoding="utf-8")
    names: dict[str, object] = {"__name__": "page"}
    for number, code in enumerate(fenced(text, "python")):
        exec(compile(code, f"{name_of(page)} block {number}", "exec", dont_inherit=True), names)


@pytest.mark.parametrize("page", [*with_blocks("python"), *EXAMPLES], ids=name_of)
def test_the_names_and_keywords_in_the_python_of_a_page_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    code = ast.parse(text if page in EXAMPLES else "\n".join(fenced(text, "python")))
    nodes = list(ast.walk(code))
    known = dict(imported(nodes))
    for node in nodes:  # what the page gives another meaning is its own
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            known.pop(node.id, None)
    for node in nodes:
        if isinstance(node, ast.Attribute):
            there = found(node.value, known)
            assert not isinstance(there, ModuleType) or hasattr(there, node.attr), ast.unparse(node)
        if isinstance(node, ast.Call) and callable(called := found(node.func, known)):
            given = [None for each in node.args if not isinstance(each, ast.Starred)]
            named = {each.arg: None for each in node.keywords if each.arg}
            with suppress(ValueError):  # of what is compiled nobody knows how it is called
                signature(called).bind_partial(*given, **named)


def imported(nodes: list[ast.AST]) -> Iterator[tuple[str, object]]:
    """What a page imports, by the names that it gives it."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            for each in node.names:
                yield each.asname or each.name, resolve_name(f"{node.module}.{each.name}")
        elif isinstance(node, ast.Import):
            for each in node.names:
                whole, first = import_module(each.name), each.name.partition(".")[0]
                yield (each.asname, whole) if each.asname else (first, import_module(first))


def found(node: ast.expr, known: dict[str, object]) -> object:
    """What a dotted name stands for, if that is known without running anything."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Attribute):
        there = found(node.value, known)
        return getattr(there, node.attr, None) if isinstance(there, ModuleType | type) else None
    return None


@pytest.mark.parametrize("page", with_blocks("yaml"), ids=name_of)
def test_the_scenes_of_a_page_are_valid(page: Path) -> None:
    for text in blocks(page, "yaml"):
        if "\nmodel:" in text:
            scene = scene_of(text.encode(), page.with_suffix(".yaml"))
            assert scene.inputs(build(scene))


def test_the_readme_shows_twelve_lines() -> None:
    (code,) = blocks(ROOT / "README.md", "python")
    assert len(code.splitlines()) <= 12


def test_every_equation_that_the_code_cites_exists() -> None:
    theory = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
    numbers = [int(n) for n in re.findall(r"\\tag\{(\d+)\}", theory)]
    assert numbers == list(range(1, len(numbers) + 1))
    for path in (ROOT / "src").rglob("*.py"):
        for cited in re.findall(r"theory, eq\. (\d+)", path.read_text(encoding="utf-8")):
            assert int(cited) in numbers, f"{path.name} cites eq. {cited}"


@pytest.mark.parametrize("page", naming(FILE), ids=name_of)
def test_every_source_file_that_a_page_names_exists(page: Path) -> None:
    homes = (ROOT, ROOT / "src" / "vastus", ROOT / "tests" / "physics")
    for name in re.findall(FILE, page.read_text(encoding="utf-8")):
        assert any((home / name).exists() for home in homes), name


def test_the_layout_is_that_of_the_import_contract_and_has_every_room() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?`) \|", text.split("## Layout")[1].split("\n## ")[0], re.M)
    listed = [set(re.findall(r"`(\w+)(?:/|\.py)`", row)) for row in rows]
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    assert listed == [set(re.findall(r"vastus\.(\w+)", layer)) for layer in layers]
    there = {p.stem for p in (ROOT / "src" / "vastus").iterdir() if p.suffix in {"", ".py"}}
    assert set().union(*listed) == {name for name in there if not name.startswith("_")}


@pytest.mark.parametrize("page", naming(DOTTED), ids=name_of)
def test_every_dotted_name_of_a_page_exists(page: Path) -> None:
    for name in re.findall(DOTTED, page.read_text(encoding="utf-8"), re.M):
        assert resolve_name(name) is not None, name


def test_the_verification_page_names_every_physics_test() -> None:
    text = (ROOT / "docs" / "verification.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+\.py)`", text))
    assert named == {path.name for path in (ROOT / "tests" / "physics").glob("test_*.py")}


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.__name__)
def test_every_key_of_a_scene_is_in_its_reference(section: type[BaseModel]) -> None:
    text = (ROOT / "docs" / "reference" / "scene.md").read_text(encoding="utf-8")
    for name, field in section.model_fields.items():
        key = field.alias or name
        assert re.search(rf"`(?:\w+\.)?{key}`", text), f"{key} of {section.__name__}"


@pytest.mark.parametrize("section", [StudyFile, DesignPart], ids=lambda section: section.__name__)
def test_every_key_of_a_study_is_in_its_reference(section: type[BaseModel]) -> None:
    text = (ROOT / "docs" / "reference" / "study.md").read_text(encoding="utf-8")
    words = [*section.model_fields, *DESIGNS, *DISTRIBUTIONS, *WORDS]
    assert [word for word in words if f"`{word}`" not in text] == []


@pytest.mark.parametrize("registry", [JOINTS, BONES], ids=["joints", "bones"])
def test_every_member_of_a_registry_is_in_the_reference(registry: dict[str, type]) -> None:
    text = (ROOT / "docs" / "reference" / "scene.md").read_text(encoding="utf-8")
    assert [name for name in registry if f"`{name}`" not in text] == []


def test_every_law_is_in_the_theory_and_the_reference() -> None:
    find_law("stable_neo_hookean")
    own = [n for n, law in LAWS.items() if law.__module__.startswith("vastus.")]
    for page in ("theory.md", "reference/materials.md"):
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        assert [name for name in own if f"`{name}`" not in text] == []


def test_every_public_name_is_in_the_reference() -> None:
    text = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "docs/reference").glob("*.md"))
    missing = [n for n in vastus.__all__ if not re.search(rf"\b{n}\b", text)]
    assert missing == []


def test_every_file_of_a_result_is_in_the_reference() -> None:
    for page in ("reference/files.md", "howto/results.md"):
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        assert [name for name in FILES if f"`{name}`" not in text] == []


def test_every_output_is_defined() -> None:
    text = (ROOT / "docs" / "reference" / "outputs.md").read_text(encoding="utf-8")
    model = vastus.shapes.elbow(tets=1_000)
    (frame,) = vastus.simulate(model, vastus.Newton(), vastus.ramp(model, seconds=0.0))
    for name in frame.outputs:
        name = re.sub("^(bi|tri)ceps_", "<muscle>_", name)
        name = re.sub("_on_(humerus|scapula|forearm)", "_on_<bone>", name)
        name = re.sub("^elbow_|(?<=>_)elbow_", "<joint>_", name)
        name = re.sub("_[yz]_(?=N)", "_x_", re.sub("_[yz]_m", "_x_m", name))
        assert re.sub("section_[2-8]", "section_1", name) in text
