"""Marks of citations and formulas in Qasper's texts and answers."""

from __future__ import annotations

import pytest

from corpora.sources.qasper_marks import readable, uncited


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("emotion BIBREF3 , sentiment BIBREF4 .", "emotion, sentiment."),
        ("a topic BIBREF0 , BIBREF1 , or trends", "a topic, or trends"),
        ("a CNNBIBREF7 and more", "a CNN and more"),
        ("as in BIBREF0. We extend", "as in [0]. We extend"),
        ("It ends. BIBREF5 uses SVM", "It ends. [5] uses SVM"),
        ("One.\nBIBREF5 and BIBREF2 say", "One.\n[5] and [2] say"),
        ("of BIBREF1 , BIBREF2 and BIBREF3 to", "of [1] , [2] and [3] to"),
        ("nothing to cite", "nothing to cite"),
    ],
)
def test_citations(given: str, wanted: str) -> None:
    assert uncited(given) == wanted


def test_an_answer_without_its_formula_is_none() -> None:
    assert readable(["Dataset BIBREF36", "namely { INLINEFORM0 }", "a b"]) == ["Dataset", "a b"]
