"""LongBench as released: its items as documents, articles, questions and shots (Bai et al. 2024).

Kinds: `longbench` (the English sets of the archive on the Hub) and `longbench_mirror` (a few items of each set, all of multi_news);
`longbench_zh` (multifieldqa_zh, a question per document, and vcsum, a summary of a meeting) and `longbench_zh_mirror` (all of the first,
six items of the second). A document is a distinct context; an article is a distinct pair of title and text in the contexts of the three
multi-hop sets.

The documents of TriviaQA are passages: an item's own passage is in split test, the passages of its examples are in split train. An
example has one alias of its answer, chosen at random: two thirds are not in the passage, and some are no answer at all ("Nano-" for
a billionth). So an example is in split test only if another source has all its accepted answers and the passage contains one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from corpora.sources.addressed import Mirrored
from corpora.sources.base import Batch, FetchContext
from corpora.sources.document_source import arranged, known_faults, record_id, text_id
from corpora.sources.formats.fields import answers, text, texts
from corpora.sources.formats.lines import json_lines, line_batches
from corpora.sources.formats.text_cleanup import unspaced, without_link, without_noises
from corpora.sources.formats.web_pages import no_prose
from corpora.sources.kilt_tasks import trivia_answers, unquoted
from corpora.sources.longbench_hops import HOPS, Titled, all_articles, hop_question, whole_article
from corpora.sources.longbench_items import (
    InArchive,
    ItemDocuments,
    bare,
    input_of,
    items,
    news,
    numbered,
    parted,
    shots,
)
from corpora.sources.narrativeqa import without_marks
from corpora.sources.qasper import lost, plain, readable
from corpora.sources.question_source import Shares, check_questions, share_split
from corpora.sources.triviaqa_reading import answering, fault, without_unit
from haymaker.core.rows.question_checks import BESIDE, answered_beside, names_any
from haymaker.core.rows.source_records import Article, DocumentQuestion, Question, Split
from haymaker.core.text.strings import holds, padded, words

_ARTICLES = "articles.jsonl"
_TRIVIA = "triviaqa"
_TITLES = {
    "narrativeqa": "Story",
    "qasper": "Paper",
    "multifieldqa_en": "Text",
    "gov_report": "Report",
    "multi_news": "Collection",
    "qmsum": "Meeting",
}
_KEYS = (*_TITLES, _TRIVIA, *HOPS.values())
_JUDGEMENTS = frozenset("是 是的 不是 否 有 没有 能 不能 可以 不可以 会 不会".split())  # many ways to say yes or no
_ASKS_WHETHER = re.compile(r"是否|吗[？?]?$")
_TAG = re.compile(r"</?(?:div|h\d|p)[^<>]{0,40}>")
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")


class _LongBench(ItemDocuments):
    version = 9
    titles = _TITLES
    summaries = ("gov_report", "multi_news", "qmsum")
    sets = (*_TITLES, _TRIVIA)

    def aliases(self, raw: Path) -> dict[str, tuple[str, ...]]:
        """Padded question -> all accepted answers, if another source has them."""
        return {}

    def split_for(self, question: str) -> Split:
        """The split of an example whose accepted answers are known."""
        return "train"

    def arrange(self, stage: Path, context: FetchContext) -> None:
        super().arrange(stage, context)
        arranged(stage / _ARTICLES, (each._asdict() for each in all_articles(stage)))

    def check(self, raw: Path) -> None:
        super().check(raw)
        check_questions(self, raw)

    def batches(self, raw: Path) -> list[Batch]:
        return line_batches(raw, [self.documents_file, _ARTICLES])

    def articles(self, raw: Path, batch: Batch) -> Iterator[Article]:
        for piece in batch.pieces:
            for where, record in json_lines(raw, piece) if piece.path == _ARTICLES else ():
                yield whole_article(Titled(text(record, "title", where), text(record, "text", where)))

    def document_records(self, raw: Path, left_out: Counter[str]) -> Iterator[dict[str, object]]:
        yield from super().document_records(raw, left_out)
        for passage, asked in self._trivia(raw, left_out):
            yield {"id": asked.doc_id, "part": asked.part, "text": passage}

    def cleaned(self, name: str, context: str, where: str) -> str:
        if name == "multi_news":
            return news(numbered(context, "Passage {}:\n", where))
        if name == "narrativeqa":
            return without_marks(context)
        if name == "qasper":
            return parted(plain(context))
        return parted("\n".join(map(_turn, context.split("\n")))) if name == "qmsum" else context

    def given(self, name: str, answers: list[str]) -> Iterable[str]:
        if name == "multi_news":
            return map(without_link, answers)
        return readable(answers) if name == "qasper" else answers

    def rejection_reason(self, name: str, item: DocumentQuestion, whole: str) -> str:
        if name == "qasper" and any(lost(answer, whole) for answer in item.answers):
            return "answers that stood in tables or figures"
        if name == "qasper" and answered_beside(item.text, item.answers):
            return BESIDE
        judged = name == "multifieldqa_en" and all(words(answer)[:1] in (["yes"], ["no"]) for answer in item.answers)
        return "answer yes or no" if judged else ""  # guessing is right half of the time, and nothing asks for the word

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        if name == _TRIVIA:
            return (asked for _, asked in self._trivia(raw, Counter()))
        return super().load(raw, name)

    def _trivia(self, raw: Path, left_out: Counter[str]) -> Iterator[tuple[str, DocumentQuestion]]:
        """Passages with their questions: the items, then their examples, without repeated passages and without the items' questions."""
        rows = list(items(raw, _TRIVIA))
        seen: set[str] = set()
        for where, record in rows:
            passage, question, _ = shots(input_of(record, where), where)[0]
            key = text_id(passage)
            seen |= {key, padded(question)}
            given = answering(answers(texts(record, "answers", where), where), passage)
            yield passage, DocumentQuestion(record_id(record, "_id", where), key, "test", "qa", question, answers=given)
        known = self.aliases(raw)
        for where, record in rows:
            for passage, question, answer in shots(text(record, "context", where), where):
                key = text_id(passage)
                if key in seen or padded(question) in seen:
                    left_out["repeated examples"] += 1
                    continue
                seen.add(key)
                if fault(question):
                    left_out["examples whose answers are known to be wrong"] += 1
                    continue
                others = known.get(padded(question), ())
                given = answering(answers([answer, *others], where), passage)
                given = tuple(dict.fromkeys([*given, *without_unit(question, given)]))
                askable = others and holds(padded(passage), [padded(given[0])])
                split = self.split_for(question) if askable else "train"
                yield passage, DocumentQuestion(key, key, split, "qa", question, answers=given)

    def question_sets(self) -> tuple[str, ...]:
        return tuple(HOPS)

    def questions(self, raw: Path, name: str, part: Split) -> list[Question]:
        self.check_set("questions", name, HOPS)
        found = list(self.sound(name, items(raw, HOPS[name]) if part == "test" else (), hop_question))
        asked = [question for question in found if not names_any(question.text)]
        if some := len(found) - len(asked):
            self._odd[f"{name} (one of several is asked for)"] = some
        return self.reviewed(name, asked, part)


