"""Rows on long documents: exact counts of finished prompts, questions that stay answerable, pairs over lengths; an oracle that
reads only the prompt; the reference's defects (docs/defects/helmet.md D6, D7, D8, D9, D23); what cannot be built is
refused in one line."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from corpora.tokenizers import tokenizer
from generators.suite import ReleaseSuite
from haymaker.core.errors import BuildError
from haymaker.core.rows.source_records import Document, DocumentQuestion
from haymaker.scoring.metrics import get
from tests.generators.documents import small
from tests.generators.kit import (
    AnyLength,
    Built,
    Injury,
    Row,
    Rows,
    assert_named,
    context,
    drawn,
    finished,
    metadata,
    note,
    put,
    refused,
    rows_of,
    said,
    sound,
    spans,
    task_rows,
)

LADDER = {"4k": 12, "8k": 12, "16k": 10, "32k": 2}
TASKS: dict[str, Any] = {
    "narrativeqa": {"documents": "books", "lengths": LADDER},
    "infbench_qa_eng": {"documents": "papers", "lengths": {"4k": 6, "8k": 6}, "cut": "beginning"},
    "infbench_choice_eng": {"documents": "books", "lengths": LADDER},
    "infbench_sum_eng": {"documents": "books", "lengths": {"8k": 3, "16k": 3}},
    "multi_lexsum": {"documents": "papers", "lengths": {"3k": {"train": 1}, "4k": 3, "8k": 3}, "shots": 1},
    "narrativeqa_among": {
        "base": "narrativeqa", "documents": "books", "distractor_documents": True, "lengths": {"4k": 8, "16k": 8, "64k": 2},
    },
    "narrativeqa_train": {"base": "narrativeqa", "documents": "books", "lengths": {"2k": {"train": 10}}},
    "choice_among": {"base": "infbench_choice_eng", "documents": "books", "distractor_documents": True, "lengths": {"16k": 6}},
    "sum_among": {"base": "infbench_sum_eng", "documents": "books", "distractor_documents": True, "lengths": {"16k": 3, "32k": 3}},
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    written = tmp_path_factory.mktemp("documents")
    small.write(written, *small.collection())
    copytree(written / "documents/books", written / "documents/papers")  # for tasks with the same kind of questions
    return written


@pytest.fixture(scope="module")
def suite(folder: Path) -> ReleaseSuite:
    return small.suite(folder, TASKS)


def test_every_check_holds_and_every_prompt_is_counted_anew(folder: Path, suite: ReleaseSuite, rows: Rows) -> None:
    findings = sound(suite, rows, small.suite(folder, TASKS))
    every = [(row["task"], row["group_id"]) for table in rows.values() for row in table]
    assert len(every) == 137 and findings.checked["NESTED"] == len(every) - len(set(every)) > 60
    assert set(findings.checked) == {
        "BUDGET", "FILL", "VERBATIM", "STRICT", "UNIQUE", "APART", "NESTED", "recounted",
    }  # fmt: skip


def test_tasks_with_the_same_questions_take_different_documents(folder: Path) -> None:
    """The mean of a suite counted them twice: 10 of 10 questions of simulated infbench_qa_eng were narrativeqa's."""
    entry = {"documents": "books", "lengths": {"4k": 4, "2k": {"train": 2}}}
    tasks = {"narrativeqa": entry, "infbench_qa_eng": entry, "again": {"base": "narrativeqa", **entry}}
    suite = small.suite(folder, tasks)
    asked = {name: suite.task(name).pool("test") for name in tasks}
    texts = {name: {each.text for each in pool.items or ()} for name, pool in asked.items()}
    assert texts["narrativeqa"] and texts["infbench_qa_eng"] and not texts["narrativeqa"] & texts["infbench_qa_eng"]
    assert texts["again"] == texts["narrativeqa"], "a variant asks the same questions"
    alone = small.suite(folder, {"narrativeqa": entry}).task("narrativeqa")
    assert {each.text for each in alone.pool("test").items or ()} == texts["narrativeqa"] | texts["infbench_qa_eng"]
    assert suite.task("narrativeqa").pool("train").count == alone.pool("train").count, "training rows enter no mean"
    assert "share" in suite.task("narrativeqa").fingerprint() and "share" not in alone.fingerprint()


