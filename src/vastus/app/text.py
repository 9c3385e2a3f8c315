"""Names from files, made safe to show in a page, whose Markdown runs the scripts it holds."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 80  # characters of a name
UNNAMED = "(no name)"

# Marks that a Markdown reader turns into links even when they are spelt as character references.
_LINKS = re.compile(r"(?i)(?<=www)(?=\.)|(?<=:)(?=//)|(?<=@)")
_WORD_JOINER = "\u2060"  # has no width


def label(text: str, longest: int = LONGEST) -> str:
    """One line of visible characters, for widgets that show text as it is: labels, options."""
    shown = "".join(" " if c.isspace() else c for c in text[: 8 * longest] if _visible(c))
    line = " ".join(shown.split())
    return (line if len(line) <= longest else line[: longest - 1] + "…") or UNNAMED


def plain(text: str, longest: int = LONGEST) -> str:
    """The same line for Markdown and HTML, attributes too: it means nothing but itself there."""
    return "".join(map(_reference, _LINKS.sub(_WORD_JOINER, label(text, longest))))


def _visible(c: str) -> bool:
    """Neither control, nor bidirectional override, nor half of a surrogate pair, nor unassigned."""
    return c.isspace() or not unicodedata.category(c).startswith("C")


def _reference(c: str) -> str:
    """ASCII punctuation as a character reference, which is text to Markdown and to HTML alike."""
    return f"&#{ord(c)};" if c.isascii() and not c.isalnum() and c != " " else c
