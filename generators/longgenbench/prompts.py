"""The prompt of a row, built from the same objects as its output constraints (docs/spec/longgenbench.md 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from generators.longgenbench.content import KINDS, ONCE, RANGE
from generators.longgenbench.headings import Headings
from haymaker.core.rows.schema import Demand, Span

SEPARATOR = "#*#"
START = "*** started ***"
END = "*** finished ***"
STOP = "*** finished"
_SHOWN = 3  # entries of a periodic demand that the prompt names


class Document(NamedTuple):
    """The requested document.

    Attributes:
        headings: of the entries.
        entries: number of entries.
        min_words, max_words: of each entry.
        demands: required phrases and their entries, in order of kind.
        about: people or place of the document, as fields of the prompt.
    """

    headings: Headings
    entries: int
    min_words: int
    max_words: int
    demands: Sequence[Demand]
    about: Mapping[str, str]

    @property
    def header(self) -> str:
        """First header line, with the separator."""
        return f"{SEPARATOR} {self.headings.of(1)}"


class Prompt(NamedTuple):
    """A finished prompt in three parts.

    Attributes:
        question: the main request.
        head: text before the lines with the demands.
        lines: one line per demand.
        tail: text after the lines; ends with the first header.
        spans: one per phrase, then the worked example, in prompt coordinates.
    """

    question: str
    head: str
    lines: str
    tail: str
    spans: list[Span]


def wording(texts: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a wording, completed with the texts of the wording `like`."""
    own: dict[str, Any] = texts[name]
    return {**texts.get(own.get("like", ""), {}), **own}


def rendered(texts: Mapping[str, Any], name: str, document: Document) -> Prompt:
    """Return the prompt of a document, in the wording `name` of the texts."""
    words, common = wording(texts, name), texts["common"]
    fields = _fields(words, document)
    past = document.headings.turns(document.entries)
    fields["runs_on"] = common["runs_on"].format(last=document.headings.name(document.entries)) if past else ""
    question = str(words["task"]).format_map(fields)
    head = f"{question}\n\n{words['about'].format_map(fields)}\n\n{common['intro'].format_map(fields)}\n\n"
    lines, spans = _lines(common, fields, document, len(head))
    before = f"\n\n{common['rules']}\n\n{words['wanted']}\n\n{common['form']}\n\n".format_map(fields)
    example = f"<example>\n{document.header}\n{words['example'].format_map(fields)}\n</example>"
    after = f"\n\n{common['length'].format_map(fields)}\n\n{START}\n{document.header}"
    start = len(head) + len(lines) + len(before)
    spans.append(Span(start, start + len(example), "fewshot", "fewshot:1"))
    return Prompt(question, head, lines, before + example + after, spans)


def _fields(words: Mapping[str, Any], document: Document) -> dict[str, Any]:
    """Fields of the texts, without the demands."""
    (entry, entries), headings = words["entry"], document.headings
    grid = {"columns": headings.columns, "rows": document.entries // (headings.columns or 1)}
    return {
        **{key: words[key] for key in ("unit", "steps", "holds", "thing", "heading")},
        **document.about, **grid, "second_row": headings.columns + 1, "first_day": headings.first_day(),
        "entry": entry, "entries": entries, "count": document.entries, "min_words": document.min_words,
        "max_words": document.max_words, "separator": SEPARATOR, "end": END,
    }  # fmt: skip


def _lines(
    common: Mapping[str, Any], fields: Mapping[str, Any], document: Document, start: int
) -> tuple[str, list[Span]]:
    """A line per demand under a title per kind, and the spans of the phrases; `start` is the lines' offset in the prompt."""
    text, spans = "", []
    for kind in KINDS:
        for number, demand in enumerate(each for each in document.demands if each.kind == kind):
            text += "\n" if number else f"{chr(10) * 2 if text else ''}{common['titles'][kind].format_map(fields)}\n"
            line = common[kind].format_map({**fields, **_placed(demand, document.headings), "text": demand.text})
            at = start + len(text) + line.index(f'"{demand.text}"') + 1
            spans.append(Span(at, at + len(demand.text), "fact", f"{kind}:{number}"))
            text += line
    return text, spans


def _placed(demand: Demand, headings: Headings) -> dict[str, Any]:
    indices = demand.indices
    if demand.kind == ONCE:
        return {"place": headings.placed(indices[0])}
    if demand.kind == RANGE:
        return {"place": headings.span(indices[0], indices[-1]), "number": len(indices)}
    shown = ", ".join(map(headings.name, indices[:_SHOWN]))
    return {"place": headings.placed(indices[0]), "step": indices[1] - indices[0], "shown": shown}
