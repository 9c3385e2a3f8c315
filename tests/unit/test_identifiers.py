"""Names as files and other programs allow them."""

from __future__ import annotations

from vastus.files.identifiers import LONGEST, clean_names, identifiers, unlike

HOSTILE = ["", "a b", "a/b", "../up", "9 lives", "été", "x" * 300, "<b>&'\"", "A_B", "nul\0"]


def test_names_are_cleaned_and_each_is_once() -> None:
    given = ["biceps", "a b", "a/b", "A_B", "???", "", "région", "../../etc", "x\ny", "<script>"]
    clean = clean_names(given)
    assert list(clean) == given
    assert list(clean.values()) == [
        "biceps",
        "a_b",
        "a_b_2",
        "A_B_3",
        "region",
        "region_2",
        "r_gion",
        "etc",
        "x_y",
        "script",
    ]


def test_letters_of_other_alphabets_may_stay() -> None:
    clean = clean_names(["région", "rÉgion", "m (left)"], ascii_only=False)
    assert list(clean.values()) == ["région", "rÉgion_2", "m_left"]


def test_identifiers_are_plain_and_different() -> None:
    names = [*HOSTILE, "bones", "x" * 299]
    found = list(identifiers(names, taken=["Bones"]).values())
    assert len({name.lower() for name in found} | {"bones"}) == len(names) + 1
    assert all(name.isascii() and name.isidentifier() for name in found)
    assert max(map(len, found)) <= LONGEST + 2


def test_a_word_is_numbered_only_if_it_is_taken() -> None:
    assert unlike("bone", ("Bone",)) == "bone"
    assert unlike("bone", ("bone", "bone (2)")) == "bone (3)"
