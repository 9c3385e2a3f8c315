"""Names and numbers as a careful person writes them in YAML: short, and quoted only if need be."""

from __future__ import annotations

import re
from math import inf, isnan
from typing import Any

import numpy as np
import yaml

from vastus.errors import ModelError
from vastus.io.yaml_file import is_word

# Letters, digits and a few signs that mean nothing to YAML, also between brackets.
_PLAIN = re.compile(r"(?:(?:\.{1,2})?/)*\w(?:[\w ./()+'-]*[\w./()+'-])?")
# What the reader refuses, takes for the end of a line or drops, and what nobody sees.
_UNSEEN = re.compile(
    "[^\x20-\x7e\xa1-\xac\xae-\u1fff\u2010-\u2027\u2030-\u205f\u2070-\u2fff\u3001-\ud7ff"
    "\ue000-\ufdff\ufe10-\ufefe\uff00-\uffef\U00010000-\U0010ffff]"
)
_EXACT = 2.0**53  # above it, the digits of a float are not those of a whole number
_SHORTER = 2  # characters that an exponent must save


def scalar(value: Any) -> str:
    """A name, number, truth or nothing."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return str(value) if _is_plain(value) else _quoted(value)
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return number(value)
    raise ModelError(f"a scene cannot hold {value!r}: only names, numbers, lists and mappings")


def number(value: float) -> str:
    """The shortest digits that read back as the same number: 0.0012, 3e5, 1."""
    if isnan(value):
        return ".nan"
    if abs(value) == inf:
        return ".inf" if value > 0 else "-.inf"
    if value == 0:
        return "0"
    digits = np.format_float_positional(value, trim="-")
    power = np.format_float_scientific(value, trim="-", exp_digits=1).replace("e+", "e")
    inexact = abs(value) > _EXACT and "." not in digits
    return power if inexact or len(power) <= len(digits) - _SHORTER else digits


def _is_plain(word: str) -> bool:
    """Whether YAML reads a word as this word, by its older rules as well."""
    if not _PLAIN.fullmatch(word) or _UNSEEN.search(word) or not is_word(word):
        return False
    resolvers = yaml.SafeLoader.yaml_implicit_resolvers.get(word[0], ())
    return not any(pattern.match(word) for _, pattern in resolvers)


def _quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_UNSEEN.sub(_escape, escaped)}"'


def _escape(match: re.Match[str]) -> str:
    sign, code = match[0], ord(match[0])
    named = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
    wide = f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    return named.get(sign, wide)