def read_answer(row: Row) -> str | None:
    """Who hid it, from the prompt alone; None where the text does not say."""
    text, request = re.fullmatch(r"(?s).*<text>\n(.*)\n</text>\n\n(.*?)", row["prompt"]).groups()  # type: ignore[union-attr]
    if named := re.match(r'Question about the text "(.*?)": ', request):
        text = re.split(r"\*\*\*\n\n\[.*?\]", text.split(f"***\n\n[{named[1]}]")[1])[0]
    thing = re.search(r"Who hid the (\w+)\?", request)
    wanted = thing[1] if thing else re.search(r"The (\w+) had belonged to the miller\.", text)[1]  # type: ignore[index]
    found = re.findall(rf"It was (\w+ \w+) who hid the {wanted} that night\.", text)
    if not found:
        return None
    assert len(found) == 1
    choices = dict(re.findall(r"^([A-Z])\. (.+)$", request, re.MULTILINE))
    return next(letter for letter, choice in choices.items() if choice == found[0]) if choices else found[0]


def test_the_prompt_alone_answers_whatever_has_known_evidence(built: Built) -> None:
    for task in ("narrativeqa", "infbench_qa_eng", "infbench_choice_eng", "narrativeqa_among", "choice_among"):
        rows = task_rows(built, task)
        known = [row for row in rows if metadata(row)["evidence"] != "unknown"]
        assert len(known) > len(rows) / 2
        for row in known:
            assert read_answer(row) == row["answers"][0]


def test_evidence_is_where_the_row_says_and_as_wide(built: Built) -> None:
    """Read from the text itself: from the first sentence of the evidence to the end of the last."""
    tekken, seen = tokenizer.load("tekken"), Counter[int]()
    for row in task_rows(built, "narrativeqa"):
        noted, golds = metadata(row), spans(row, "gold")
        seen[len(golds)] += 1
        assert noted["evidence_sentences"] == len(golds)
        told = " " + row["prompt"][golds[0]["start"] : golds[-1]["end"]]
        assert noted["evidence_span"] == tekken.count(told)
    assert set(seen) == {1, 2}


# -------------------------------------------------------------------------------------------- cuts, depths and letters


def test_depths_are_spread_and_letters_balanced(built: Built) -> None:
    """A quarter of the evidence at least stands in each half of the text, at every length; the choice set has all of it known."""
    for length in ("4k", "8k", "16k"):
        depths = sorted(row["depth"] for row in task_rows(built, "infbench_choice_eng", length))
        assert 0.25 <= sum(depth < 0.5 for depth in depths) / len(depths) <= 0.75
        assert depths[0] < 0.25 and depths[-1] > 0.65
    rows = task_rows(built, "infbench_choice_eng", "4k")
    assert Counter(row["answers"][0] for row in rows) == dict.fromkeys("ABCD", 3)
    assert all(len({each[-1] for each in said(row, "fewshot")}) == 2 for row in rows), "examples give different letters"


def test_a_question_without_known_evidence_is_asked_of_whole_documents_alone(folder: Path, built: Built) -> None:
    cut = [row for row in task_rows(built, "narrativeqa") if metadata(row)["cut"] != "whole"]
    assert cut and all(metadata(row)["evidence"] != "unknown" for row in cut)
    natural = small.suite(folder, {"narrativeqa": {"documents": "books", "lengths": {"natural": 30}}})
    unknown = [row for row in rows_of(natural, natural.tables()[0]) if row["depth"] is None]
    assert {metadata(row)["cut"] for row in unknown} == {"whole"}
    short = small.suite(folder, {"narrativeqa": {"documents": "books", "lengths": {"4k": 40}}})
    with pytest.raises(BuildError, match=r"the place of its evidence is unknown: [1-9]"):
        short.select(short.tables()[0])


def _wide() -> tuple[list[Document], list[DocumentQuestion]]:
    """Documents with a third of their questions on two sentences that no short window holds."""
    documents, questions = small.collection()
    told = {question.question_id: question for question in questions}
    for doc in documents[:4]:
        for i, j in ((0, 3), (3, 0)):
            one, other = told[f"{doc.doc_id}-q{i}"], told[f"{doc.doc_id}-q{j}"]
            text, evidence = f"{one.text[:-1]}, and who else hid something?", (*one.evidence, *other.evidence)
            questions.append(replace(one, question_id=f"{doc.doc_id}-w{i}", text=text, evidence=evidence))
    return documents, questions


