"""LongBench's tasks on one document: whole and alone at natural length, in ranges of words, among others at any number of tokens.

Held against the made texts themselves, which the rows' builder does not see: a natural row is the text that was written, to the
letter. Defects of the reference: docs/defects/longbench.md D7, D8, D9, D10, D12, D18.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from generators.longbench.documents import TASKS as SPECS
from generators.spec import TaskSpec
from generators.suite import ReleaseSuite
from haymaker.core.errors import BuildError
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rng import Stream
from haymaker.core.rows.row_checks import Check
from haymaker.core.rows.source_records import Document, DocumentQuestion
from tests.generators import kit
from tests.generators.documents import small
from tests.generators.kit import (
    Built,
    Row,
    Rows,
    context,
    findings_of,
    metadata,
    put,
    refused,
    rows_of,
    said,
    sound,
    task_rows,
)

ABSENT = "unanswerable"
TASKS: dict[str, Any] = {
    "narrativeqa": {"documents": "books", "lengths": {"natural": 12, "4k": 6, "16k": 4, "64k": 3}},
    "narrativeqa_e": {"base": "narrativeqa", "documents": "books", "lengths": {"0-4k": 5, "4-8k": 4, "8k+": 3}},
    "qasper": {"documents": "papers", "lengths": {"natural": 8, "8k": 4, "32k": 4}},
    "multifieldqa_en": {"documents": "books", "lengths": {"natural": {"test": 3, "train": 3}, "16k": 4}},
    "gov_report": {"documents": "books", "lengths": {"natural": 6, "16k": 3, "64k": 2}},
    "qmsum": {"documents": "meetings", "lengths": {"natural": 7, "4k": 4, "8k": 7}},
    "multi_news": {"documents": "news", "lengths": {"natural": 4, "4k": 2}},
}


@cache
def books() -> tuple[list[Document], list[DocumentQuestion]]:
    """Six documents of 2,194 to 16,362 words, and three of split train."""
    documents, questions = small.collection()
    first = documents[0].doc_id
    return documents[1:], [each for each in questions if each.doc_id != first]


@cache
def papers() -> tuple[list[Document], list[DocumentQuestion]]:
    """Four documents; of each a question with known evidence, one of yes or no, one that it does not answer, one on a lost table."""
    documents, questions = [], []
    for number in range(3, 7):
        document, asked = small.document("test", number)
        # The word stands there once: it is what is said of the question, and no evidence.
        odd = f"Many thought the riddle {ABSENT}, as $\\hat{{w}}_k = a_{{k-1}}$ in hidden\\_size of @someone_ was."
        documents.append(replace(document, text=f"{document.text}\n\n{odd}"))
        name, own = document.doc_id, asked[0]
        questions += [
            own,
            replace(own, question_id=f"{name}-yes", text="Was the lantern hidden at night?", answers=("Yes", "yes")),
            replace(own, question_id=f"{name}-no", text="Who hid the piano?", answers=(ABSENT,), evidence=()),
            replace(own, question_id=f"{name}-lost", text="Who leads table 3?", evidence=("Table 3: who leads.",)),
        ]
    return documents, questions


@cache
def meetings() -> tuple[list[Document], list[DocumentQuestion]]:
    """Three meetings of 60 turns, "Speaker: words"; of each two queries on a few turns, one on all; a query twice; none once."""
    documents, questions = [], []
    for number, name in enumerate(("Alma", "Bert", "Cleo")):
        stream = Stream("meeting", number)
        turns = [f"{('Chair', name)[at % 2]}: {small.sentence(stream)} {small.sentence(stream)}" for at in range(60)]
        turns[20] = f"{name}: We should paint the bridge {('red', 'blue', 'green')[number]}."
        turns[45] = "Chair: The fare stays as it is."
        documents.append(Document(f"m{number}", f"Meeting of {name}", "test", "\n\n".join(turns)))

        def asked(
            key: str, query: str, said: str, spans: Sequence[str] = (), doc: str = f"m{number}"
        ) -> DocumentQuestion:
            found: dict[str, Any] = {"references": (said,), "evidence": tuple(spans)}
            return DocumentQuestion(f"{doc}-{key}", doc, "test", "summary", query, **found)

        questions += [
            asked("1", "Sum up the meeting.", f"{name} and the chair spoke of the bridge and the fare."),
            asked("2", "What was said of the bridge?", f"{name} wants it painted.", ["\n\n".join(turns[19:22])]),
            asked("3", "What of bridge and fare?", f"{name} wants paint; the fare stays.", [turns[20], turns[45]]),
        ]
        questions += [asked("4", "Sum up  the meeting.", "Again."), asked("5", "", "No query.")] if not number else []
    return documents, questions


@cache
def news() -> tuple[list[Document], list[DocumentQuestion]]:
    """Four collections of two articles under numbered lines."""
    documents, questions = [], []
    for number in range(4):
        stream = Stream("news", number)
        articles = [" ".join(small.sentence(stream) for _ in range(30)) for _ in range(2)]
        text = "\n\n".join(f"Article {n}:\n\n{article}" for n, article in enumerate(articles, 1))
        documents.append(Document(f"n{number}", f"Cluster {number}", "test", text))
        doc, said = f"n{number}", (f"It {number}.",)
        questions.append(DocumentQuestion(doc, doc, "test", "summary", "", references=said))
    return documents, questions


AS_IT_IS = {"emphasis": False}
MADE = {"books": books, "papers": papers, "meetings": meetings, "news": news}


def release(
    folder: Path, tasks: dict[str, Any], specs: Sequence[TaskSpec] = SPECS, name: str = "longbench"
) -> ReleaseSuite:
    """Some tasks over collections under `folder`."""
    return kit.suite(specs, folder, tasks, ("tekken", "gpt2"), name=name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    written = tmp_path_factory.mktemp("items")
    for name, make in MADE.items():
        small.write(written, *make(), name=name, tokenizers=("tekken", "gpt2"), clean=AS_IT_IS)
    return written


@pytest.fixture(scope="module")
def suite(folder: Path) -> ReleaseSuite:
    return release(folder, TASKS)


def words(task: str) -> dict[str, str]:
    spec = next(spec for spec in SPECS if spec.name == task)
    assert spec.prompts is not None
    found: dict[str, str] = read_yaml(spec.prompts)[spec.wording]
    return found


def test_every_check_holds_and_every_prompt_is_counted_anew(suite: ReleaseSuite, rows: Rows) -> None:
    sound(suite, rows)
    every = [row for table in rows.values() for row in table]
    assert Counter(row["variant"] for row in every) == {None: 55, "distractor_documents": 43}
    assert all((row["variant"] is None) == (row["length_tokens"] is None) for row in every)


# --------------------------------------------------------------------------------------------------------- natural rows


@pytest.mark.parametrize("task", list(TASKS))
def test_a_natural_row_is_the_text_as_it_was_written_and_nothing_else(built: Built, task: str) -> None:
    """D8: first to last; the instruction before it and again behind it, the question, the cue (docs/spec/longbench.md 4)."""
    collection = TASKS[task]["documents"]
    documents, questions = MADE[collection]()
    texts = {document.doc_id: document.text for document in documents}
    asked = {f"{collection}-{question.question_id}": question for question in questions}
    said = words(TASKS[task].get("base", task))
    low, high = (80, 90) if task == "gov_report" else (10, 20)  # words of the summaries of the small collections
    rows = task_rows(built, task, "natural", "0-4k", "4-8k", "8k+")
    assert rows
    for row in rows:
        question, again = asked[row["group_id"]], f"{said['again']}\n\n" if "again" in said else ""
        own = len((question.references or question.answers)[0].split())
        least, most = min(low, max(1, own // 10) * 10), max(high, -(-own // 10) * 10)  # with the own summary inside
        before, request = (
            said[place].replace("{question}", question.text).replace("{words}", f"{least} to {most}")
            for place in ("one", "request")
        )
        text = texts[question.doc_id]
        assert row["prompt"] == f"{before}\n\n<text>\n{text}\n</text>\n\n{again}{request}\n{said['cue']}"
        assert (row["length_tokens"], row["unused_tokens"], row["variant"], row["num_distractors"]) == (None,) * 4
        assert (metadata(row)["cut"], metadata(row)["shown"], row["doc_ids"]) == ("whole", 1.0, [question.doc_id])
        assert row["answers"] == list(question.answers or question.references[:1])
        assert row["question"] == (question.text or request) and row["fewshot_ids"] == []


def test_ranges_of_words_are_of_question_text_and_answers_and_part_all_natural_rows(folder: Path) -> None:
    """D12: by heart, from the texts: six questions each on 8,312, 7,736, 3,699, 2,391, 2,194 and 16,362 words."""
    wanted = {"natural": 36, "0-4k": 18, "4-8k": 6, "8k+": 12}
    suite = release(folder, {"narrativeqa": {"documents": "books", "lengths": wanted}})
    picked = {table.length: [each.key for each in suite.select(table).candidates] for table in suite.tables()}
    assert [key for key in picked["natural"] if key in picked["4-8k"]] == picked["4-8k"], "one order for all"
    assert sorted(picked["natural"]) == sorted(chain(picked["0-4k"], picked["4-8k"], picked["8k+"]))
    (table,) = (table for table in suite.tables() if table.length == "4-8k")
    for row in rows_of(suite, table):
        assert metadata(row)["length"] == 7736 + sum(len(told.split()) for told in (row["question"], *row["answers"]))


def test_underscores_of_formulas_stay_where_they_are_asked_to(folder: Path, tmp_path: Path) -> None:
    """A book's _emphasis_ goes; so did, with the same rule, the index of a formula."""
    told = r"as $\hat{w}_k = a_{k-1}$ in hidden\_size of @someone_ was."
    small.write(tmp_path, *papers(), name="papers", tokenizers=("tekken", "gpt2"))
    tasks = {"qasper": {"documents": "papers", "lengths": {"natural": 1}}}
    kept, lost = (rows_of(release(name, tasks))[0] for name in (folder, tmp_path))
    assert told in context(kept) and told not in context(lost)


