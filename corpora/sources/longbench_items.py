"""LongBench's released items: their files and parts (paragraphs, shots, news), and sets with one document per item.

Items have the fields `input`, `context`, `answers` and `_id` (spec of LongBench, section 1). Passages and paragraphs have numbered
headers from 1; each header is searched after the header before it, so a text that mentions "Passage 3:" is not split.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from corpora.sources.addressed import OnHub
from corpora.sources.base import FetchContext
from corpora.sources.document_source import AGAIN, ArrangedDocuments, known_faults, record_id, text_id
from corpora.sources.formats.fields import answers, text, text_of, texts, value_of
from corpora.sources.formats.lines import json_file
from corpora.sources.formats.odd_records import OddRecords, sound
from corpora.sources.formats.text_cleanup import without_pictures
from corpora.sources.kilt_tasks import unquoted
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import DocumentQuestion

_NEWLINES = re.compile(r"[^\S\n]*\bNEWLINE_CHAR\b[^\S\n]*")
_MANY_BLANK = re.compile(r"\n{3,}")
_SHOT = re.compile(r"(.*)\nQuestion:\n(.*)\nAnswer:\s*(.*)", re.DOTALL)
_NOTICE_WORDS = 130
_ARCHIVE = re.compile(r"^Starting in 1996, Alexa Internet has been donating[^\n]*embargo period\.\s*", re.MULTILINE)

_COUNTING = r"多少|多大|多久|多长|多高|几|何时|(?:什么|什麼)(?:时候|时间|時候|時間)|哪一?年"
_ASKS = re.compile(
    rf"{_COUNTING}|什么样的|(?<!为)什么|(?<!為)什麼|哪[一两兩]?[个個家位届种種款所些里首代座]?(?:城市|省份|国家|地方|大学|公司|法院)?|谁|誰"
)
_MEASURES = "个人家项户套种倍元亩吨步集次天条座名"
_COUNTS = re.compile(_COUNTING)
_NUMBER = re.compile(r"近?\d[\d.,]*(?:[%％]|[^\W\d_]{0,4})?")
_END = " 。.？?！!"
_LEADING = re.compile("^(?:由|为|是|了)")
_TRAILING = re.compile("等$")
_BEFORE, _AFTER, _SAME = 3, 2, 4  # characters that are no accident


class InArchive(OnHub):
    """Options of sources in LongBench's archive on the Hub, whose loading script is not run: `revision`, `url`."""

    keys: ClassVar[tuple[str, ...]]  # of the files to keep

    def arrange(self, stage: Path, context: FetchContext) -> None:
        for path in [path for path in (stage / "unpacked").rglob("*") if path.is_file()]:
            if path.suffix != ".jsonl" or path.stem not in self.keys:
                path.unlink()
        super().arrange(stage, context)