def test_a_longer_length_begins_with_the_questions_of_a_shorter_one(tmp_path: Path) -> None:
    """What is asked does not become harder with the length: questions on far sentences come behind those that every length asks."""
    small.write(tmp_path, *_wide())
    for embedded, lengths in ((False, {"4k": 24, "8k": 24, "16k": 24, "32k": 14}), (True, {"4k": 24, "64k": 24})):
        entry = {"documents": "books", "lengths": lengths, "distractor_documents": embedded}
        suite = small.suite(tmp_path, {"narrativeqa": entry})
        chosen = {table.length: suite.select(table) for table in suite.tables()}
        wide = {length: [each.key[-2] == "w" for each in found.candidates] for length, found in chosen.items()}
        assert not any(wide["4k"]) and any(wide[list(lengths)[-1]]), "asked where they fit"
        for shorter, longer in pairwise(chosen):
            narrow = [*wide[longer], True].index(True)  # groups of the longer length before its first on far sentences
            first = chosen[longer].candidates[:narrow]
            asked = [each for each in first if each.key not in chosen[shorter].missing]
            assert len(asked) >= 8 and asked == chosen[shorter].candidates[: len(asked)]


def test_a_summary_is_asked_for_of_what_is_shown(tmp_path: Path) -> None:
    """Around the length at which the document just fits: told to be a beginning exactly where it is one.

    Examples of a beginning are shorter than those of the whole, so at some lengths it stands whole behind the former alone: not asked.
    """
    small.write(tmp_path, *small.collection({"test": (260,), "train": (120, 130, 140)}))
    for task in ("infbench_sum_eng", "multi_lexsum"):
        suite = small.suite(tmp_path, {task: {"documents": "books", "lengths": {"16k": 1}}})
        maker, found = suite.task(task), Counter[str]()
        limit, first = suite.limit(task) or 0, maker.pool("test").candidate(0)
        for tokens in (limit // 2, *range(limit - 600, limit + 30, 9)):
            table = AnyLength("helmet", task, f"{tokens} tokens", "test", 1)
            if reason := maker.rejection_reason_at(table, first):
                found[reason.partition(",")[0]] += 1
                continue
            (row,) = finished([maker.row(table, first, 0)])
            told, noted = row["prompt"][: row["context_start"]], metadata(row)
            assert ("Below is the beginning of" in told) == (noted["cut"] == "beginning") == (noted["shown"] < 1)
            assert ("how it ends" in told or "how the case ended" in told) == (noted["cut"] == "whole")
            assert row["question"].startswith("Now write the summary, in ")
            assert list(maker.problems(row)) == []
            found[noted["cut"]] += 1
        assert found["whole"] >= 2 and found["beginning"] >= 4
        assert found["the document fits behind the words of a beginning"] >= 4


def test_other_documents_stand_around_the_one_that_the_question_names(built: Built) -> None:
    for row in (*task_rows(built, "narrativeqa_among"), *task_rows(built, "sum_among")):
        titles = re.findall(r"\*\*\*\n\n\[(.*?)\]", context(row))
        assert len(titles) == len(set(titles)) == len(row["doc_ids"]) == row["num_distractors"] + 1
        head = row["prompt"][: row["context_start"]]
        assert "texts, one after another" in head and "several" not in head, "two are not several"
        noted = metadata(row)
        assert titles.count(noted["title"]) == 1 and row["variant"] == "distractor_documents"
        assert f'"{noted["title"]}"' in row["prompt"][row["context_end"] :]
        assert noted["cut"] == ("whole" if noted["evidence"] == "unknown" else noted["cut"]) != "beginning"
    for length in ("4k", "16k"):
        depths = [row["depth"] for row in task_rows(built, "narrativeqa_among", length)]
        assert min(depths) < 0.35 and max(depths) > 0.65


def test_a_training_stream_asks_whatever_fits_with_examples_of_other_documents(tmp_path: Path) -> None:
    small.write(tmp_path, *small.collection({"test": (260,), "train": (120, 130, 140, 120, 130, 140)}))
    for entry, length, fitting in (
        ({"base": "infbench_choice_eng", "distractor_documents": True, "shots": 1}, "4k", 17),
        ({"base": "multi_lexsum", "shots": 1}, "3k", 5),
    ):
        suite = small.suite(tmp_path, {"training": {"documents": "books", "lengths": {length: 1}, **entry}})
        count = suite.task("training").pool("train").count or 0
        rows = drawn(suite, "training", 2 * count, length)
        rounds = [[row["group_id"] for row in some] for some in (rows[:count], rows[count:])]
        assert set(rounds[0]) == set(rounds[1]) and len(set(rounds[0])) == fitting <= count and rounds[0] != rounds[1]
        for row in rows:
            examples = {name.rpartition("-")[0] for name in row["fewshot_ids"]}
            assert len(examples) == len(row["fewshot_ids"]) > 0 and not examples & set(row["doc_ids"])
            assert all(document.startswith("train") for document in (*examples, *row["doc_ids"]))


# ----------------------------------------------------------------------------------------------------- the defects


def test_examples_are_drawn_by_key_and_never_from_the_rows_own_document(built: Built) -> None:
    """docs/defects/helmet.md D6, D8: seeded; of other documents, the same at every length and in every variant of a question."""
    shown: dict[tuple[str, str], list[str]] = {}
    for rows in built.values():
        for row in rows:
            documents = {name.rpartition("-")[0] for name in row["fewshot_ids"]}
            assert len(documents) == len(row["fewshot_ids"]), "two examples of one document"
            assert not documents & set(row["doc_ids"])
            assert all(document.startswith("train") for document in documents)
            key = f"{metadata(row)['kind']} {len(row['fewshot_ids'])}", row["group_id"]
            assert shown.setdefault(key, row["fewshot_ids"]) == row["fewshot_ids"]
    assert len({tuple(demos) for demos in shown.values()}) > 20


def _few(same_text: bool) -> tuple[list[Document], list[DocumentQuestion]]:
    """Four documents of split test and none of train; the second has the first one's text, or its own."""
    written = [small.document("test", number) for number in (2, 3, 4, 6)]
    documents, questions = [doc for doc, _ in written], [question for _, given in written for question in given]
    if same_text:
        documents[1] = replace(documents[1], text=documents[0].text)
        for at, each in enumerate(questions):
            if each.doc_id == documents[1].doc_id and each.kind == "qa":
                questions[at] = replace(each, evidence=(), answers=(f"{each.answers[0]} of three",))
    return documents, questions


def test_without_split_train_the_shortest_documents_are_kept_for_examples(tmp_path: Path) -> None:
    """docs/defects/helmet.md D8: an example is never of a document that rows are about."""
    small.write(tmp_path, *_few(same_text=False))
    suite = small.suite(tmp_path, {"narrativeqa": {"documents": "books", "lengths": {"4k": 10}}})
    (table,) = suite.tables()
    rows = rows_of(suite, table)
    assert {row["doc_ids"][0] for row in rows} == {"test-2", "test-3"}
    assert {name.rpartition("-")[0] for row in rows for name in row["fewshot_ids"]} == {"test-4", "test-6"}
    assert suite.select(table).dropped == {}
    with pytest.raises(
        BuildError, match=r"20 questions are required, but only 10 reach.*its document is kept for examples: 12"
    ):
        suite.select(replace(table, rows=20))


def test_a_document_that_comes_under_two_ids_counts_as_one(tmp_path: Path) -> None:
    """docs/defects/helmet.md D8: the reference removes the own id alone, so an example may be of the same book."""
    small.write(tmp_path, *_few(same_text=True))
    tasks = {"narrativeqa": {"documents": "books", "lengths": {"8k": 9}, "distractor_documents": True, "shots": 1}}
    suite = small.suite(tmp_path, tasks)
    for row in rows_of(suite, suite.tables()[0]):
        assert not {"test-2", "test-3"} <= set(row["doc_ids"]), "one text twice in one context"
        assert row["fewshot_ids"][0].startswith("test-6")
    again = small.suite(tmp_path, {"narrativeqa": {"documents": "books", "lengths": {"4k": 1}, "shots": 3}})
    with pytest.raises(BuildError, match=r"3 documents of split test and 0 of split train: too few for 3 examples"):
        again.select(again.tables()[0])


def test_a_beginning_is_scored_by_what_it_tells(built: Built) -> None:
    """Key points that are told behind the cut do not count, and the stored answer says those before it alone."""
    strict, shown = get("keypoints@strict"), Counter[bool]()
    for row in task_rows(built, "infbench_sum_eng") + task_rows(built, "multi_lexsum"):
        points, cut = metadata(row)["key_points"], metadata(row)["cut"]
        there = [point["start"] is not None for point in points]
        shown.update(there)
        assert sorted(there, reverse=True) == there and sum(there) >= 2
        for point in points:
            who, _, thing = point["text"].removesuffix(".").partition(" hid the ")
            sentence = f"It was {who} who hid the {thing} that night."
            told = row["prompt"][point["start"] : point["end"]] if point["start"] is not None else ""
            assert told == (sentence if sentence in context(row) else "")
        assert (cut == "whole") == (len(row["references"]) == 2)
        if cut == "beginning":
            claims = [point["text"] for point in points if point["start"] is not None]
            assert row["references"] == row["answers"] == [" ".join(claims)]
            if "keypoints@strict" in row["metrics"]:
                outputs, shares = (row["answers"][0], " ".join(claims[:-1]), ""), [1, 1 - 1 / len(claims), 0]
                assert [strict.function(each, row) for each in outputs] == pytest.approx(shares)
    assert shown[True] > 20 and shown[False] > 10


def test_examples_of_summaries_have_another_plot_and_are_cut_like_the_text(folder: Path, built: Built) -> None:
    """The summary of the same plot would say what the one that is asked for is made of; as large a share of claims as is shown."""
    known = {each.question_id: each for each in small.collection()[1] if each.kind == "summary"}
    for row in task_rows(built, "infbench_sum_eng"):
        noted, own = metadata(row), known[row["group_id"].removeprefix("books-")].sort
        assert noted["cut"] == "beginning" and len(row["fewshot_ids"]) == 2
        for name, shown in zip(row["fewshot_ids"], said(row, "fewshot"), strict=True):
            assert known[name].sort != own
            claims = [point.text for point in known[name].key_points]
            number = max(2, round(noted["shown"] * len(claims)))
            assert shown in {f"Summary: {' '.join(claims[:each])}" for each in (number - 1, number, number + 1)}
        least, most = map(int, re.findall(r"(\d+) to (\d+) words", row["question"])[0])
        assert least <= len(row["answers"][0].split()) <= most
    few = small.suite(folder, {"infbench_sum_eng": {"documents": "books", "lengths": {"8k": 4}, "shots": 3}})
    with pytest.raises(BuildError, match="too few examples have another plot: 6"):
        few.select(few.tables()[0])


def test_a_beginning_whose_key_points_stand_nowhere_is_refused(tmp_path: Path) -> None:
    """A summary of the whole is no reference for a part: such documents are asked about whole, alone or among others."""
    documents, questions = (found[4:7] for found in zip(*map(small.document, ["test"] * 7, range(7)), strict=True))
    every = chain.from_iterable(questions)
    bare = [replace(each, key_points=tuple(replace(p, evidence=()) for p in each.key_points)) for each in every]
    small.write(tmp_path, documents, bare)
    entry = {"documents": "books", "shots": 0}
    plain = small.suite(tmp_path, {"infbench_sum_eng": entry | {"lengths": {"4k": 1}}})
    with pytest.raises(BuildError, match="it is unknown which part of it the summary covers: 3"):
        plain.select(plain.tables()[0])
    tasks = {"infbench_sum_eng": entry | {"lengths": {"natural": 3}}}
    tasks |= {"among": entry | {"base": "infbench_sum_eng", "distractor_documents": True, "lengths": {"16k": 3}}}
    suite = small.suite(tmp_path, tasks)
    for table in suite.tables():
        rows = rows_of(suite, table)
        assert {metadata(row)["cut"] for row in rows} == {"whole"} and len(rows) == 3
        assert all("start" not in point for row in rows for point in metadata(row)["key_points"])


# ----------------------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"lengths": {"64k": 5}}, "5 questions are required, but only 0 reach the length (the document ends before the length is full: 42); "
         "the longest length that 5 reach is 32k. Next: use 32k, or prepare more (documents.books)"),
        ({"lengths": {"256k": 1}, "distractor_documents": True}, "the other documents end before the length is full: 42"),
        ({"base": "infbench_sum_eng", "lengths": {"1k": 1}}, "leave less than a quarter of the length: 7"),
    ],
)  # fmt: skip
def test_a_length_without_room_for_text_is_refused(folder: Path, entry: dict[str, Any], said: str) -> None:
    suite = small.suite(folder, {"some": {"base": "narrativeqa", "documents": "books"} | entry})
    assert said in refused(BuildError, suite.select, suite.tables()[0])


