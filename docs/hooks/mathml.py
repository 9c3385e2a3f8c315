"""Turn the LaTeX of a page into MathML when the site is built, so that it needs no network."""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.S)
BLOCK = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.S)
# Told apart from an operator, a bar gets no space around it and fits its contents.
FENCES = {
    r"\lvert": r"\left|", r"\rvert": r"\right|", r"\lVert": r"\left\|", r"\rVert": r"\right\|"
}  # fmt: skip
TAG = re.compile(r"\\tag\{(\w+)\}")


def on_page_content(content: str, *, page: Any, **_: Any) -> str:
    """Called by MkDocs with the HTML of each page."""
    # Links to equations are checked against the anchors that MkDocs knows of.
    page.present_anchor_ids |= {f"eq-{tag}" for tag in TAG.findall(content)}
    content = BLOCK.sub(lambda found: _block(html.unescape(found[1])), content)
    return INLINE.sub(lambda found: _formula(html.unescape(found[1])), content)


def _formula(latex: str, display: str = "inline") -> str:
    for given, fence in FENCES.items():
        latex = latex.replace(given, fence)
    return convert(latex.strip(), display=display)


def _block(latex: str) -> str:
    """An equation on its own line, with its number and an anchor if it has a tag."""
    number = TAG.search(latex)
    formula = _formula(TAG.sub("", latex), "block")
    if not number:
        return f'<div class="equation">{formula}</div>'
    anchor = f"eq-{number[1]}"
    link = f'<a class="number" href="#{anchor}">({number[1]})</a>'
    return f'<div class="equation" id="{anchor}">{formula}{link}</div>'
