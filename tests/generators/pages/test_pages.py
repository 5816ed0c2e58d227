"""passage_count and passage_retrieval: rows that are exact, nested, evenly spread, and answered by nothing but reading."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.stores.passages.store import Passages
from corpora.tokenizers import tokenizer
from generators.longbench.suite import SUITE
from generators.marathon.suite import SUITE as MARATHON
from generators.pages import checks, oracle
from generators.pages import stock as page_stock
from generators.pages.stock import Stock, Wanted
from generators.pages.summaries import Asked, quotation
from generators.pages.words import Words, alike
from generators.spec import Table
from generators.suite import ReleaseSuite, Suite
from haymaker.core.errors import HaymakerError, ParamsError
from haymaker.core.rng import Stream
from haymaker.core.text.strings import padded
from tests.extras import Once
from tests.generators.kit import finished, in_order, refused
from tests.generators.pages import small

COUNT, FIND, EXTRACT = "passage_count", "passage_retrieval_en", "passage_retrieval_extractive"
TWO = ("tekken", "gpt2")
CHOOSE = "passage_retrieval"  # of Marathon: a letter for one of four
KINDS = {COUNT: (COUNT, SUITE), EXTRACT: (EXTRACT, SUITE), CHOOSE: (EXTRACT, MARATHON)}
LENGTHS = ("4k", "16k", "64k")
RANGES = {"0-4k": (1000, 4000), "4-8k": (4000, 8000), "8k+": (8000, 12100)}


@pytest.fixture(scope="module")
def summarised(once: Once) -> Path:
    """50 passages, of which four are summed up; the fourth is nearly the third."""
    texts = ["What the fourth page says,\nin short", "Of the ninth", "Sixth", "Seventh"]
    return once("summaries", lambda folder: small.summarised(folder / "data", texts)) / "data"


# ------------------------------------------------------------------------------------------------------------- stock


def stock(folder: Path, *given: str, first: tuple[int, ...] = (), **wanted: Any) -> Stock:
    """A stock of passages with these texts."""
    passages = [small.passage(number, text=text) for number, text in enumerate(given)]
    store = Passages(small.data(folder / "data", passages) / "corpora" / small.CORPUS)
    rules = Wanted("test", (("test", 1),), wanted.get("min_words", 8), first)
    return Stock(store, rules, Stream("x"), [tokenizer.load("tekken")])


TEN = "one two three four five six seven eight nine ten"
OTHER = "red green blue white black brown pink grey gold silver"
LONG = " ".join(f"w{number}" for number in range(40))


def test_passages_that_are_short_or_alike_are_left_out_and_counted(tmp_path: Path) -> None:
    near = f"{' '.join(LONG.split()[:28])} and then twelve words that nobody else of them all has said"
    far = f"{' '.join(LONG.split()[:9])} but of what comes behind these words none at all was heard before today in any of them"
    made = stock(tmp_path, TEN, "too few of them", OTHER, TEN.upper() + "!", f"Before. {OTHER} behind", LONG, near, far)
    assert made.ids.tolist() == ["p0-0", "p2-0", "p5-0", "p7-0"]
    assert made.left_out == {"too short": 1, "like another": 3}
    assert made.sizes.tolist() == [10, 10, 40, 27]
    assert made.pieces.texts[0] == f" {TEN}\n\nParagraph"


def test_what_must_be_there_comes_first_and_what_is_like_it_goes(tmp_path: Path) -> None:
    made = stock(tmp_path, TEN, OTHER, f"{TEN} eleven", "short", f"{OTHER} and", first=(3, 2, 4), min_words=5)
    assert made.ids.tolist() == ["p3-0", "p2-0", "p4-0"]
    assert made.alike == {0}, "four words say nothing of their own"
    assert stock(tmp_path / "b", TEN, LONG, TEN + " x", first=(0, 2)).alike == {1}


def test_splits_share_no_article(corpus: Path) -> None:
    counting = small.task(corpus, COUNT)
    found = {
        split: set(counting.stock(counting.pool(split).candidate(0)).ids.tolist()) for split in ("test", "dev", "train")
    }
    assert [len(found[split]) for split in ("test", "dev", "train")] == [545, 91, 174]
    assert not any(found[a] & found[b] for a, b in (("test", "dev"), ("test", "train"), ("dev", "train")))
    assert sum(map(len, found.values())) == 810, "all but the tenth that has too few words"


def test_a_phrase_of_the_corpus_makes_nothing_alike() -> None:
    phrase = "it is a village in the north of the country"
    said = [f"{phrase} {' '.join(f'w{i}x{j}' for j in range(22))}" for i in range(80)]
    assert not alike(Words.of(said)).any(), "80 texts share it: it counts as nobody's"
    assert alike(Words.of(said[:3])).tolist() == [False, False, False], "a fifth of their runs"
    assert alike(Words.of([phrase] * 70)).all(), "of runs of its own none has any"


@given(st.data())
def test_a_text_within_another_is_always_found(data: st.DataObject) -> None:
    names = st.lists(st.sampled_from([f"w{i}" for i in range(400)]), min_size=8, max_size=40)
    others = data.draw(st.lists(names, min_size=1, max_size=6))
    whole = data.draw(st.sampled_from(others))
    around = data.draw(names)
    at = data.draw(st.integers(0, len(around)))
    inside = [*around[:at], *whole, *around[at:]]
    short = whole[: max(8, len(whole) - 3)]
    assert alike(Words.of([*map(" ".join, others), " ".join(inside)]))[-1]
    assert alike(Words.of([*map(" ".join, others), " ".join(short)]))[-1]


def test_of_a_large_corpus_samples_are_drawn(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_stock, "SAMPLE", 200)
    monkeypatch.setattr(page_stock, "PER_SAMPLE", 4)
    counting, finding = small.task(corpus, COUNT), small.task(corpus, EXTRACT)
    drawn = [set(counting.stock(counting.pool("test").candidate(number)).ids.tolist()) for number in (0, 3, 4, 8)]
    assert drawn[0] == drawn[1] and len({frozenset(each) for each in drawn}) == 3
    assert all(100 < len(each) < 140 for each in drawn)
    assert finding.pool("test").count is None and counting.pool("test").count is None
    golds = [finding.question(finding.pool("test").candidate(number)) for number in range(8)]
    assert len(set(golds)) == 8
    skipped = finding.pool("test").candidate(5 + (1 << 96))
    assert set(finding.stock(skipped).ids.tolist()) == drawn[2], "what takes its place is of the same sample"
    assert finding.question(skipped) not in golds
    assert finding.rejection_reason(finding.pool("test").candidate(5 + (60 << 96))), "a sample ends"


# ----------------------------------------------------------------------------------------------------------- counting


def test_first_and_last_row_are_these(corpus: Path) -> None:
    made = small.task(corpus, COUNT)
    first, last = small.row(made, "natural", 0), small.row(made, "natural", 199)
    assert first["prompt"].startswith(
        "Below are many numbered paragraphs. Some of them are exact copies of others. Count the different paragraphs: "
        "a paragraph and all its copies count as one.\n\nParagraph 1: Tupe zuce xidi ceki fogu tupe"
    )
    assert first["prompt"].endswith("in digits and nothing else.\nNumber of different paragraphs:")
    columns = ("id", "num_segments", "answers", "use_chat_template", "max_new_tokens", "stop", "question")
    named = "longbench-passage_count-natural-passage_count-test-00"
    assert [first[each] for each in columns] == [f"{named}000", 37, ["16"], True, 32, None, ""]
    assert [last[each] for each in columns] == [f"{named}199", 29, ["12"], True, 32, None, ""]


def test_natural_rows_are_drawn_as_the_reference_draws_and_counted_as_they_are(corpus: Path) -> None:
    """Defect 19: of N different passages M draws with replacement need not meet all."""
    made = small.task(corpus, COUNT)
    known = []
    for number in range(400):
        order = made.natural_order(made.pool("test").candidate(number))
        known.append((len(order), len(set(order.tolist()))))
        draws = made.stream(COUNT, "test", number, "natural")
        drawn = draws.between(17, 50), draws.between(2, known[-1][0])
        assert drawn[0] == known[-1][0] and known[-1][1] <= drawn[1]
    sizes = Counter(m for m, _ in known)
    assert set(sizes) == set(range(17, 51)) and max(sizes.values()) < 25
    assert {n for _, n in known} >= set(range(2, 29))
    assert made.answered(made.pool("test").candidate(0), np.array([5, 3, 5, 5]), 0)["answers"] == ["2"]


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_every_length_are_verified_and_ranges_are_kept(corpus: Path, kind: str) -> None:
    name, suite = KINDS[kind]
    made = small.task(corpus, name, TWO, suite)
    for length in ("natural", *RANGES, "4k", "16k"):
        for row in small.rows(made, length, 2):
            small.prove(made, row, TWO)
            first, last = RANGES.get(length, (0, 10**6))
            assert first <= json.loads(row["metadata"]).get("length", 0) < last


@pytest.mark.parametrize("kind", KINDS)
def test_a_longer_row_holds_the_shorter_one_in_order(corpus: Path, kind: str) -> None:
    name, suite = KINDS[kind]
    made = small.task(corpus, name, of=suite)
    for number in (0, 3):
        rows = [small.row(made, length, number) for length in LENGTHS]
        assert len({(row["group_id"], row["question"], row["depth_index"]) for row in rows}) == 1
        assert kind != CHOOSE or len({row["answers"][0] for row in rows}) == 1
        marked = [{(s["ref"], s["kind"]) for s in row["spans"] if s["kind"] in ("gold", "distractor")} for row in rows]
        assert kind == EXTRACT or marked[0] == marked[1] == marked[2]
        for short, long in pairwise(rows):
            assert in_order(made.background(short), made.background(long))
            assert long["num_segments"] > 3 * short["num_segments"]
            assert json.loads(long["metadata"])["answer_depends_on_length"] is True


def test_the_share_of_different_ones_is_the_groups_own_at_every_length(corpus: Path) -> None:
    made = small.task(corpus, COUNT)
    shares = []
    for number in range(8):
        medium, long = (small.row(made, length, number) for length in ("16k", "64k"))
        shares.append([row["num_unique_segments"] / row["num_segments"] for row in (medium, long)])
        assert shares[-1][0] == pytest.approx(shares[-1][1], abs=0.13)
    assert min(share for _, share in shares) < 0.4 and max(share for _, share in shares) > 0.75


def test_nothing_but_counting_gives_the_answer(corpus: Path) -> None:
    """Rule 8: how many there are, one number for all, a fixed share of how many there are, the last thousand tokens."""
    made = small.task(corpus, COUNT)
    limits = {"natural": (0.12, 0.16, 0.18), "16k": (0.08, 0.08, 0.0)}
    for length, (commonest, share, last) in limits.items():
        found = made.measures(small.rows(made, length, 120))["shortcuts"]
        assert found["number_of_paragraphs"] == 0
        assert 0 < found["commonest_answer"] <= commonest
        assert found["best_share_of_paragraphs"] <= share
        assert found["last_1k_tokens"] <= last
    assert made.measures([]) == {}


def test_few_different_ones_are_the_same_number_at_every_length(corpus: Path) -> None:
    made = small.task(corpus, COUNT, distinct=[5, 12])
    answers = [[small.row(made, length, number)["answers"][0] for length in LENGTHS[1:]] for number in range(6)]
    assert all(len(set(each)) == 1 for each in answers)
    assert {int(each[0]) for each in answers} <= set(range(5, 13)) and len({each[0] for each in answers}) > 2
    assert made.limit() is None
    small.prove(made, small.row(made, "16k", 0))
    most = small.task(corpus, COUNT, distinct=[17, 60])
    reasons = {
        most.rejection_reason_at(small.table(COUNT, "4k"), most.pool("test").candidate(number)) for number in range(12)
    }
    assert reasons > {"nothing to tell apart: one paragraph, or no copy"}


# ------------------------------------------------------------------------------------------------------------ finding


def test_depths_are_even_at_every_length(corpus: Path) -> None:
    made = small.task(corpus, EXTRACT)
    shallow, deep = (small.rows(made, length, 60) for length in ("natural", "16k"))
    assert [row["depth_index"] for row in shallow] == [row["depth_index"] for row in deep]
    for found in (shallow, deep):
        assert set(Counter(min(9, int(row["depth"] * 10)) for row in found).values()) <= {4, 5, 6, 7, 8}
        assert {row["num_segments"] for row in found} == {30} or found is deep
    assert Counter(row["answers"][0] for row in shallow).most_common(1)[0][1] <= 3, "of 30 places each about twice"


def test_sentences_are_whole_short_and_in_one_paragraph(corpus: Path) -> None:
    made = small.task(corpus, EXTRACT)
    for row in small.rows(made, "16k", 4):
        (gold,) = [span for span in row["spans"] if span["kind"] == "gold"]
        text, parts = row["prompt"][gold["start"] : gold["end"]], row["question"].split(" [...] ")
        assert 8 <= len(row["question"].replace("[...] ", "").split()) <= 40
        assert all(part in text and part[0].isupper() and part[-1] == "." for part in parts)
        assert [text.index(part) for part in parts] == sorted(text.index(part) for part in parts)
        said = row["prompt"][: row["context_start"]]
        assert "from one of them: a sentence, or several sentences in order with [...] between them." in said
        assert " out " not in f" {said} ", "they stand in it still, and two may be neighbours"
        columns = (row["variant"], row["question_gold_overlap"], row["num_distractors"])
        assert columns == ("extractive", 1.0, row["num_segments"] - 1)
        assert json.loads(row["metadata"])["bm25_rank"] == 0
    assert made.measures(small.rows(made, "natural", 5))["shortcuts"]["bm25_first"] == 1.0


def test_the_writer_takes_the_rarest_whole_sentences() -> None:
    rare, plain = "Zinc and tin came over the pass in spring.", "The man and the boy went to the town."
    half, long = "and this one has lost its first half already.", "This " + "very " * 40 + "long one."
    frequency = {**dict.fromkeys(plain.lower().strip(".").split(), 900), "and": 900}
    assert quotation(f"{half} {plain} {long} {rare} Too short.", 1000, frequency) == f"{plain} [...] {rare}"
    filler = "Nothing at all could be seen from up there that day in the rain by any of the nine people who had come."
    found = quotation(f"{plain} {filler} {rare}", 1000, frequency)
    assert found == f"{filler} [...] {rare}", "40 words hold no third"
    further = f"And then {filler[0].lower()}{filler[1:]}"
    found = quotation(f"{filler} {plain} {further}", 1000, dict.fromkeys(plain.lower().strip(".").split(), 900))
    assert found == f"{filler} [...] {further}", "two, even if they have more than 40 words"
    assert quotation(f"{half} {long}", 1000, frequency) == ""


@pytest.mark.parametrize(
    "piece",
    [
        'Another sequel was released in 1979, titled "Fist of Fury III" (a.k.a.',
        "Komnenos was a prominent leader on land and sea in the reign of Alexios (r.",
        "1081 – 1118), especially in the campaigns against Tzachas of Smyrna by sea.",
        'The film begins with various long shots of the audience chanting "Dusty!',
        "The school stood on the hill above the old harbour since about ca.",
        "They came from the long road [as it was said in the old days.",
        "He wrote “the book of all the hills and mills and rivers.",
    ],
)
def test_a_piece_of_a_sentence_is_not_asked(piece: str) -> None:
    whole = 'The so-called "red mill" (built in 1870) stood by the river until [the] flood of May.'
    assert (quotation(piece, 1000, {}), quotation(whole, 1000, {})) == ("", whole)


def test_another_paragraph_with_the_same_sentences_is_refused(tmp_path: Path) -> None:
    said = small.sentence(Stream("shared"), 9, 9)
    pages = [small.passage(n, text=f"{said} {small.passage(n, 5).text}") for n in range(2)]
    others = [small.passage(n, text=small.passage(n, 5).text.replace(".", ";")) for n in range(2, 60)]
    made = small.task(small.data(tmp_path / "d", [*pages, *others]), EXTRACT, splits={"test": 1})
    candidates = [made.pool("test").candidate(n) for n in range(60)]
    fit = [c for c in candidates if not made.rejection_reason(c)]
    asked = made.asked(fit[0])
    made.asked = lambda candidate: Asked(replace(asked.question, text=said), [0], [])  # type: ignore[method-assign]
    stock = made.stock(fit[0])
    both = np.array([stock.ids.tolist().index(f"p{n}-0") for n in range(2)])
    assert len(fit) == 2
    assert made.wrong(fit[0], both, natural=True) == "another paragraph has the same sentences"
    assert made.wrong(fit[0], both[:1], natural=True) == ""


@pytest.mark.parametrize(("name", "suite", "count"), [(FIND, SUITE, 3), (CHOOSE, MARATHON, 12)])
def test_summaries_of_a_source_are_asked_as_they_are(summarised: Path, name: str, suite: Suite, count: int) -> None:
    more = {"summaries": small.SUMMARIES, "set": "user", "splits": {"test": 1}, "natural_passages": 20}
    made = small.task(summarised, name, of=suite, **more)
    assert made.pool("test").count == 4 and made.pool("train").count == 0
    every = [made.pool("test").candidate(number) for number in range(4)]
    refused = [made.rejection_reason(each) for each in every]
    assert Counter(refused) == {"": 3, "its paragraph is much like that of another summary": 1}
    rows = small.rows(made, "natural", count)
    questions = {row["question"] for row in rows}
    assert len(questions) == 3 and questions > {"What the fourth page says, in short", "Of the ninth"}
    for row in rows:
        small.prove(made, row)
        assert (row["num_segments"], row["variant"]) == (20, None)
        assert f"\n\nSummary: {row['question']}\n\n" in row["prompt"]
        golds = [span["ref"] for span in row["spans"] if span["kind"] == "gold"]
        assert row["question"] != "Of the ninth" or golds == ["p8-0"]
        assert len({span["ref"] for span in row["spans"]} & {"p6-0", "p7-0"}) <= 1
    shown = [{*made.stock(each).ids[[*made.entries(each, 1000), *made.placed(each).entries]]} for each in every if not made.rejection_reason(each)]  # fmt: skip
    assert all(len(ids & {"p6-0", "p7-0"}) == 1 < len(ids) for ids in shown), "what is like a gold is in no row"


# ------------------------------------------------------------------------------------------------- mistakes and injuries


def unselected(built: ReleaseSuite, table: Table) -> str:
    """Expect that a table is refused in one line that says what to do next; return the line."""
    line = refused(HaymakerError, built.select, table)
    assert "Next:" in line
    return line


def test_a_corpus_of_a_few_passages(tmp_path: Path) -> None:
    folder = small.data(tmp_path / "d", [small.passage(n) for n in range(12)])
    entry = {"splits": {"test": 1}, "lengths": {"natural": 2, "0-4k": 2, "4k": 2}}
    built = small.suite(folder, dict.fromkeys((COUNT, EXTRACT), entry))
    tables = {(at.task, at.length): at for at in built.tables()}
    for key, said in {
        (COUNT, "natural"): "split test of 'pages' has 12 passages, but natural rows need 50",
        (EXTRACT, "natural"): "has 12 passages, but natural rows need 30",
        (EXTRACT, "0-4k"): "its passages end before the length is full: 12",
        (COUNT, "4k"): "end at about 1,",
    }.items():
        assert said in unselected(built, tables[key])
    made = built.task(COUNT)
    candidate = made.pool("test").candidate(0)
    assert made.rejection_reason_at(tables[COUNT, "natural"], candidate), "training streams do not select"
    for wrong, said in (({"min_words": 500}, "has 500 words"), ({"splits": {"train": 1}}, "no passage of split test")):
        empty = small.suite(folder, {COUNT: {"lengths": {"4k": 1}, **wrong}})
        assert said in unselected(empty, empty.tables()[0])


def test_a_summary_of_a_passage_that_is_not_there(tmp_path: Path) -> None:
    folder = small.data(tmp_path / "d", [small.passage(n) for n in range(5)], [("Of one", "p98"), ("Of none", "p99")])
    built = small.suite(folder, {FIND: {"summaries": small.SUMMARIES, "set": "user", "lengths": {"natural": 1}}})
    line = unselected(built, built.tables()[0])
    assert "summary 's0' belongs to passage 'p98', which is not in corpus 'pages'" in line
    assert line.startswith("suites.longbench.tasks.passage_retrieval_en.summaries: ")
    folder = small.data(
        tmp_path / "e", [small.passage(n) for n in range(5)], [("Of the first", "p0"), ("Of none", "p99")]
    )
    pool = small.task(folder, FIND, summaries=small.SUMMARIES, set="user").pool("test")
    assert (pool.count, pool.left_out) == (1, {"its passage was left out of the corpus": 1})


@pytest.mark.parametrize(
    ("name", "entry", "said"),
    [
        (COUNT, {"natural_passages": [50, 17]}, "write the smaller number first"),
        (COUNT, {"share": [0.0, 0.5]}, "share must be between 0.05 and 0.95"),
        (COUNT, {"distinct": [1, 5]}, "distinct must be between 2 and 10000"),
        (COUNT, {"distinct": [18, 30]}, "the first number of distinct must not be above the first number of natural_passages"),
        (COUNT, {"splits": {"test": 0}}, "the shares in `splits` add up to 0"),
        (COUNT, {"min_words": 3}, "greater than or equal to 8"),
        (FIND, {}, "key 'summaries' is missing"),
        (EXTRACT, {"summaries": "notes"}, "this task has no key 'summaries'"),
        (EXTRACT, {"natural_passages": 1}, "greater than or equal to 2"),
        (CHOOSE, {"rotations": 2}, r"tasks.passage_retrieval_extractive: rotations.* 1 or 4"),
        (CHOOSE, {"natural_passages": 3}, "tasks.passage_retrieval_extractive: natural_passages.* 4"),
    ],
)  # fmt: skip
def test_mistakes_in_parameters(corpus: Path, name: str, entry: dict[str, Any], said: str) -> None:
    with pytest.raises(ParamsError, match=said.replace("(", r"\(").replace("?", r"\?")):
        named, suite = KINDS.get(name, (name, SUITE))
        small.suite(corpus, {named: {"lengths": {"4k": 4}, **entry}}, of=suite)


def test_damaged_rows_are_caught(corpus: Path) -> None:
    counting, finding = small.task(corpus, COUNT), small.task(corpus, EXTRACT)
    row, found = small.row(counting, "4k", 0), small.row(finding, "4k", 0)

    def problems(task: Any, row: dict[str, Any], **changes: Any) -> str:
        return "; ".join(task.problems({**row, **changes}))

    assert problems(counting, row) == problems(finding, found) == ""
    assert "different paragraphs of" in problems(counting, row, answers=["3"])
    assert "the row has" in problems(counting, row, num_unique_segments=3)
    assert "doc_ids" in problems(counting, row, doc_ids=row["doc_ids"][::-1])
    assert "not its units" in problems(counting, row, prompt=row["prompt"].replace("Paragraph 7:", "Paragraph 8:"))
    labels = [{**span, "label": "1"} if span["label"] else span for span in row["spans"]]
    assert "label" in problems(counting, row, spans=labels)
    one = row["spans"][1]
    other = row["prompt"][: one["start"]] + "X" + row["prompt"][one["start"] + 1 :]
    assert "differs from the prepared input" in problems(counting, row, prompt=other)
    renamed = [row["spans"][0], {**one, "ref": "p9999-0"}, *row["spans"][2:]]
    assert "'p9999-0' is not in the prepared input" in problems(counting, row, spans=renamed)
    assert "the row has" in problems(finding, found, depth=found["depth"] + 0.1)
    wrong = "Paragraph 1" if found["answers"] != ["Paragraph 1"] else "Paragraph 2"
    assert f"the answer {wrong}" in problems(finding, found, answers=[wrong])
    unmarked = [{**span, "kind": "passage"} if span["kind"] == "gold" else span for span in found["spans"]]
    assert "not one gold" in problems(finding, found, spans=unmarked)


def test_paragraphs_within_others_are_caught_by_a_rule_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were the builder blind, the verification would still see."""
    monkeypatch.setattr(page_stock, "alike", lambda said: np.zeros(len(said), dtype=bool))
    base = [small.passage(n) for n in range(20)]
    inside = [small.passage(20 + n, text=f"Behold. {base[n].text} So.") for n in range(20)]
    turned = [small.passage(40 + n, text=" ".join(base[n].text.split()[::-1])) for n in range(20)]
    folder = small.data(tmp_path / "d", [*base, *inside, *turned])
    made = small.task(folder, COUNT, splits={"test": 1}, natural_passages=[60, 60])
    row = max(small.rows(made, "natural", 8), key=lambda row: row["num_unique_segments"])
    said = "; ".join(made.problems(row))
    assert "a paragraph is contained in another" in said and "two paragraphs have the same words" in said