def test_wide_evidence_and_long_answers_are_left_out_and_counted(tmp_path: Path) -> None:
    document, questions = small.document("test", 2)
    own, far = questions[0], next(question for question in questions if question.question_id.endswith("q3"))
    wide = replace(own, question_id="wide", text="Who hid both?", evidence=(*own.evidence, *far.evidence))
    long = replace(own, question_id="long", text="Who hid it, at length?", answers=("word " * 120,))
    told = replace(own, question_id="told", text=f"Did {own.answers[0]} hide it?")
    small.write(tmp_path, [document], [wide, long, told, own])
    suite = small.suite(tmp_path, {"narrativeqa": {"documents": "books", "lengths": {"4k": 2}, "shots": 0}})
    assert (
        "only 1 reach the length (its question holds its answer: 1, the answer is longer than the room for it: 1, the evidence is wider"
        in (refused(BuildError, suite.select, suite.tables()[0]))
    )


def test_a_beginning_is_summed_up_in_the_words_of_its_claims(tmp_path: Path) -> None:
    """By heart: a reference of 260 words is asked for in 250 to 300; six claims have 36 words, a third of them 12."""
    documents, questions = small.collection({"test": (400,), "train": (120, 130, 140)})
    long = (" ".join(["word"] * 260),)
    told = [replace(each, references=long) if each.kind == "summary" else each for each in questions]
    small.write(tmp_path, documents, told)
    suite = small.suite(tmp_path, {"infbench_sum_eng": {"documents": "books", "lengths": {"16k": 1}, "shots": 0}})
    maker: Any = suite.task("infbench_sum_eng")
    first, asked = maker.pool("test").candidate(0), []
    document = maker.stock.documents[maker.question_of(first).source.doc_id]
    around = maker.writer.reserved + 300  # more than the words around take
    for share in (2, 1 / 3):
        tokens = int(share * maker.stock.tokens(document)) + around
        table = AnyLength("helmet", "infbench_sum_eng", f"{tokens} tokens", "test", 1)
        asked.append(maker.row(table, first, 0).question.removeprefix("Now write the summary, in about "))
    assert asked == ["250 to 300 words.", "10 to 20 words."]