class LongBench(InArchive, _LongBench):
    """Options of kind `longbench`: `revision`, `url`."""

    kind: ClassVar[str] = "longbench"
    keys = _KEYS


class LongBenchMirror(Mirrored, _LongBench):
    """Options of kind `longbench_mirror`.

    Attributes:
        parts: whole-number shares of the splits, for examples of triviaqa with known answers; the question's words decide.
    """

    kind: ClassVar[str] = "longbench_mirror"
    parts: Shares = Field(default={"test": 1})

    def aliases(self, raw: Path) -> dict[str, tuple[str, ...]]:
        return {padded(question): tuple(map(unquoted, given)) for question, given in trivia_answers(raw)}

    def split_for(self, question: str) -> Split:
        return share_split(padded(question), self.parts)


class _LongBenchZh(ItemDocuments):
    version = 8
    titles: ClassVar = {"multifieldqa_zh": "文本", "vcsum": "会议"}
    summaries = ("vcsum",)
    sets = ("multifieldqa_zh", "vcsum")
    unusable = "advertising, lists and menus"

    def cleaned(self, name: str, context: str, where: str) -> str:
        r"""A context that was written as a Python literal ('...', \uf06e) as text, without letter-spacing and HTML tags; empty if it is no prose."""
        if context[:1] == context[-1:] and context[:1] in "'\"":
            context = _TAG.sub("\n", context[1:-1])
        if no_prose(context):
            return ""
        return parted(unspaced(_ESCAPE.sub(lambda found: chr(int(found[1], 16)), context).replace("\r", "\n")))

    def short_forms(self, key: str, question: str, given: Sequence[str]) -> Iterable[str]:
        return [bare(question, each) for each in given]

    def rejection_reason(self, name: str, item: DocumentQuestion, whole: str) -> str:
        judged = item.answers and all(each.strip("。 ") in _JUDGEMENTS for each in item.answers)
        if judged or _ASKS_WHETHER.search(item.text):
            return "answer yes or no"
        return "summary known to be wrong" if item.doc_id in known_faults("longbench_zh") else ""


class LongBenchZh(InArchive, _LongBenchZh):
    """Options of kind `longbench_zh`: `revision`, `url`."""

    kind: ClassVar[str] = "longbench_zh"
    keys = _LongBenchZh.sets


class LongBenchZhMirror(Mirrored, _LongBenchZh):
    """Kind `longbench_zh_mirror`; no options."""

    kind: ClassVar[str] = "longbench_zh_mirror"


def _turn(line: str) -> str:
    """A line of a meeting without marks of sounds; empty if it has no other words."""
    speaker, mark, spoken = line.partition(": ")
    spoken = without_noises(spoken)
    return f"{speaker}: {spoken}" if spoken else "" if mark else line
