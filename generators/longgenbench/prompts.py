"""The prompt of a row, from the same objects as its checks; parts in the order of docs/spec/longgenbench.md 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generators.longgenbench.headings import Headings
from generators.longgenbench.places import KINDS, ONCE, RANGE
from haymaker.core.rows.schema import Demand, Span

SEPARATOR = "#*#"
START = "*** started ***"
END = "*** finished ***"
STOP = "*** finished"
_SHOWN = 3  # entries of a periodic demand that are named


@dataclass(frozen=True, slots=True)
class Document:
    """What a prompt asks for.

    Attributes:
        headings: of its entries.
        entries: how many.
        min_words, max_words: of each entry.
        demands: what must stand where, in order of kind.
        about: fields that say whom or what it is about.
    """

    headings: Headings
    entries: int
    min_words: int
    max_words: int
    demands: Sequence[Demand]
    about: Mapping[str, str]

    @property
    def header(self) -> str:
        """The first header line, with the separator."""
        return f"{SEPARATOR} {self.headings.of(1)}"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A finished prompt in three parts.

    Attributes:
        question: the main request.
        head: before the lines that say what must stand where.
        lines: these.
        tail: behind them; ends with the first header.
        spans: one per phrase, in `lines`, then the worked example, in `tail`.
    """

    question: str
    head: str
    lines: str
    tail: str
    spans: tuple[tuple[Span, ...], Span]


def wording(texts: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A wording with what it takes from another one."""
    own: dict[str, Any] = texts[name]
    return {**texts.get(own.get("like", ""), {}), **own}


def rendered(texts: Mapping[str, Any], name: str, document: Document) -> Prompt:
    """The prompt of a document.

    Args:
        texts: of prompts.yaml.
        name: of a wording.
        document: what is asked for.
    """
    words, common = wording(texts, name), texts["common"]
    fields = _fields(words, document)
    past = document.headings.turns(document.entries)
    fields["runs_on"] = common["runs_on"].format(last=document.headings.name(document.entries)) if past else ""
    question = str(words["task"]).format_map(fields)
    head = _paragraphs(question, words["about"].format_map(fields), common["intro"].format_map(fields), "")
    lines, phrases = _lines(common, fields, document)
    before = f"\n\n{_paragraphs(common['rules'], words['wanted'], common['form'], '').format_map(fields)}"
    example = f"<example>\n{document.header}\n{words['example'].format_map(fields)}\n</example>"
    after = f"\n\n{common['length'].format_map(fields)}\n\n{START}\n{document.header}"
    shown = Span(len(before), len(before) + len(example), "demo", "demo:1")
    return Prompt(question, head, lines, before + example + after, (tuple(phrases), shown))


def _paragraphs(*texts: str) -> str:
    return "\n\n".join(texts)


def _fields(words: Mapping[str, Any], document: Document) -> dict[str, Any]:
    """What the sentences leave open, apart from the demands."""
    entry, entries = words["entry"]
    headings = document.headings
    grid = {"columns": headings.columns, "rows": document.entries // (headings.columns or 1)}
    return {
        **{key: words[key] for key in ("unit", "steps", "holds", "thing", "heading")},
        **document.about, **grid, "second_row": headings.columns + 1, "first_day": headings.first_day(),
        "entry": entry, "entries": entries, "count": document.entries, "min_words": document.min_words,
        "max_words": document.max_words,
        "separator": SEPARATOR, "end": END,
    }  # fmt: skip


def _lines(common: Mapping[str, Any], fields: Mapping[str, Any], document: Document) -> tuple[str, list[Span]]:
    """A line per demand under a title per kind, and where the phrases stand in it."""
    text, spans = "", []
    for kind in KINDS:
        for number, demand in enumerate(each for each in document.demands if each.kind == kind):
            text += "\n" if number else f"{chr(10) * 2 if text else ''}{common['titles'][kind].format_map(fields)}\n"
            line = common[kind].format_map({**fields, **_placed(demand, document.headings), "text": demand.text})
            at = len(text) + line.index(f'"{demand.text}"') + 1
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