def test_papers_are_asked_for_as_papers_and_by_number_where_they_have_no_title(tmp_path: Path) -> None:
    documents, questions = small.collection({"test": (850, 400, 260, 240), "train": (120,)})
    small.write(tmp_path, [replace(each, title="") for each in documents], questions)
    entry = {"base": "loogle_summary", "documents": "books", "shots": 0}
    tasks = {"alone": {"lengths": {"natural": 1}}, "among": {"lengths": {"16k": 1}, "distractor_documents": True}}
    suite = small.suite(tmp_path, {name: entry | more for name, more in tasks.items()})
    alone, among = (rows_of(suite, table)[0] for table in suite.tables())
    for row in (alone, among):
        head = row["prompt"][: row["context_start"]]
        assert "research paper" in head and "happens" not in head
        assert row["question"].startswith("Now write the abstract")
        assert ("three asterisks" in head) == ("***" in context(row)) == (row is among)
    titles = re.findall(r"\*\*\*\n\n\[(.*?)\]", context(among))
    assert len(titles) == len(set(titles)) > 1 and all(re.fullmatch(r"Text \d+", title) for title in titles)
    assert metadata(among)["title"] in titles


def points(row: Row, **values: Any) -> None:
    """Changes the first key point."""
    first, *others = metadata(row)["key_points"]
    note(row, key_points=[first | values, *others])