def items(raw: Path, key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Place and fields of every item in the file of a data set, which may be in an unpacked archive."""
    return json_file(raw, the_file(raw, f"{key}.jsonl"))


def the_file(raw: Path, name: str) -> str:
    """The path below `raw` of the only file with a name."""
    found = sorted(raw.rglob(name))
    if len(found) != 1:
        raise SourceError(f"expected one file, found {len(found)}", where=name, fix="fetch the source again")
    return found[0].relative_to(raw).as_posix()


def numbered(context: str, header: str, where: str) -> list[str]:
    """The stripped texts under the headers 1, 2, 3 ... of a context; `header` has {} for the number, as "Passage {}:"."""
    whole = f"\n{context.lstrip()}"
    starts = [whole.find(f"\n{header.format(1)}")]
    if starts[0]:
        raise SourceError(f"the context does not begin with {header.format(1)!r}", where=where, fix=AGAIN)
    while (start := whole.find(f"\n{header.format(len(starts) + 1)}", starts[-1] + 1)) >= 0:
        starts.append(start)
    ends = [*starts[1:], len(whole)]
    return [
        whole[start + 1 + len(header.format(number)) : end].strip()
        for number, (start, end) in enumerate(zip(starts, ends, strict=True), 1)
    ]


def shots(context: str, where: str) -> list[tuple[str, str, str]]:
    """The passages of a context with their questions and answers; the answer to an item's own question is empty."""
    found = []
    for block in re.split(r"(?:^|\n)Passage:\n", context.strip())[1:]:
        match = _SHOT.fullmatch(block)
        if not match or not without_pictures(match[1]) or not match[2].strip():
            raise SourceError("expected Passage, Question and Answer", where=where, fix=AGAIN)
        found.append((without_pictures(match[1]), unquoted(match[2]), unquoted(match[3])))
    if not found:
        raise SourceError("has no 'Passage:'", where=where, fix=AGAIN)
    return found


def news(articles: Sequence[str]) -> str:
    """A cluster of news as one text, each article under a numbered header; empty for fewer than two articles.

    Left out: repeated articles, short notices of web archives or players, advertisements, and the notice above an archived article.
    """
    plain = (_ARCHIVE.sub("", _MANY_BLANK.sub("\n\n", _NEWLINES.sub("\n", article))) for article in articles)
    distinct = dict.fromkeys(article.strip() for article in plain)
    kept = [article for article in distinct if article and not _is_notice(article)]
    joined = "\n\n".join(f"Article {number}:\n\n{article}" for number, article in enumerate(kept, 1))
    return joined if len(kept) > 1 else ""


def _is_notice(article: str) -> bool:
    kind = next((kind for begins, kind in known_faults("multi_news").items() if article.startswith(begins)), "")
    return kind == "spam" or (kind == "notice" and len(article.split()) < _NOTICE_WORDS)


def parted(context: str) -> str:
    """A text whose lines are paragraphs or turns, with a blank line between them."""
    return "\n\n".join(line.strip() for line in context.split("\n") if line.strip())


class ItemDocuments(ArrangedDocuments):
    """Sets with one document per item: its context, with a question or a request for a summary.

    Attributes:
        titles: set -> the word that its documents' titles begin with.
        summaries: sets whose answers are summaries.
        unusable: documents for which `cleaned` returns an empty text.
    """

    titles: ClassVar[Mapping[str, str]]
    summaries: ClassVar[tuple[str, ...]]
    unusable: ClassVar[str] = "clusters of fewer than two articles"

    def cleaned(self, name: str, context: str, where: str) -> str:
        """A context as a document; empty if it is unusable."""
        return context

    def given(self, name: str, answers: list[str]) -> Iterable[str]:
        """The answers of an item, cleaned."""
        return answers

    def short_forms(self, key: str, question: str, given: Sequence[str]) -> Iterable[str]:
        """More answers to accept; empty ones are ignored."""
        return ()

    def rejection_reason(self, name: str, item: DocumentQuestion, whole: str) -> str:
        """Return why an item is left out, or an empty string."""
        return ""

    def document_records(self, raw: Path, left_out: Counter[str]) -> Iterator[dict[str, object]]:
        seen: set[str] = set()
        for name, title in self.titles.items():
            odd = OddRecords(name)  # `load` checks how many there are
            for doc_id, whole in sound(odd, items(raw, name), partial(self._text, name)):
                left_out[self.unusable] += not whole
                if whole and doc_id not in seen:
                    seen.add(doc_id)
                    yield {"id": doc_id, "split": "test", "title": f"{title} {len(seen)}", "text": whole}

    def load(self, raw: Path, name: str) -> Iterator[DocumentQuestion]:
        left_out = Counter[str]()
        yield from self.sound(name, items(raw, name), partial(self._question, name, left_out))
        self._odd.update({f"{name} ({reason})": count for reason, count in left_out.items()})

    def _text(self, name: str, row: tuple[str, dict[str, Any]]) -> tuple[str, str]:
        where, record = row
        context = text(record, "context", where)
        return text_id(context), self.cleaned(name, context, where)

    def _question(self, name: str, left_out: Counter[str], row: tuple[str, dict[str, Any]]) -> DocumentQuestion | None:
        where, record = row
        doc_id, whole = self._text(name, row)
        if not whole:
            left_out[self.unusable] += 1
            return None
        key, given = record_id(record, "_id", where), answers(self.given(name, texts(record, "answers", where)), where)
        if name in self.summaries:
            item = DocumentQuestion(key, doc_id, "test", "summary", input_of(record, where), references=given)
        else:
            item = DocumentQuestion(key, doc_id, "test", "qa", text(record, "input", where), answers=given)
        if why := self.rejection_reason(name, item, whole):
            left_out[why] += 1
            return None
        more = [form for form in self.short_forms(key, item.text, item.answers) if form]
        return replace(item, answers=answers([*given, *more], where)) if more else item


def input_of(record: dict[str, Any], where: str) -> str:
    """The question of an item, which may be empty."""
    return text_of(value_of(record, "input", where), "input", where).strip()


def bare(question: str, answer: str) -> str:
    """Return the part of a sentence that answers a Chinese question: "2012年，收入增长了25.89%。" becomes 25.89%.

    The sentence repeats the words before and after the question word, and the answer is between them. If it does not repeat them
    and the question is for a number, the answer is the only number that the question does not have. Empty if it is ambiguous.
    """
    sentence = answer.strip(_END)
    places = list(_ASKS.finditer(question))
    if len(places) != 1:
        return ""
    before, after = question[: places[0].start()], question[places[0].end() :].strip(_END)
    found = _between(sentence, before, after)
    if not found and _COUNTS.search(question) and _repeats(sentence, before + after):
        numbers = [each for each in _NUMBER.findall(sentence) if each not in question]
        found = numbers[0] if len(numbers) == 1 else ""
    found = _TRAILING.sub("", _LEADING.sub("", found)).strip(f"，,{_END}")
    return "" if found == sentence or found in question else found


def _between(sentence: str, before: str, after: str) -> str:
    """The part of a sentence between the words before the question word and the words after it."""
    head = next((before[at:] for at in range(len(before)) if before[at:] in sentence), "")
    if not head:
        return ""
    rest = sentence[sentence.index(head) + len(head) :]
    tail = next((after[:end] for end in range(len(after), _AFTER - 1, -1) if after[:end] in rest), "")
    if len(head) < min(_BEFORE, len(before)) and not (sentence.startswith(head) and tail and rest.endswith(tail)):
        return ""
    found = rest[: rest.index(tail)] if tail else rest
    return found + tail[0] if tail[:1] and tail[0] in _MEASURES and found[-1:].isdigit() else found


def _repeats(sentence: str, asked: str) -> bool:
    return any(sentence[at : at + _SAME] in asked for at in range(len(sentence) - _SAME + 1))