WORDS = "one two Three étage e\u0301tage ＦＯＵＲ four 字 ß a. b-c _ 5,6 猫 吃 鱼 豈 \uf900 \U0002f800 丽 Ａ b かﾞ 😀 𠮷 ，".split()


@given(data=st.data())
def test_the_quick_rule_finds_what_comparing_all_paragraphs_finds(data: st.DataObject) -> None:
    drawn = st.lists(st.sampled_from(WORDS), min_size=6, max_size=24).map(" ".join)
    first = data.draw(st.sampled_from(["the first paragraph of all", "这是所有段落中的第一个段落，很长很长"]))
    texts = data.draw(st.lists(drawn, min_size=1, max_size=4))
    texts += [f"so {texts[0]} then", " ".join(texts[0].split()[::-1]), texts[0].upper()]
    texts += [f"{first} {normalize('NFC', text)}" for text in texts[:1]]  # compatibility forms are read as others
    texts = list(dict.fromkeys(f"{first} {text}" if data.draw(st.booleans()) else text for text in texts))
    starts = np.cumsum([0, *(len(text) + 1 for text in texts)]).tolist()
    spans = [{"start": at, "end": at + len(text), "kind": "passage"} for at, text in zip(starts, texts, strict=False)]
    said = [padded(text) for text in texts]
    same = sum(any(sorted(a.split()) == sorted(b.split()) for b in said[:n]) for n, a in enumerate(said))
    inside = any(a in b for n, a in enumerate(said) for m, b in enumerate(said) if n != m)
    found = list(checks.within({"prompt": " ".join(texts), "spans": spans}))
    assert sum("same words" in each for each in found) == same
    assert not inside or any("is contained in" in each for each in found) or min(map(len, said)) < 17
    assert inside or not any("is contained in" in each for each in found)


