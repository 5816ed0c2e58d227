"""Documents of the archive: fixed bytes, clean text, every answer in its evidence and nowhere else, evidence everywhere.

The solvers here read the finished text alone, all but one with none of the archive's word lists.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from itertools import chain

import pytest

from corpora.stores.sentences.split import splitter
from generators.documents.prompts import reference
from haymaker.core.rng import Stream
from haymaker.core.rows.source_records import DocumentQuestion
from tests.worlds.chronicle_prompts import work as chronicle
from worlds.archive import stories
from worlds.archive.answers import forms, key_point, verb_forms
from worlds.archive.files import write_document
from worlds.archive.model import Work
from worlds.archive.questions import questions
from worlds.archive.wording import data

WORDS = 12_000
GOLDEN = "49d70f5d3890555b7b5ceec51843bcfba488ac1fff68eb3cc6931475c5fe91eb"


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9][a-z0-9-]+", text.lower()))


COMMON = words(
    "who what where when why how did the a of to in at by for was were is it that with and from many much which about had on over its mr mrs miss"
)


@cache
def works() -> tuple[Work, ...]:
    return tuple(write_document(5, "stories", index, WORDS) for index in range(4))


@cache
def sentences(text: str) -> tuple[str, ...]:
    """As the background store would cut it: paragraphs, then Punkt."""
    split = splitter("punkt")
    return tuple(block[a:b] for block in text.split("\n\n") for a, b in split(block))


def holds(text: str, answer: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", text, re.IGNORECASE) is not None


def test_same_arguments_give_the_same_bytes() -> None:
    work = write_document(1, "stories", 0, 8_000)
    assert work == write_document(1, "stories", 0, 8_000)
    raw = json.dumps(asdict(work), ensure_ascii=False).encode()
    assert hashlib.sha256(raw).hexdigest() == GOLDEN, "bytes changed: raise ARCHIVE_VERSION"


def test_answers_are_accepted_in_the_form_that_the_question_asks_for() -> None:
    """Infinitive, gerund and past of an act; the surname where one person alone has it; digits."""
    assert verb_forms("kept no dog in the house", "keep no dog in the house")[:3] == (
        "kept no dog in the house", "to keep no dog in the house", "keep no dog in the house",
    )  # fmt: skip
    assert verb_forms("never sold the vineyard", "never sell the vineyard")[3] == "never selling the vineyard"
    assert forms("eighty-eight guineas") == ("eighty-eight guineas", "88 guineas", "eighty-eight", "88")
    assert forms("Randolph Darcroft") == ("Randolph Darcroft", "Darcroft")
    conditions = [i.answers for work in works() for i in work.inquiries if i.sort == "condition"]
    assert conditions and all(re.match("(?:never )?to ", answers[0]) for answers in conditions)
    for work in works():
        people = [i.answers for i in work.inquiries if re.match("(Mr|Mrs|Miss) ", i.answers[0])]
        short = {answers[-1]: answers[0] for answers in people if answers[-1] in answers[0].split()}
        assert short
        for surname, name in short.items():
            assert set(re.findall(rf"(?:Mr|Mrs|Miss) {surname}\b", work.text)) == {name}


@pytest.mark.parametrize(("limit", "value"), [("_FEWEST_HERE", 24), ("_VOLUME", 5_000)])
def test_a_long_story_goes_on_in_another_volume(monkeypatch: pytest.MonkeyPatch, limit: str, value: int) -> None:
    """Scenes need somebody who is neither away nor ill; another volume brings everybody back."""
    monkeypatch.setattr(stories, limit, value)
    blocks = write_document(5, "stories", 0, 50_000).text.split("\n\n")
    volumes = [block for block in blocks if block.startswith("Volume ")]
    assert volumes
    assert volumes == [f"Volume {n}" for n in range(2, len(volumes) + 2)]


@pytest.mark.parametrize("form", ["stories", "chronicles"])
def test_text_is_clean_and_stands_in_paragraphs(form: str) -> None:
    for work in works() if form == "stories" else [chronicle(22, index) for index in range(8)]:
        blocks = work.text.split("\n\n")
        assert blocks[0] == work.title
        assert not [b for b in blocks if "\n" in b or b != b.strip() or not b or re.search(r"[.?!] [a-z0-9]", b)]
        told = [text for i in work.inquiries for text in (i.text, *i.evidence, *i.decoys)]
        everything = "\n".join((work.summary, *told, *(blocks if form == "chronicles" else ())))
        assert not re.search(r"[{}<>|*_/]|  ", work.text)
        assert everything.isascii()
        assert not re.search(r"[{}<>|*_/]", everything), "an unfilled slot"
        assert not re.search(r"  | [,.;:?!]|,[,.;:?!]|\.\.|\bthe the\b|\b[Aa] (?!on[ce])[aeio]\w", everything)


def test_evidence_survives_a_sentence_splitter_and_stands_once() -> None:
    for work in works():
        cut = Counter(sentences(work.text))
        told = {sentence for inquiry in work.inquiries for sentence in inquiry.evidence}
        assert {sentence: cut[sentence] for sentence in told} == dict.fromkeys(told, 1)
        assert all(work.text.count(sentence) == 1 for sentence in told)
        for inquiry in work.inquiries:
            assert holds(" ".join(inquiry.evidence), inquiry.answers[0]), inquiry


def names(text: str) -> set[str]:
    return set(re.findall(r"[A-Z]\w+", text[1:])) - {"Mr", "Mrs", "Miss"}


def verdict(sentence: str) -> str:
    return sentence.rpartition("; ")[2].removesuffix(".")


def is_of(sentence: str, verdicts: Iterable[str]) -> bool:
    """Whether a story says of a sentence what one of the verdicts says."""
    return any(re.fullmatch(each.replace("<", "(?:").replace(">", ")"), verdict(sentence)) for each in verdicts)


def is_account(sentence: str) -> bool:
    return is_of(sentence, chain.from_iterable(data("stories.yaml")["accounts"]))


def test_each_choice_has_one_true_account_and_three_that_are_not() -> None:
    """All four at one place, about the same people, each with an option of its own; which of them is true stands after it.

    A wrong account is wrong about everything that its place is asked for: of a stranger's name, home and trade, three wrong names
    with the right trade would make nothing of the question of the trade.
    """
    trues, falses = zip(*data("stories.yaml")["accounts"], strict=True)
    seen = set[str]()
    for work in works():
        assert sum(bool(inquiry.decoys) for inquiry in work.inquiries) >= 15
        for inquiry in work.inquiries:
            block = next(block for block in work.text.split("\n\n") if inquiry.evidence[-1] in block)
            accounts = [s for s in sentences(block) if is_account(s)]
            if inquiry.evidence[-1] in accounts and holds(inquiry.evidence[-1], inquiry.answers[0]):
                seen.add(inquiry.sort)
                others = [s for s in accounts if s != inquiry.evidence[-1]]
                assert len(others) == 3 and not [s for s in others if holds(s, inquiry.answers[0])], inquiry
            if inquiry.decoys:
                assert len(set(map(verdict, accounts))) == len(accounts) == 4 and inquiry.evidence[-1] in accounts
                for value in (inquiry.answers[0], *inquiry.decoys):
                    with_it = [s for s in accounts if holds(s, value)]
                    assert len(with_it) == 1 or inquiry.sort == "person", (value, accounts)
                    own = inquiry.evidence[-1] in with_it and value == inquiry.answers[0]
                    assert is_of(with_it[0] if not own else inquiry.evidence[-1], trues if own else falses)
    assert {"trade", "reason", "person"} <= seen


def test_no_scene_of_a_story_gives_an_answer() -> None:
    """Hardly a sentence beside the plot holds an answer, all names of the question and another of its words: one question in fifty."""
    given, asked_of = list[str](), 0
    for work in works()[:2]:
        asked_of += len(work.inquiries)
        told = {s for inquiry in work.inquiries for s in inquiry.evidence}
        scenes = [s for s in sentences(work.text) if s not in told and not is_account(s)]
        for inquiry in work.inquiries:
            asked = words(inquiry.text) - COMMON
            held = [s for s in scenes if any(a in s and holds(s, a) for a in inquiry.answers)]
            known = {name.lower() for name in names(inquiry.text)}
            shared = [asked & words(s) for s in held]
            given += [inquiry.text for both in shared if known <= both and len(both - known) >= (1 if known else 2)]
    assert len(given) <= asked_of / 50, given


def test_questions_of_a_document_are_all_different_and_many() -> None:
    for work in works():
        texts = [inquiry.text for inquiry in work.inquiries]
        assert len(set(texts)) == len(texts) >= 30
        made = questions(work, "d", "test", Stream(1))
        kinds = Counter(ask.kind for ask in made)
        assert kinds["qa"] >= 20
        assert kinds["choice"] >= 5
        assert kinds["summary"] == 1
        assert len({ask.question_id for ask in made}) == len(made)
        assert all(text.endswith("?") and text[0].isupper() for text in texts)


def test_a_story_of_other_length_has_the_same_plot() -> None:
    short, long = (write_document(8, "stories", 2, size) for size in (8_000, 20_000))
    for work, size in ((short, 8_000), (long, 20_000)):
        assert len(work.text.split()) == pytest.approx(size, rel=0.02)
    assert (short.inquiries, short.summary, short.key_points) == (long.inquiries, long.summary, long.key_points)


def test_terms_of_key_points_are_words_of_their_kind() -> None:
    """Verbs, adjectives and other words before a noun have no plural: kepts, crackeds, greats."""
    crime = key_point(Stream(1), "", ["{crime}"], {"crime": "kept back the widows' pensions"})
    assert crime.terms == (("kept", "widows", "widow"), ("pensions", "pension"))
    stuff = key_point(Stream(1), "", ["{stuff}"], {"stuff": "a chest of cracked granite"})
    assert stuff.terms == (("chest", "chests", "cracked"), ("granite", "granites"))


def test_a_summary_has_no_question_and_tells_of_the_main_plot_alone() -> None:
    """A gold that asks "Who picked the contractor?" is no summary; side threads are not asked for."""
    for arc in data("stories.yaml")["arcs"]:
        assert not [text for beat in arc["beats"] for text in beat["sum"] if "?" in text]
    for work in works():
        rest = work.summary
        for point in work.key_points:
            rest = rest.replace(point.sentence, "")
        assert re.fullmatch(r"The (?:story|book) is set [^.]+\.\s*", rest), rest


def test_every_claim_has_its_sentence_of_the_summary() -> None:
    """A beginning is summarized by the sentences of its claims: claims alone are half as long ("10 to 30 words" for 60,000 characters)."""
    for story in works():
        assert all(point.sentence and point.sentence in story.summary for point in story.key_points)
        firsts = story.key_points[:3]
        asked = DocumentQuestion(
            "", "", "test", "summary", "", references=(story.summary,), key_points=story.key_points
        )
        beginning = reference(asked, 3 / len(story.key_points))
        assert beginning == " ".join(dict.fromkeys(point.sentence for point in firsts))
        assert len(beginning.split()) > len(" ".join(point.text for point in firsts).split())
        assert reference(asked, 1) == story.summary
