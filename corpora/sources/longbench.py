"""LongBench as it was released: its items are taken apart into documents, articles, questions and shots (Bai et al. 2024).

Kinds `longbench` (the archive on the Hub, which has a loading script beside it that nothing here runs) and `longbench_mirror` (a
few items of each set, all of multi_news). A document is a distinct context, known by a hash of its text; an article is a distinct
pair of title and text in the contexts of the three multi-hop sets. Both are written one to a line at download.

Of TriviaQA's items the passages are documents: the item's own is part test, those of its examples are part train. An example shows
one alias of its answer, drawn at random: two thirds are not in the passage, and some are no answer at all ("Nano-" for a billionth).
So one is part test only where all its accepted answers are known from elsewhere and the passage holds one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from pydantic import Field

from corpora.sources.addressed import OnHub
from corpora.sources.base import Batch, FetchContext, FetchedFile, RawFile, SourceInfo
from corpora.sources.document_source import DocumentSource, arranged, arranged_documents, text_id
from corpora.sources.formats.fields import answers, id_of, text, texts, value_of
from corpora.sources.formats.lines import json_lines, line_batches
from corpora.sources.formats.odd_records import OddRecords, sound
from corpora.sources.formats.text_cleanup import without_link, without_noises
from corpora.sources.kilt_tasks import TRIVIA, trivia_answers, unquoted
from corpora.sources.longbench_items import (
    Titled,
    gold_by_words,
    items,
    keep_files,
    longbench_info,
    news,
    numbered,
    parted,
    shots,
    titled_articles,
    titles_of_answers,
    whole_article,
)
from corpora.sources.narrativeqa import without_marks
from corpora.sources.qasper_marks import lost, plain, readable
from corpora.sources.question_source import check_questions
from corpora.sources.splits import SomeShares, share_split
from corpora.sources.transport.staging import checking
from corpora.sources.triviaqa_reading import answering, fault, without_unit
from haymaker.core.errors import SourceError
from haymaker.core.params import nearest
from haymaker.core.rows.question_checks import BESIDE, answered_beside, names_any
from haymaker.core.rows.source_records import Article, Document, DocumentQuestion, Evidence, Question, Split
from haymaker.core.text.strings import holds, padded, words

_DOCUMENTS, _ARTICLES = "documents.jsonl", "articles.jsonl"
_READ = ("narrativeqa", "qasper", "multifieldqa_en")
_SUMMED = ("gov_report", "multi_news", "qmsum")
_PAPERS, _FIELDS = "qasper", "multifieldqa_en"
_LINED = ("qmsum", _PAPERS)
_TITLES = dict(zip((*_READ, *_SUMMED), ("Story", "Paper", "Text", "Report", "Collection", "Meeting"), strict=True))
_SHOWN = "triviaqa"
_HOPS = {"hotpotqa": "hotpotqa", "wikimqa2": "2wikimqa", "musique": "musique"}
_KEYS = (*_READ, *_SUMMED, _SHOWN, *_HOPS.values())
_JUDGEMENTS = frozenset({"yes", "no"})
_ALL_ASKED: dict[Split, int] = {"test": 1}
_MIRRORED = {key: f"longbench/{'original' if key == 'multi_news' else 'mini'}/{key}.jsonl.gz" for key in _KEYS}


class _Asked(NamedTuple):
    """A question on a passage of TriviaQA."""

    question_id: str
    part: Split
    passage: str
    question: str
    answers: tuple[str, ...]


class _LongBench(DocumentSource):
    """What both kinds share."""

    version: ClassVar[int] = 6
    sets: ClassVar[tuple[str, ...]] = (*_READ, *_SUMMED, _SHOWN)

    def aliases(self, raw: Path) -> dict[str, tuple[str, ...]]:
        """Padded question -> all accepted answers, where they are known beside the release."""
        return {}

    def fill(self, stage: Path, context: FetchContext, revision: str | None) -> list[tuple[RawFile, FetchedFile]]:
        got = super().fill(stage, context, revision)
        left_out = Counter[str]()
        with checking(stage, context):
            keep_files(stage, [*_KEYS, TRIVIA])
            arranged(stage / _DOCUMENTS, self._documents(stage, left_out))
            arranged(stage / _ARTICLES, _articles(stage))
        for reason, count in sorted(left_out.items()):
            context.report(f"{count} {reason} are left out")
        return got

    def check(self, raw: Path) -> None:
        super().check(raw)
        check_questions(self, raw)

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, [_DOCUMENTS, _ARTICLES])

    def read(self, raw: Path, batch: Batch) -> Iterator[Document]:
        return arranged_documents(raw, batch, _DOCUMENTS)

    def articles(self, raw: Path, batch: Batch) -> Iterator[Article]:
        for piece in batch.pieces:
            for number, record in json_lines(raw, piece) if piece.path == _ARTICLES else ():
                where = f"{_ARTICLES}:{number}"
                yield whole_article(Titled(text(record, "title", where), text(record, "text", where)))

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        if name == _SHOWN:
            for each in self._trivia(raw, Counter()):
                doc_id = text_id(each.passage)
                yield DocumentQuestion(each.question_id, doc_id, each.part, "qa", each.question, answers=each.answers)
            return
        odd, left_out = OddRecords(name), Counter[str]()
        yield from sound(odd, items(raw, name), partial(_question, name, left_out))
        self.left_out_of(name, odd)
        self._odd.update({f"{name} ({reason})": count for reason, count in left_out.items()})

    def question_sets(self) -> tuple[str, ...]:
        return tuple(_HOPS)

    def questions(self, raw: Path, name: str, part: Split) -> list[Question]:
        if name not in _HOPS:
            fix = nearest(name, _HOPS)
            raise SourceError(f"has no set of questions {name!r}", where=f"source {self.name}", fix=fix)
        rows, odd = items(raw, _HOPS[name]) if part == "test" else (), OddRecords(name)
        found = list(sound(odd, rows, lambda row: _hop(row[1], row[0])))
        self.left_out_of(name, odd)
        asked = [question for question in found if not names_any(question.text)]
        if some := len(found) - len(asked):
            self._odd[f"{name} (one of several is asked for)"] = some
        return asked

    def _documents(self, raw: Path, left_out: Counter[str]) -> Iterator[dict[str, object]]:
        seen: set[str] = set()
        for name in (*_READ, *_SUMMED):
            for doc_id, whole in sound(OddRecords(name), items(raw, name), partial(_text, name)):  # judged by `load`
                left_out["clusters of fewer than two articles"] += not whole
                if whole and doc_id not in seen:
                    seen.add(doc_id)
                    yield {"id": doc_id, "part": "test", "title": f"{_TITLES[name]} {len(seen)}", "text": whole}
        for each in self._trivia(raw, left_out):
            yield {"id": text_id(each.passage), "part": each.part, "text": each.passage}

    def _trivia(self, raw: Path, left_out: Counter[str]) -> Iterator[_Asked]:
        """The items, then their examples; a passage once, and no example asks what an item asks."""
        rows = list(items(raw, _SHOWN))
        seen: set[str] = set()
        for where, record in rows:
            passage, question, _ = shots(_input(record, where), where)[0]
            seen |= {text_id(passage), padded(question)}
            given = answering(answers(texts(record, "answers", where), where), passage)
            yield _Asked(_id(record, where), "test", passage, question, given)
        known = self.aliases(raw)
        for where, record in rows:
            for passage, question, answer in shots(text(record, "context", where), where):
                key = text_id(passage)
                if key in seen or padded(question) in seen:
                    left_out["examples that came before"] += 1
                    continue
                seen.add(key)
                if fault(question):
                    left_out["examples whose answers are known to be wrong"] += 1
                    continue
                others = known.get(padded(question), ())
                given = answering(answers([answer, *others], where), passage)
                given = tuple(dict.fromkeys([*given, *without_unit(question, given)]))
                askable = others and holds(padded(passage), [padded(given[0])])
                yield _Asked(key, self.part_of(question) if askable else "train", passage, question, given)

    def part_of(self, question: str) -> Split:
        """Part of an example that can be asked."""
        return "train"


def _question(name: str, left_out: Counter[str], row: tuple[str, dict[str, Any]]) -> DocumentQuestion | None:
    """What is asked of an item; None where nothing is left of its text, or it is not fit to be asked."""
    where, record = row
    doc_id, whole = _text(name, row)
    if not whole:
        return None
    key, told = _id(record, where), texts(record, "answers", where)
    given = answers(readable(told) if name == _PAPERS else told, where)
    if name in _SUMMED:
        given = tuple(map(without_link, given)) if name == "multi_news" else given
        return DocumentQuestion(key, doc_id, "test", "summary", _input(record, where), references=given)
    asked = text(record, "input", where)
    if why := _unfit(name, asked, given, whole):
        left_out[why] += 1
        return None
    return DocumentQuestion(key, doc_id, "test", "qa", asked, answers=given)


def _unfit(name: str, asked: str, given: Sequence[str], whole: str) -> str:
    """Why a question is not asked; empty when it is."""
    if name == _PAPERS and any(lost(answer, whole) for answer in given):
        return "answers that stood in tables or figures"
    if name == _PAPERS and answered_beside(asked, given):
        return BESIDE
    judged = name == _FIELDS and all(words(answer)[:1] in (["yes"], ["no"]) for answer in given)
    return "answer yes or no" if judged else ""  # half are right by guessing, and nothing asks for the word


def _text(name: str, row: tuple[str, dict[str, Any]]) -> tuple[str, str]:
    """Id and text of an item."""
    where, record = row
    return text_id(text(record, "context", where)), _cleaned(name, record, where)


class LongBench(_LongBench, OnHub):
    """Options of kind `longbench`: `revision`, `url`."""

    kind: ClassVar[str] = "longbench"
    info: ClassVar[SourceInfo] = longbench_info(
        "LongBench: the English sets, as released",
        ("documents", "document_questions", "articles", "questions"),
        114_000_000,
        90_000,
        "one archive; the files of other languages and of code are removed after unpacking",
        "research",  # multi_news
    )
    repo: ClassVar[str] = "zai-org/LongBench"
    names: ClassVar[tuple[str, ...]] = ("data.zip",)


class LongBenchMirror(_LongBench):
    """Options of kind `longbench_mirror`.

    Attributes:
        parts: whole-number shares of the examples of triviaqa that can be asked, decided by the question's words.
    """

    kind: ClassVar[str] = "longbench_mirror"
    info: ClassVar[SourceInfo] = longbench_info(
        "LongBench (mirror copy: a few items of each set, all of multi_news)",
        ("documents", "document_questions", "articles", "questions"),
        3_565_326,
        3_400,
        "6 to 13 items a set, 200 of multi_news; ids are the mirror's own but for multi_news",
        "research",  # multi_news
    )
    parts: SomeShares = Field(default_factory=_ALL_ASKED.copy)

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        named = [RawFile(f"{key}.jsonl.gz", f"mirror:{place}") for key, place in _MIRRORED.items()]
        return [*named, RawFile(f"{TRIVIA}.gz", f"mirror:triviaqa/{TRIVIA}.gz")]

    def aliases(self, raw: Path) -> dict[str, tuple[str, ...]]:
        return {padded(question): tuple(map(unquoted, given)) for question, given in trivia_answers(raw)}

    def part_of(self, question: str) -> Split:
        return share_split(padded(question), self.parts)


def _id(record: dict[str, Any], where: str) -> str:
    return id_of(value_of(record, "_id", where), "_id", where)


def _input(record: dict[str, Any], where: str) -> str:
    """What is asked; may be empty."""
    found = value_of(record, "input", where)
    if not isinstance(found, str):
        raise SourceError(f"'input' is {type(found).__name__}, not text", where=where, fix="mend that record")
    return found.strip()


def _cleaned(name: str, record: dict[str, Any], where: str) -> str:
    """The context as a document; empty for a cluster of fewer than two articles."""
    whole = text(record, "context", where)
    if name == "multi_news":
        return news(numbered(whole, "Passage {}:\n", where))
    if name == "narrativeqa":
        return without_marks(whole)
    if name == _PAPERS:
        whole = plain(whole)
    if name == "qmsum":
        whole = "\n".join(map(_turn, whole.split("\n")))
    return parted(whole) if name in _LINED else whole


def _turn(line: str) -> str:
    """A line of a meeting without marks of sounds; empty where nothing else is said."""
    speaker, mark, said = line.partition(": ")
    said = without_noises(said)
    return f"{speaker}: {said}" if said else "" if mark else line


def _articles(raw: Path) -> Iterator[dict[str, object]]:
    """Every distinct article of the multi-hop sets."""
    seen: set[str] = set()
    for key in _HOPS.values():
        for where, record in items(raw, key):
            for article in titled_articles(record, where):
                if article.article_id not in seen:
                    seen.add(article.article_id)
                    yield {"title": article.title, "text": article.text}


def _hop(record: dict[str, Any], where: str) -> Question:
    """A question with the articles of its own context that it seems to need."""
    asked, given = text(record, "input", where), answers(texts(record, "answers", where), where)
    articles = titled_articles(record, where)
    every = [Evidence(article_id=each.article_id, title=each.title) for each in articles]
    golds = gold_by_words(asked, given, articles)
    evidence = tuple(every[number] for number in golds)
    given = tuple(dict.fromkeys([*given, *titles_of_answers([articles[number] for number in golds], given)]))
    shown = tuple(each for each in every if each not in evidence)
    kind = "comparison" if {each.lower() for each in given} <= _JUDGEMENTS else "bridge"
    return Question(_id(record, where), "test", asked, kind, answers=given, evidence=evidence, shown=shown)