def test_the_oracle_reads_the_prompt_alone() -> None:
    page = "Text.\n\nParagraph 1: a b.\n\nParagraph 2: c d. e f.\n\nParagraph 3: a b."
    assert oracle.count(f"{page}\n\nHow many?") == ["2"]
    assert oracle.find(f"{page}\n\nQuotation: c d. [...] e f.\n\nAnswer:") == ["Paragraph 2"]
    listed = f"{page}\n\nQuotation: c d.\n\nWhich?\nA. Paragraph 3\nB. Paragraph 2\n\nSay so.\nAnswer:"
    assert oracle.choose(listed) == ['{"option": "B"}', "B", "B. Paragraph 2"]
    for old, new in (("B. Paragraph 2", "B. Paragraph 1"), ("A. Paragraph 3", "A. Paragraph 2")):
        with pytest.raises(ValueError, match="options name Paragraph 2"):
            oracle.choose(listed.replace(old, new))
    asked = "\n\nQuotation: {}\n".format
    for wrong in (page.replace("3:", "4:"), "nothing", f"{page}\n\nAnswer:", page + asked("a b."), page + asked("x.")):
        with pytest.raises(ValueError, match=r"numbered|no quotation|paragraphs contain"):
            oracle.find(wrong)


def test_training_rows_come_without_end_and_from_train_alone(corpus: Path) -> None:
    built = small.suite(corpus, {COUNT: {"lengths": {"4k": 1}}, EXTRACT: {"lengths": {"4k": 1}}})
    made = small.task(corpus, COUNT)
    train = set(made.stock(made.pool("train").candidate(0)).ids.tolist())
    for name in (COUNT, EXTRACT):
        rows = finished(built.draw(name, "4k", 5, n, n) for n in range(4))
        assert len({row["prompt"] for row in rows}) == 4
        assert set().union(*(row["doc_ids"] for row in rows)) <= train


