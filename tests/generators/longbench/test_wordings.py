"""What LongBench's instructions say of a context is true of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

import generators.longbench as longbench
from corpora.stores.passages.store import OPENER
from generators.documents.layout import MARK
from generators.documents.prompts import PromptQuestion, Wording, tail
from generators.helmet.passages import TASKS as RAG
from generators.task import prompt_texts

HOME = Path(longbench.__file__).parent
DOCUMENTS = yaml.safe_load((HOME / "documents.yaml").read_text())
ARTICLES = yaml.safe_load((HOME / "articles.yaml").read_text())


@pytest.mark.parametrize("kind", sorted(DOCUMENTS))
def test_what_opens_a_text_among_others_is_told_from_lines_of_the_texts(kind: str) -> None:
    """Scripts, papers and news have lines in brackets of their own; three stars stand before titles alone."""
    assert MARK.split() == ["***", "[{title}]"]
    told = (
        "一行三个星号，接着是方括号里的名称"
        if kind.endswith("_zh")
        else "a line of three asterisks and then its name in square brackets"
    )
    assert told in DOCUMENTS[kind]["several"]
    assert "{title}" in DOCUMENTS[kind]["request_several"]


def test_an_answer_of_a_sentence_is_not_asked_for_in_a_few_words() -> None:
    """MultiFieldQA's answers have 12 words on average in the seven released items, up to 19."""
    asked = " ".join(DOCUMENTS["field"].values())
    assert "few words" not in asked and asked.count(", briefly.") == 4


@pytest.mark.parametrize("kind", ["field", "field_zh"])
def test_the_instruction_after_one_text_does_not_choose_among_texts(kind: str) -> None:
    """A single text needs no description of which text is meant."""
    wording = Wording(**DOCUMENTS[kind])
    one, several = wording.repeated(several=False), wording.repeated(several=True)
    assert one != several and not any(word in one for word in ("that", "names", "那篇"))
    shown = PromptQuestion("Q?", "A", title="T")
    assert several in tail(wording, shown) and one in tail(wording, replace(shown, title=""))


def test_an_instruction_that_compressed_rows_copy_does_not_promise_the_answer() -> None:
    """The note after it says that the text is incomplete."""
    copied = [ARTICLES["articles"]["instruction"], *(text for each in DOCUMENTS.values() for text in each.values())]
    assert not any("can be found" in text for text in copied)


def test_documents_are_called_what_their_headers_call_them() -> None:
    assert OPENER == "Document"
    instruction = ARTICLES["articles"]["instruction"]
    assert "numbered documents" in instruction and "articles" not in instruction


@pytest.mark.parametrize("kind", sorted(kind for kind in DOCUMENTS if kind.endswith("_zh")))
def test_titles_in_chinese_words_stand_in_chinese_quotation_marks(kind: str) -> None:
    asked = " ".join(DOCUMENTS[kind].values())
    assert "“{title}”" in asked and '"' not in asked


def test_a_quotation_may_be_one_sentence_and_a_comparison_may_be_answered_by_yes_or_no() -> None:
    """About half of the quotations have one sentence and no mark of an omission."""
    pages = yaml.safe_load((HOME / "pages.yaml").read_text())
    assert "a sentence, or several sentences" in pages["extract"]["instruction"]
    wordings = {spec.name: prompt_texts(spec)[spec.wording]["instruction"] for spec in RAG if spec.category == "rag"}
    assert [name for name, text in wordings.items() if "yes or no" in text] == ["kilt_hotpotqa"]
    assert all("full name" in text for text in wordings.values())