def test_documents_of_further_sets_stand_behind_those_of_the_own(tmp_path: Path) -> None:
    """`distractor_sets`: where a set has too few documents for a length, those of others fill it up, farther off."""
    documents, questions = news()
    more, _ = meetings()
    small.write(tmp_path, [*more, *documents], questions, distractor_sets=("meetings",), tokenizers=("tekken", "gpt2"))
    suite = release(tmp_path, {"multi_news": {"documents": "books", "lengths": {"4k": 1, "8k": 2}}})
    rows = rows_of(suite)
    assert findings_of(suite, rows).failures == []
    owns = [[doc.startswith("n") for doc in row["doc_ids"]] for row in rows]
    for own in owns:
        first = own.index(True)
        assert all(own[first : first + sum(own)])
        assert all(own) or sum(own) == 4, "others only when all of the own are there"
    assert not all(owns[-1])


# ----------------------------------------------------------------------------------------------------- questions, queries


def test_what_a_paper_does_not_answer_is_asked_of_all_of_it(built: Built) -> None:
    rows = [row for row in task_rows(built, "qasper") if row["answers"] == [ABSENT]]
    assert len(rows) >= 3
    for row in rows:
        assert f"the riddle {ABSENT}, as" in context(row) and said(row, "gold") == [], "the word is no evidence"
        assert (metadata(row)["evidence"], metadata(row)["cut"], row["depth"]) == ("unknown", "whole", None)
        assert row["prompt"].count(f"the single word {ABSENT}") == 2, "said before the paper and behind it"


