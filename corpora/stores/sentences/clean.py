"""Split a raw book into sentences: every rule is a parameter, every dropped piece is counted by reason.

The paper keeps all Punkt sentences of at least 10 GPT-2 tokens (docs/spec/babilong.md 6.2). Differs from it: line
breaks inside a sentence become spaces, and text that is not prose (contents, page numbers, tables, headings) is
removed.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field, model_validator

from corpora.sources.babi_shapes import Edition
from corpora.stores.sentences import languages
from corpora.stores.sentences.speech import marks_of, whole_speech
from corpora.stores.sentences.split import splitter
from haymaker.core.params import Section, omit_if_default
from haymaker.core.text.fix_text import LOST, fix_text
from haymaker.core.text.normalize import plain
from haymaker.core.text.sentence_gaps import with_gaps

CLEANING_VERSION = 6


class CleaningParams(Section):
    """Cleaning rules (params key `corpora.<name>.clean`); lengths are in tokens of the release tokenizer.

    Attributes:
        splitter: sentence splitter. Default: the splitter of the language.
        front_matter: remove the text before the first two adjacent paragraphs of prose, such as title pages and contents.
        headings: remove headings.
        tables: remove tables.
        page_numbers: remove page numbers.
        min_tokens: remove sentences with fewer tokens.
        max_tokens: remove sentences with more tokens.
        min_letter_share: remove sentences with a smaller share of letters among their characters, 0 .. 1.
        abbreviations: further abbreviations after which a sentence does not end, in lower case without the point.
        decontaminate: remove sentences that have the form of facts or questions of these editions of bAbI.
        fix_encoding: fix and count damaged characters.
        emphasis: remove the underscores of _emphasis_; false if underscores may be part of formulas, names or rules.
    """

    as_written: ClassVar[bool] = False  # what is read as a document shows its paragraphs, notes and spaces as they were
    splitter: Annotated[str, AfterValidator(languages.checked)] = "punkt"
    front_matter: bool = True
    headings: bool = True
    tables: bool = True
    page_numbers: bool = True
    min_tokens: Annotated[int, Field(ge=1)] = 10
    max_tokens: Annotated[int, Field(ge=8)] = 512
    min_letter_share: Annotated[float, Field(ge=0, le=1)] = 0.6
    abbreviations: tuple[str, ...] = ()
    decontaminate: tuple[Edition, ...] = ()
    fix_encoding: bool = omit_if_default(True)
    emphasis: bool = omit_if_default(True)

    @property
    def joins_speech(self) -> bool:
        """Whether the sentences of one speech are one unit."""
        return not self.as_written and self.splitter != "lines"

    @model_validator(mode="after")
    def _bounds(self) -> CleaningParams:
        if self.min_tokens > self.max_tokens:
            raise ValueError("min_tokens is above max_tokens")
        return self


_MARK_START = re.compile(r"^\*\*\* ?START OF (?:THIS|THE) PROJECT.*$", re.MULTILINE)
_MARK_END = re.compile(r"^\*\*\* ?END OF (?:THIS|THE) PROJECT.*$", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n[ \t\f\v]*\n\s*")
_LINE = re.compile(
    r"\n[ \t\f\v]*\n\s*|\n[ \t\f\v]*+(?![a-z.,;:)\n])"
)  # a line that begins like that continues the one before
_WRAPPED = 120  # characters that a line of a text with broken lines has at most
_PAGE_NUMBER = re.compile(r"[\[({]?\s*(?:p(?:g|age)?\.?\s*)?(?:\d{1,4}|[ivxlc]{1,7})\s*[\])}]?\.?", re.IGNORECASE)
_INLINE_PAGE = re.compile(  # looks at a run of spaces once, however long it is
    r"(?:(?<!\s)\s++|)(?:\[(?:Pg|Page|p\.)\s*[\divxlc]+\]|\{(?:Pg\s*)?\d{1,4}\})\s*+", re.IGNORECASE
)
_EDITORIAL = re.compile(
    r"\[(?:Illustration|Footnote|Transcriber|Sidenote|Greek|Note)\b|\[\d{1,4}\]\s|\*{3,}|(?:\*\s+){3,}"
)
_HEADING = re.compile(
    r"(?:CHAPTER|BOOK|PART|VOLUME|VOL|SECTION|ACT|SCENE|CANTO|LETTER|PREFACE|CONTENTS|INDEX|APPENDIX|THE END|FINIS)\b"
)
_COLUMN_GAP = re.compile(r"\S(?: {3,}|\t|\s*\|\s*)\S")
_DOT_LEADER = re.compile(r"\.{4,}|(?:\. ){4,}")
_EMPHASIS = re.compile(r"(?<![A-Za-z0-9])_+|_+(?![A-Za-z0-9])")
_WRAPPED_CJK = re.compile(r"(?<=[\u3000-\u9fff\uff00-\uffef])\s*\n\s*(?=[\u3000-\u9fff\uff00-\uffef])")
_SENTENCE_END = re.compile(r"[.!?。！？…।॥۔؟։።][\"'”’“‘)\]»«›‹」』]*$")


def paragraphs(text: str, rules: CleaningParams, dropped: Counter[str]) -> Iterator[str]:
    """Return prose paragraphs in order, each on one line; count the others in `dropped` by reason."""
    if rules.fix_encoding:
        text, found = fix_text(text)
        dropped.update({"mended": found} if found else {})
    if not rules.as_written:
        text = plain(text, "\n\n")
    if start := _MARK_START.search(text):
        text = text[start.end() :]
    if end := _MARK_END.search(text):
        text = text[: end.start()]
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    breaks = _LINE if rules.as_written and _is_unwrapped(text) else _PARAGRAPH
    blocks = [block for block in breaks.split(text) if block.strip()]
    begin = _first_prose(blocks) if rules.front_matter else 0
    dropped["front_matter"] += begin
    for block in blocks[begin:]:
        reason = _not_prose(block, rules)
        if reason:
            dropped[reason] += 1
            continue
        text, found = _INLINE_PAGE.subn(" ", block) if rules.page_numbers else (block, 0)
        dropped["inline_page_number"] += found
        yield with_gaps(_folded(_EMPHASIS.sub("", text) if rules.emphasis else text, rules.splitter))


def _is_unwrapped(text: str) -> bool:
    """Check whether every line is a paragraph: more than half of the text is in very long lines."""
    lengths = [len(line.strip()) for line in text.split("\n")]
    return 2 * sum(length for length in lengths if length > _WRAPPED) > sum(lengths)


def _folded(text: str, splitter_name: str) -> str:
    """Fold white space: lines stay lines if they are sentences; nothing is inserted between Chinese characters."""
    if splitter_name == "lines":
        return "\n".join(" ".join(line.split()) for line in text.split("\n"))
    if splitter_name == "cjk" or splitter_name in languages.SPACELESS:
        text = _WRAPPED_CJK.sub("", text)
    return " ".join(text.split())


def _first_prose(blocks: list[str]) -> int:
    """Return the first of two adjacent prose paragraphs; 0 if the first tenth has none."""
    for i in range(min(len(blocks), 20 + len(blocks) // 10)):
        words = blocks[i].split()
        if len(words) >= 25 and _SENTENCE_END.search(blocks[i].strip()) and not _looks_tabular(blocks[i]):
            return i
    return 0


def _not_prose(block: str, rules: CleaningParams) -> str:
    """Return why a paragraph is left out, or an empty string."""
    flat = block.strip()
    if rules.page_numbers and _PAGE_NUMBER.fullmatch(flat):
        return "page_number"
    if not rules.as_written and _EDITORIAL.match(flat):
        return "editorial"
    if rules.tables and _looks_tabular(block):
        return "table"
    if rules.headings and ((_HEADING.match(flat) and len(flat) < 200) or _is_title(flat)):
        return "heading"
    return ""


def _is_title(flat: str) -> bool:
    """Check for a short text without a sentence end, or in capitals (never true in scripts without capitals)."""
    if len(flat) > 120:
        return False
    shouted = flat.isupper() and len(flat.split()) > 1
    return shouted or (
        not _SENTENCE_END.search(flat) and len(flat.split()) <= 12 and not flat.endswith((",", ";", ":", "-"))
    )


def _looks_tabular(block: str) -> bool:
    lines = block.strip().split("\n")
    gaps = sum(1 for line in lines if _COLUMN_GAP.search(line) or _DOT_LEADER.search(line))
    return gaps * 2 > len(lines) or (gaps >= 2 and gaps * 3 > len(lines))


def sentences(text: str, rules: CleaningParams, dropped: Counter[str]) -> Iterator[tuple[str, int]]:
    """Yield the sentences of a document with the numbers of their paragraphs, before rules on length."""
    split = splitter(rules.splitter, rules.abbreviations)
    for number, paragraph in enumerate(paragraphs(text, rules, dropped)):
        spans = whole_speech(split(paragraph), paragraph, marks_of(text)) if rules.joins_speech else split(paragraph)
        for start, end in _spaced(spans, paragraph) if rules.as_written and rules.splitter == "punkt" else spans:
            sentence = paragraph[start:end].strip()
            if _letter_share(sentence) < rules.min_letter_share:
                dropped["not_prose"] += 1
            elif rules.fix_encoding and not rules.as_written and LOST in sentence:
                dropped["lost_character"] += 1
            elif sentence:
                yield sentence, number


def _spaced(spans: Iterable[tuple[int, int]], text: str) -> Iterator[tuple[int, int]]:
    """Merge spans without white space between them: Punkt cuts before a closing quote."""
    begin = 0
    for start, _ in spans:
        if start and text[start - 1].isspace():
            yield begin, start
            begin = start
    yield begin, len(text)


def _letter_share(sentence: str) -> float:
    """Share of letters among what is not a space; vowel signs of Indic scripts count as letters."""
    solid = max(1, len(sentence) - sentence.count(" "))
    letters = sum(map(str.isalpha, sentence))
    if letters < solid and not sentence.isascii():
        letters += sum(1 for character in sentence if unicodedata.category(character) in ("Mn", "Mc"))
    return letters / solid
