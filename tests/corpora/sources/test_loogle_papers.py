"""A paper to be summed up does not hold the summary: its abstract is taken out, its other sections stay."""

from __future__ import annotations

from corpora.sources.loogle_text import paper

SUMMARY = (
    "We look at reeds that bend in the wind beside a lake. We find that tall reeds bend most where the water is deep, "
    "and that short ones stand. This agrees with what was seen at sea, at R and in the north."
)
SAME = (
    "We look at reeds that bend in the wind beside a lake. We find that tall reeds bend most where the water is deep."
)
REST = "Reeds grow in water.\nWe find that tall ones bend.\n2 Reeds that bend in the wind\nAll bend."


def test_everything_from_the_abstract_to_the_introduction_is_taken_out() -> None:
    for heading in ("Abstract ", "ABSTRACT:", "1 Executive Summary"):
        text = f"Reeds\nAda Boll\n{heading}\n{SAME}\nIn other words, of lakes.\n2 Introduction\n{REST}"
        assert paper(text, SUMMARY) == f"Reeds\nAda Boll\n2 Introduction\n{REST}"


def test_a_paragraph_that_says_the_summary_is_taken_out_without_a_heading() -> None:
    assert paper(f"Reeds\n{SAME}\n{REST}", SUMMARY) == f"Reeds\n{REST}"


def test_a_paper_without_its_abstract_stays_whole() -> None:
    text = f"Reeds\n1 Introduction\n{REST}\nAn abstract is missing."
    assert paper(text, SUMMARY) == text


def test_addresses_and_commands_of_latex_are_taken_out() -> None:
    text = (
        "Smaller11\n\\NewEnvironSmaller08\nLargeSymbols’164\nReeds††thanks: Paid by a lake.\nAda Boll ***ada@lake.example ,\n"
        "{ada,bo}@reeds.example.org\n0000-0001-9528-1826\nEmail address:bo@u.example.org\nIn 2011 it was @ 5 and Q11 of 20."
    )
    assert paper(text, SUMMARY) == "Reeds\nAda Boll \n\n\n\nIn 2011 it was @ 5 and Q11 of 20."
