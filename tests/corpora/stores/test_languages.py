"""Sentences by the rules of a language: nothing lost, abbreviations and ordinals kept, one clear line for what is not known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.stores.sentences.split import splitter
from corpora.stores.sentences.store import CorpusParams
from generators.inputs import KINDS
from haymaker.core.errors import ParamsError
from tests.errors import refused

NASTY = st.lists(
    st.one_of(
        st.sampled_from("„“”«»»‘’\"'()[] .!?…;:,。！？；、“”「」（） zBdDrÄöß13.9\u00a0\u200b\u0301😀👩\u200d漢中।۔؟\n\r\t"),
        st.sampled_from(["z. B. ", "Dr. ", "3. Oktober ", "usw. ", "他说：“", "……", "。”"]),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=60,
).map("".join)  # fmt: skip


def pieces(language: str, text: str, *short: str) -> list[str]:
    return [text[a:b].strip() for a, b in splitter(language, short)(text)]


@pytest.mark.parametrize("language", ["de", "zh", "ar", "hi"])
@given(text=NASTY)
def test_no_character_is_lost(language: str, text: str) -> None:
    spans = list(splitter(language)(text))
    assert "".join(text[a:b] for a, b in spans) == text or not text.strip()
    assert all(text[a:b].strip() for a, b in spans)


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("de", ["Wir trafen Dr. Meyer, z. B. am 3. Oktober, im Hof.", "Danach ging er."]),
        ("de", ["Im 19. Jahrhundert geschah es.", "Er war der 4. Mann."]),
        ("de", ["Er sagte: „Komm mit! Es ist spät.“", "Dann ging er."]),
        ("de", ["Der Betrag von 3.000,50 Euro kam um 8.30 Uhr.", "Ist das so?"]),
        ("zh", ["他说：“今天很好。我们去公园吧！”", "然后走了。", "你好吗？", "结束……好。"]),
        ("zh", ["“你好。”", "他说。", "《书》。", "真的？！", "是。"]),
        ("fr", ["M. Dupont est là.", "Il dit « Bonjour. »", "Puis il part."]),
    ],
)
def test_sentences_of_a_language(language: str, sentences: list[str]) -> None:
    between = "" if language == "zh" else " "
    assert pieces(language, between.join(sentences)) == sentences


def test_abbreviations_of_ones_own() -> None:
    text = "Die Ausf. Vorschrift gilt. Die (Ausf. Nr. 2) auch."
    assert pieces("de", text)[0] == "Die Ausf."
    assert pieces("de", text, "Ausf.") == ["Die Ausf. Vorschrift gilt.", "Die (Ausf. Nr. 2) auch."]


def test_a_corpus_has_the_splitter_of_its_language_unless_it_names_one() -> None:
    def split_by(**given: object) -> str:
        return CorpusParams.model_validate({"source": "texts", **given}).clean.splitter

    assert [split_by(language=code) for code in ("en", "en-GB", "de", "de_AT", "zh-Hans")] == [
        "punkt", "punkt", "de", "de", "zh",
    ]  # fmt: skip
    assert split_by() == "punkt"
    assert split_by(language="de", clean={"splitter": "punkt"}) == "punkt"
    assert split_by(language="bar", clean={"splitter": "de", "headings": False}) == "de"
    kept = CorpusParams.model_validate({"source": "texts", "language": "de", "clean": {"headings": False}}).clean
    assert (kept.headings, kept.splitter) == (False, "de")


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"language": "tlh"}, ("corpora.own: clean", "'tlh'")),
        ({"clean": {"splitter": "punt"}}, ("corpora.own: clean.splitter", "language")),
    ],
)  # fmt: skip
def test_what_is_not_known_is_one_line(given: dict[str, object], line: tuple[object, ...]) -> None:
    with refused(ParamsError, *line):
        KINDS["corpora"].parse({"source": "texts", **given}, "own")
