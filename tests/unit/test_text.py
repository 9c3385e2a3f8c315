"""Names in pages: shown as they are, never obeyed."""

from __future__ import annotations

import html
from html.parser import HTMLParser

import pytest

from vastus.app.text import LONGEST, UNNAMED, label, plain

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](http://evil.example/a.png)",
    "![x](/etc/passwd)",
    "[click](javascript:alert(1))",
    "`code` **bold** _it_ ~~gone~~ | table | # title",
    '" onmouseover="alert(1)',
    "{alert(1)}",
    "&lt;b&gt; &#60;b&#62;",
    "1. list",
    "- list",
    "    code",
    "a\\*b",
]


class Tags(HTMLParser):
    """Collects what an HTML reader sees."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_text_to_html_and_holds_no_mark_of_markdown(name: str) -> None:
    shown = plain(name)
    seen = Tags()
    seen.feed(f"<p title='{shown}'>{shown}</p>")
    assert seen.tags == ["p"]
    assert seen.text.replace("\u2060", "") == " ".join(name.split())
    assert not set(shown.replace("&#", "").replace(";", "")) & set("<>&\"'`*_[](){}!|#~\\-.:/@=+")


@pytest.mark.parametrize("name", ["www.evil.example", "HTTPS://evil.example", "a@evil.example"])
def test_no_name_becomes_a_link_by_itself(name: str) -> None:
    shown = html.unescape(plain(name)).lower()
    assert "www." not in shown
    assert "://" not in shown
    assert "@e" not in shown


def test_ordinary_names_stay_as_they_are() -> None:
    assert plain("Biceps brachii") == "Biceps brachii"
    assert plain("肱二頭筋 é") == "肱二頭筋 é"
    assert label("long_head <2>") == "long_head <2>"
    assert html.unescape(plain("long_head <2>")) == "long_head <2>"


def test_control_characters_overrides_and_surrogates_are_dropped() -> None:
    assert label("a\x00b\x1b[31m\u202ec\u2066d\ud800\u200b") == "ab[31mcd"
    assert label("a\nb\u2028c\td") == "a b c d"


def test_long_names_are_cut_and_empty_ones_have_a_word() -> None:
    assert len(label("x" * 10**7)) == LONGEST
    assert label("x" * 10**7).endswith("…")
    assert len(label("y" * 20, longest=10)) == 10
    assert label("\u202e \n") == UNNAMED
