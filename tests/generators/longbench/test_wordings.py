"""What LongBench's instructions say of a context is true of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import yaml

import generators.longbench as longbench
from generators.documents.layout import MARK
from generators.documents.prompts import PromptQuestion, Wording, tail

DOCUMENTS = yaml.safe_load((Path(longbench.__file__).parent / "documents.yaml").read_text())


def test_what_opens_a_text_among_others_is_told_from_lines_of_the_texts() -> None:
    """Scripts, papers and news have lines in brackets of their own; three stars stand before titles alone."""
    assert MARK.split() == ["***", "[{title}]"]
    chinese = "一行三个星号，接着是方括号里的名称"
    english = "a line of three asterisks and then its name in square brackets"
    for kind, texts in DOCUMENTS.items():
        assert (chinese if kind.endswith("_zh") else english) in texts["several"]
        assert "{title}" in texts["request_several"]


def test_the_instruction_after_one_text_does_not_choose_among_texts() -> None:
    """A single text needs no description of which text is meant."""
    for kind in ("field", "field_zh"):
        wording = Wording(**DOCUMENTS[kind])
        one, several = wording.repeated(several=False), wording.repeated(several=True)
        assert one != several and not any(word in one for word in ("that", "names", "那篇"))
        shown = PromptQuestion("Q?", "A", title="T")
        assert several in tail(wording, shown) and one in tail(wording, replace(shown, title=""))


def test_titles_in_chinese_words_stand_in_chinese_quotation_marks() -> None:
    for kind in (kind for kind in DOCUMENTS if kind.endswith("_zh")):
        asked = " ".join(DOCUMENTS[kind].values())
        assert "“{title}”" in asked and '"' not in asked
