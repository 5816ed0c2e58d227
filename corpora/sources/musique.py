"""MuSiQue: questions composed of two to four hops (Trivedi et al. 2022).

The publisher's dev is split test; its test set has no answers. Evidence is the paragraph that answers each hop: by title and
text in the mirror, whose slice of Wikipedia holds it, by the article's title in production, where articles come from KILT.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from corpora.sources.addressed import Mirrored, OnHub
from corpora.sources.base import FetchContext, RawFile
from corpora.sources.formats.fields import answers, id_of, objects, text, texts, value_of, whole
from corpora.sources.formats.json_files import json_array
from corpora.sources.formats.lines import json_file
from corpora.sources.formats.odd_records import OddRecordError
from corpora.sources.kilt_tasks import pieces_with_answer
from corpora.sources.question_source import Placed, QuestionSource, Shared
from corpora.sources.wikipedia import slice_pieces
from haymaker.core.errors import SourceError
from haymaker.core.rows.source_records import Evidence, Question, Split
from haymaker.core.text.strings import words

_TORN = re.compile(r"(?<=\w) - (?=\w)")  # "his then - girlfriend": joined it is accepted too, as readers write it
_FILES: dict[Split, str] = {"test": "musique_ans_v1.0_dev.jsonl", "train": "musique_ans_v1.0_train.jsonl"}


class Musique(QuestionSource, OnHub):
    """Options of kind `musique`.

    Attributes:
        splits: splits to read. test is the dev set of the publisher; train has 241 MB.
    """

    kind: ClassVar[str] = "musique"
    version: ClassVar[int] = 2
    sets: ClassVar[tuple[str, ...]] = ("musique",)
    splits: Annotated[tuple[Literal["test", "train"], ...], Field(min_length=1)] = ("test",)

    def raw_files(self, context: FetchContext) -> list[RawFile]:
        wanted = {_FILES[split] for split in self.splits}
        return [file for file in super().raw_files(context) if file.path in wanted]

    def load(self, raw: Path, name: str, split: Split) -> Iterator[Question]:
        lines = json_file(raw, _FILES[split]) if split in self.splits else ()
        return self.sound(f"{name} {split}", lines, lambda each: musique_question(*each, split, whole_text=False))


class MusiqueMirror(Mirrored, Shared):
    """Options of kind `musique_mirror`: `splits`."""

    kind: ClassVar[str] = "musique_mirror"
    version: ClassVar[int] = 2
    sets: ClassVar[tuple[str, ...]] = ("musique",)

    def raw_records(self, raw: Path, name: str) -> Iterable[Placed]:
        return json_array(raw / "musique_train_100.json")

    def question(self, record: dict[str, Any], where: str, split: Split) -> Question:
        return musique_question(where, record, split, whole_text=True)


def musique_question(where: str, record: dict[str, Any], split: Split, *, whole_text: bool) -> Question:
    """The question of a record; with `whole_text` evidence is passages of the slice, else only titles."""
    listed = [text(record, "answer", where), *texts(record, "answer_aliases", where)]
    given = answers([*listed, *(_TORN.sub("-", each) for each in listed)], where)
    key, paragraphs = id_of(value_of(record, "id", where), "id", where), objects(record, "paragraphs", where)
    hops = objects(record, "question_decomposition", where)
    if not hops:
        raise OddRecordError("'question_decomposition' is empty", where=where, fix="fetch the source again")
    found = tuple(dict.fromkeys(_evidence(hop, paragraphs, where, whole_text=whole_text) for hop in hops))
    every = (each for paragraph in paragraphs for each in _passages(paragraph, where, whole_text=whole_text))
    shown = tuple(each for each in dict.fromkeys(every) if each not in found)
    return Question(key, split, text(record, "question", where), "bridge", answers=given, evidence=found, shown=shown)


def _passages(paragraph: dict[str, Any], where: str, *, whole_text: bool) -> list[Evidence]:
    """A paragraph in the corpus: passages of the slice, or an article."""
    title = text(paragraph, "title", where)
    if not whole_text:
        return [Evidence(title=title)]
    return [Evidence(title=title, text=piece) for piece in slice_pieces(text(paragraph, "paragraph_text", where))]


def _evidence(hop: dict[str, Any], paragraphs: list[dict[str, Any]], where: str, *, whole_text: bool) -> Evidence:
    """The passage or article that answers a hop.

    MuSiQue marks whole paragraphs. If one is several passages, take those that hold the hop's answer, and of these the one
    with most words of its question.
    """
    at = whole(hop, "paragraph_support_idx", where)
    if at >= len(paragraphs):
        problem = f"a hop is supported by paragraph {at} of {len(paragraphs)}"
        raise SourceError(problem, where=where, fix="fix that record")
    title = text(paragraphs[at], "title", where)
    if not whole_text:
        return Evidence(title=title)
    asked = set(words(text(hop, "question", where)))
    pieces = pieces_with_answer(text(paragraphs[at], "paragraph_text", where), (text(hop, "answer", where),))
    return Evidence(title=title, text=max(pieces, key=lambda piece: len(asked & set(words(piece)))))