def swap_choices(row: Row) -> None:
    """The texts of two choices change places, in the prompt and in the columns: the letter is then of another."""
    a, b = row["choices"][:2]
    behind = row["prompt"][row["context_end"] :]
    marked = behind.replace(f"A. {a}", "A. \0").replace(f"B. {b}", f"B. {a}").replace("\0", b)
    row["prompt"] = row["prompt"][: row["context_end"]] + marked
    row["choices"][:2] = b, a
    at = row["answer_index"] if row["answer_index"] < 2 else 0
    row.update(answer_index=at, answers=["AB"[at], f"{'AB'[at]}. {row['choices'][at]}"])


def shorten(row: Row, sentences: int = 2) -> None:
    """The last sentences are left out, with everything that follows from it."""
    text = context(row)
    kept = text[: [found.start() + 1 for found in re.finditer(r"\.\s", text)][-sentences]]
    row["prompt"] = row["prompt"][: row["context_start"]] + kept + row["prompt"][row["context_end"] :]
    lost = len(text) - len(kept)
    row["context_end"] -= lost
    row["answer_prefix_start"] -= lost
    row["num_segments"] -= sentences
    row["unused_tokens"] += 20 * sentences
    doc, first, last = metadata(row)["background"][-1]
    note(row, background=[*metadata(row)["background"][:-1], [doc, first, last - sentences]])