# --------------------------------------------------------------------------------------------------------- real passages


@pytest.mark.real
@pytest.mark.slow
def test_rows_of_real_passages(mirror: Path, tmp_path: Path) -> None:
    small.real(mirror, tmp_path, "wikipedia_mirror", "web")
    counting, finding = small.task(tmp_path, COUNT), small.task(tmp_path, EXTRACT)
    made = counting.stock(counting.pool("test").candidate(0))
    assert (len(made), made.left_out) == (14_698, {"too short": 6_112, "like another": 259})
    for length in ("natural", "16k", "128k"):
        for task in (counting, finding):
            for row in small.rows(task, length, 5):
                small.prove(task, row)
    assert finding.measures(small.rows(finding, "natural", 50))["shortcuts"]["bm25_first"] >= 0.95
    found = counting.measures(small.rows(counting, "natural", 50))["shortcuts"]
    assert found["number_of_paragraphs"] == 0 and found["commonest_answer"] <= 0.15


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "suite", "kind"),
    [
        (CHOOSE, MARATHON, "longbench_paragraphs_mirror"),
        ("passage_retrieval_zh", SUITE, "longbench_paragraphs_zh_mirror"),
    ],
)
def test_the_released_summaries(mirror: Path, tmp_path: Path, name: str, suite: Suite, kind: str) -> None:
    """15 summaries over 512 paragraphs, and 199 over 1,886 in Chinese: words find nearly all, the end of a context few."""
    entry = {"summaries": small.SUMMARIES, "splits": {"test": 100}, "lengths": {"4k": 4}}
    data = small.real(mirror, tmp_path, kind)
    made: Any = small.suite(data, {name: entry}, of=suite, notes={"kind": kind}).task(name)
    for length, count in (("natural", 60), ("16k", 48), ("64k", 12)):
        rows = small.rows(made, length, count)
        for row in rows[::7]:
            small.prove(made, row)
        found = made.measures(rows)["shortcuts"]
        assert found["bm25_first"] >= 0.8 and found["last_1k_tokens"] <= 0.3
