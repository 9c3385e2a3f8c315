"""The page of a result in a real browser, wide and narrow, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import vastus
from vastus.model import Model
from vastus.report.page import write_report

LONG = "a_muscle_with_a_name_that_is_" + "very_" * 12 + "long"
TOO_WIDE = """() => [...document.querySelectorAll('body *')].filter(each => {
  const box = each.getBoundingClientRect();
  return box.right > innerWidth + 1 || each.scrollWidth > each.clientWidth + 1
    && getComputedStyle(each).overflowX === 'auto';
}).map(each => each.tagName + ' ' + each.className + ' ' + each.textContent.slice(0, 40))"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, bar_model: Model) -> dict[str, Path]:
    """The pages of a finished run, and of one with long and hostile names."""
    folder = tmp_path_factory.mktemp("pages")
    hostile = bar_model.with_(
        name="<script>document.title = 'broken'</script>",
        muscles=(vastus.Muscle(LONG, 1e5),),
        regions=tuple(
            vastus.Region(r.name, r.tissue, r.laws, muscle=r.muscle and LONG)
            for r in bar_model.regions
        ),
    )
    made = {}
    for name, model in (("plain", bar_model), ("hostile", hostile)):
        muscle = {model.muscles[0].name: 0.5}
        inputs = vastus.ramp(model, seconds=0.2, **muscle)
        vastus.write(folder / name, model, vastus.simulate(model, vastus.Newton(), inputs))
        made[name] = write_report(folder / name)
    return made


@pytest.fixture
def opened(chromium: Any, request: pytest.FixtureRequest) -> Iterator[tuple[Any, list[str]]]:
    """A page of the wanted width and colours, and what its console says."""
    width, scheme = request.param
    said: list[str] = []
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    tab = context.new_page()
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda sent: said.append(sent.url) if sent.url[:4] == "http" else None)
    yield tab, said
    context.close()


LOOKS = [(width, scheme) for width in (1200, 380) for scheme in ("light", "dark")]
LOOKS.append((820, "light"))


@pytest.mark.parametrize("opened", LOOKS, indirect=True, ids=str)
@pytest.mark.parametrize("name", ["plain", "hostile"])
def test_the_page_fits_and_nothing_complains(
    opened: tuple[Any, list[str]],
    pages: dict[str, Path],
    name: str,
    screenshots: Path,
    request: pytest.FixtureRequest,
) -> None:
    tab, said = opened
    tab.goto(pages[name].as_uri())
    looks = request.node.callspec.params["opened"]
    tab.screenshot(path=screenshots / f"report_{name}_{looks[0]}_{looks[1]}.png", full_page=True)
    assert said == []
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert tab.evaluate(TOO_WIDE) == []
    assert tab.title().endswith(": report")
    assert tab.locator("h1").inner_text() == tab.title().removesuffix(": report")
    assert tab.locator("svg.chart").count() == 4
    assert tab.evaluate("[...document.images].every(i => i.naturalWidth > 100)")


@pytest.mark.parametrize("opened", LOOKS[2:], indirect=True, ids=str)
def test_the_letters_stand_out_from_the_paper(
    opened: tuple[Any, list[str]], pages: dict[str, Path]
) -> None:
    """The contrast that the Web Content Accessibility Guidelines ask for: 4.5 to 1."""
    tab, _ = opened
    tab.goto(pages["plain"].as_uri())
    paper = luminance(tab.evaluate("getComputedStyle(document.body).backgroundColor"))
    for what in ("p", "td", "dt", "figcaption", "h2"):
        script = f"getComputedStyle(document.querySelector('{what}')).color"
        low, high = sorted([luminance(tab.evaluate(script)), paper])
        assert (high + 0.05) / (low + 0.05) > 4.5, what


def luminance(colour: str) -> float:
    """Relative luminance of `rgb(r, g, b)`."""
    parts = [int(c) / 255 for c in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("opened", LOOKS[:1], indirect=True, ids=str)
def test_a_script_that_gets_in_does_not_run(
    opened: tuple[Any, list[str]], pages: dict[str, Path], tmp_path: Path
) -> None:
    tab, said = opened
    text = pages["plain"].read_text(encoding="utf-8")
    bad = '<script>document.title = "broken"</script><p id="x" style="color: red">x</p>'
    (tmp_path / "bad.html").write_text(text.replace("<main>", f"<main>{bad}"), encoding="utf-8")
    tab.goto((tmp_path / "bad.html").as_uri())
    assert tab.title() == "bar: report"
    assert tab.evaluate("getComputedStyle(document.getElementById('x')).color") != "rgb(255, 0, 0)"
    assert any("Content Security Policy" in line for line in said)


@pytest.mark.parametrize("opened", LOOKS[:1], indirect=True, ids=str)
def test_the_page_prints(opened: tuple[Any, list[str]], pages: dict[str, Path]) -> None:
    tab, _ = opened
    tab.goto(pages["plain"].as_uri())
    tab.emulate_media(media="print")
    assert not tab.locator("nav").is_visible()
    assert tab.pdf(format="A4").startswith(b"%PDF")
