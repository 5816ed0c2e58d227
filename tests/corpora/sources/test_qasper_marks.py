"""Marks of citations, formulas, tables and figures in Qasper's texts and answers."""

from __future__ import annotations

import pytest

from corpora.sources.qasper import lost, plain, readable, uncited


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


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("is shown in Figure FIGREF16 in Section SECREF5. As", "is shown in Figure 16 in Section 5. As"),
        ("as seen in Fig. FIGREF21 , and SECREF4.", "as seen in Fig 21, and Section 4."),
        ("Table.TABREF4 presents (§ SECREF26 ).", "Table 4 presents (§26)."),
        ("the tag INLINEFORM4 and INLINEFORM5 .\nDISPLAYFORM0", "the tag [formula] and [formula].\n[formula]"),
        ("a CNN BIBREF7 of TABREF1", "a CNN of Table 1"),
    ],
)
def test_references_are_readable(given: str, wanted: str) -> None:
    assert plain(given) == wanted


def test_an_answer_without_its_formula_or_table_is_none() -> None:
    assert readable(["Dataset BIBREF36", "namely { INLINEFORM0 }", "those of Table TABREF3", "a b"]) == [
        "Dataset",
        "a b",
    ]


def test_names_and_numbers_that_a_paper_does_not_hold_were_in_a_table() -> None:
    paper = "We compare an LSTM with AWD-LSTM in Table 3. It gains 5.2 points on English."
    assert lost("LSTM, AWD-LSTM and Pointer Sentinel, SRU", paper) == ["Pointer", "Sentinel", "SRU"]
    assert lost("0.05 F1", paper) == ["0.05", "F1"]
    for answer in ("It gains 5.2 points", "Better by far on English", "Yes", "a new scheme of tags"):
        assert lost(answer, paper) == []