def test_queries_are_answered_by_turns_of_the_meeting_that_is_named(built: Built) -> None:
    rows = task_rows(built, "qmsum", "natural")
    assert len({row["group_id"] for row in rows}) == len(rows) == 7, "several queries about one meeting"
    for row in (*rows, *task_rows(built, "qmsum", "8k")):
        meeting, key = ("Alma", "Bert", "Cleo")[int(row["group_id"][10])], row["group_id"][-1]
        told = f'Query about the meeting "Meeting of {meeting}"' if row["variant"] else "Query"
        assert row["prompt"].endswith(f"\n\n{told}: {row['question']}\nReply:")
        assert "".join(said(row, "gold")).count(":") == {"1": 0, "2": 3, "3": 2}[key]
        assert (row["depth"] is None) == (key == "1") and len(row["references"]) == 1
        assert row["prompt"].count("one or more sentences") == 2, "said before the meeting and behind it"


# ------------------------------------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        # D10: evidence that the source names must stand in the document
        ({"base": "qasper", "documents": "papers", "lengths": {"natural": 13}},
         "only 12 reach the length (evidence that its source names does not stand in the document: 4)"),
        ({"base": "qmsum", "documents": "meetings", "lengths": {"natural": 10}}, "only 9 reach the length (there is no query: 1)"),
        ({"base": "gov_report", "documents": "meetings", "lengths": {"natural": 2}},
         "only 1 reach the length (there is a query, which this task does not show: 9)"),
        # its output would be cut off, and scored against all of the reference
        ({"base": "short", "lengths": {"natural": 1}}, "only 0 reach the length (the summary is longer than the room for it: "),
        ({"base": "narrativeqa", "lengths": {"4-8k": 7}}, "only 6 reach the length (its words are not 4-8k: 30). Next: request 6 rows or fewer"),
        # D8: a document is not cut
        ({"base": "gov_report", "lengths": {"4k": 1}},
         "(the document does not fit whole among others, and the place of its evidence is unknown: 6); no shorter length has 1"),
        ({"base": "gov_report", "lengths": {"4k": 1}, "distractor_documents": False},
         "only 0 reach the length (the document is longer than the length, and the place of its evidence is unknown: 6)"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_left_out_and_counted(folder: Path, entry: dict[str, Any], said: str) -> None:
    short = [replace(spec, name="short", max_new_tokens=8) for spec in SPECS if spec.name == "gov_report"]
    suite = release(folder, {"some": {"documents": "books"} | entry}, (*SPECS, *short))
    assert said in refused(BuildError, suite.select, suite.tables()[0])


def _beginning(row: Row) -> None:
    """The last paragraph is gone, and everything says so."""
    text = context(row)
    kept = text[: text.rindex("\n\n")]
    doc, first, last = metadata(row)["background"][0]
    lost = last - first - len(re.findall(r"[.!?](?=\s|$)", kept))
    row["prompt"] = row["prompt"].replace(text, kept)
    for key in ("context_end", "answer_prefix_start"):
        row[key] -= len(text) - len(kept)
    row["num_segments"] -= lost
    kit.note(row, background=[[doc, first, last - lost]], cut="window")


@pytest.mark.parametrize(
    ("injure", "message"),
    [
        (_beginning, "does not contain exactly its whole document"),
        (lambda row: put(row, row["prompt"].index("Here is the q"), "Here was"), "not found after the context"),
        (lambda row: row.update(length="0-4k"), "the stored length of the 0-4k row is"),
        (lambda row: kit.note(row, length=5000), "row is 5000"),
    ],
)
def test_an_injury_to_a_natural_row_is_named(
    suite: ReleaseSuite, built: Built, injure: kit.Injury, message: str
) -> None:
    row = deepcopy(task_rows(built, "narrativeqa_e", "4-8k")[0])
    injure(row)
    assert any(message in problem for problem in findings_of(suite, [row]).failures)


def test_a_query_of_another_meeting_is_named(suite: ReleaseSuite, built: Built) -> None:
    row = deepcopy(next(row for row in task_rows(built, "qmsum", "8k") if row["group_id"].endswith("2")))
    row["question"], row["prompt"] = "What now?", row["prompt"].replace(row["question"], "What now?")
    assert "the question is not that of the source" in list(suite.task("qmsum").problems(row))


def test_the_tasks_by_heart() -> None:
    """Room for answers: docs/spec/longbench.md 2; nothing is cut off that the reference leaves."""
    assert {spec.name: spec.max_new_tokens for spec in SPECS} == {
        "narrativeqa": 128, "qasper": 128, "multifieldqa_en": 64, "gov_report": 1536, "qmsum": 512, "multi_news": 800,
        "multifieldqa_zh": 64, "vcsum": 512,
    }  # fmt: skip
    for spec in SPECS:
        assert spec.defaults == {"distractor_documents": True, "shots": 0}
        assert set(spec.skips) == {Check.ORACLE, Check.CLEAN}
        told, shows = words(spec.name), spec.name not in ("gov_report", "multi_news", "vcsum")
        assert ("again" in told) == ("{question}" in told["request"]) == shows
        if spec.category == "single-doc-qa":  # D7: a long right answer has an F1 near 0
            assert "subem@strict" in spec.metrics
    for name in ("gov_report", "multi_news"):  # references are longer and shorter than the usual words
        places = ("one", "several", "request", "request_several")
        assert all("in about {words} words" in words(name)[place] for place in places)