def other_order(row: Row) -> None:
    row["doc_ids"] = row["doc_ids"][::-1]
    note(row, background=metadata(row)["background"][::-1])


INJURIES: dict[str, list[tuple[str, Injury, str]]] = {
    "narrativeqa": [
        ("a word of the text", lambda r: put(r, r["context_start"] + 40, "qqq"), "does not match its sentences"),
        ("a span lost", lambda r: r["spans"].remove(spans(r, "gold")[0]), "not its sentences"),
        ("a span outside", lambda r: spans(r, "gold")[0].update(start=5, end=9), "evidence is outside the text"),
        ("spans in another order", lambda r: r["spans"].reverse(), "spans are not in order"),
        ("the depth", lambda r: r.update(depth=r["depth"] + 0.01), "the row has 0"),
        ("the answer", lambda r: r.update(answers=["Tom"]), "answers are not those of the source"),
        ("the question", lambda r: r.update(question="Who?"), "not found after the context"),
        ("the group", lambda r: r.update(group_id="books-nobody"), "split test of the collection has no question books-nobody"),
        ("the status", lambda r: note(r, evidence="aligned"), "evidence is verified, the row has aligned"),
        ("sentences of the evidence", lambda r: note(r, evidence_sentences=7), "the row has other values"),
        ("the cut", lambda r: note(r, cut="beginning"), "the row has beginning"),
        ("room left", lambda r: shorten(r, 5), "tokens are left, the next sentence has"),
        ("over budget", lambda r: r.update(unused_tokens=-1), "over budget"),
        ("a number of sentences", lambda r: r.update(num_segments=r["num_segments"] + 1), "num_segments is not"),
        ("a document", lambda r: r.update(doc_ids=["test-9"]), "doc_ids are not"),
        ("examples changed places", lambda r: r["fewshot_ids"].reverse(), "is not of the collection"),
        ("the answer of an example", lambda r: put(r, spans(r, "fewshot")[0]["end"] - 3, "qqq"), "differs from its source"),
        ("a variant", lambda r: r.update(variant="distractor_documents"), "not in the text, or is not the only one"),
    ],
    "infbench_choice_eng": [
        ("a letter", lambda r: r.update(answer_index=(r["answer_index"] + 1) % 4), "not the letter at"),
        ("a wrong answer", swap_choices, "not that of the right answer"),
        ("choices", lambda r: r.update(choices=["a", *r["choices"][1:]]), "not shown in order"),
        ("an example's letter", lambda r: put(r, spans(r, "fewshot")[0]["end"] - 1, "Z"), "gives the letter Z"),
    ],
    "infbench_sum_eng": [
        ("the reference", lambda r: r.update(references=["x"]), "the reference of a beginning does not match its key points"),
        ("a key point", lambda r: points(r, start=5), "is not at the place in the row"),
        ("a key point that is shown", lambda r: points(r, start=None), "not marked as shown"),
        ("no key points", lambda r: note(r, key_points=[]), "key points are not those of the source"),
        ("a metric", lambda r: r["metrics"].pop(0), "key points are scored"),
        ("a promise", lambda r: put(r, 0, "Below is a long text."), "does not fit a text that is shown as"),
        ("a depth", lambda r: r.update(depth=0.5), "a depth without evidence"),
    ],
    "narrativeqa_among": [
        ("a title", lambda r: put(r, r["context_start"] + 7, "qqq"), "does not match its sentences"),
        ("the title asked for", lambda r: put(r, r["prompt"].rindex('"The Book') + 5, "qqq"), "does not name its"),
        ("documents changed places", other_order, "does not match its sentences"),
        ("room left", lambda r: shorten(r, 3), "tokens are left, the next sentence has"),
        ("alone", lambda r: r.update(variant=None), "not in the text, or is not the only one"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("task", "injure", "message"),
    [pytest.param(task, *case, id=f"{task} {what}") for task, cases in INJURIES.items() for what, *case in cases],
)
def test_an_injury_is_named(
    suite: ReleaseSuite, whole: dict[str, Row], task: str, injure: Injury, message: str
) -> None:
    assert_named(suite.task(task), whole[task], injure, message)
