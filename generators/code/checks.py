"""Checks of finished rows of source code; some of them parse the code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from corpora.code.project import Project
from generators.code.lines import near_copies
from generators.code.stock import ENDING, OPENER
from generators.context.checks import at_depth, counts, is_context
from generators.spec import Row
from haymaker.core.rows.span_columns import SpanColumns


def shown(row: Row) -> list[tuple[str, str, str]]:
    """Return kind, path and text of every file at its span, in order."""
    spans = _files(row)
    parts = (text.partition("\n") for text in spans.texts(row["prompt"]))
    return [(kind, path, text) for kind, (path, _, text) in zip(spans.column("kind"), parts, strict=True)]


def _files(row: Row) -> SpanColumns:
    return SpanColumns.of(row["spans"]).of_kinds("gold", "distractor")


def of_prompt(row: Row, words: Mapping[str, str]) -> Iterator[str]:
    """The context is its files, each once and after its path; the texts of the task and the cue follow."""
    files, paths = shown(row), [path for _, path, _ in shown(row)]
    yield from is_context(row, f"{OPENER} " + f"{ENDING} ".join(f"{path}\n{text}" for _, path, text in files))
    if _files(row).column("ref") != paths:
        yield "a span does not match its file"
    yield from counts(row, paths)
    if (
        row["prompt"][row["answer_prefix_start"] :] != words["cue"]
        or len(row["answers"]) != 1
        or "\n" in row["answers"][0]
    ):
        yield "the cue is wrong, or the answer is not one line"
    above = beginning(row, words)
    if not above or above.count("\n") != json.loads(row["metadata"])["line"] - 1:
        yield "the number of lines above the line is wrong"


def beginning(row: Row, words: Mapping[str, str]) -> str:
    """Return the text of the unfinished file in the prompt, with its last line break; empty if it is not found."""
    tail = row["prompt"][row["context_end"] : row["answer_prefix_start"]]
    if "unfinished" not in words:
        files = shown(row)
        return f"{files[-1][2]}\n" if files and tail == "\n" else ""
    head = f"\n\n{words['unfinished'].format(path=json.loads(row['metadata'])['file'])}\n"
    return str(tail.removeprefix(head)) if tail.startswith(head) else ""


def copies(row: Row, words: Mapping[str, str]) -> Iterator[str]:
    """Neither a shown file nor the beginning of the unfinished file has a line that equals the answer or is nearly the same."""
    texts = {path: text for _, path, text in shown(row)} | {json.loads(row["metadata"])["file"]: beginning(row, words)}
    for path, text in texts.items():
        if near := near_copies(row["answers"][0], text.split("\n")):
            yield f"{path} has a near-copy of the line: {near[0].strip()}"


def as_stored(row: Row, stored: Project, words: Mapping[str, str]) -> Iterator[str]:
    """Every file is whole and as in the source; the original file has the beginning and the line at their place."""
    metadata = json.loads(row["metadata"])
    path, number = metadata["file"], metadata["line"] - 1
    lines, above = stored.texts.get(path, "").split("\n"), beginning(row, words).split("\n")[:-1]
    if above != lines[:number]:
        yield f"the text above the line is not the beginning of {path}"
    if lines[number : number + 1] != row["answers"]:
        yield f"line {number + 1} of {path} is not the answer"
    for _, name, text in shown(row):
        if name != path and stored.texts.get(name, "").rstrip("\n") != text:
            yield f"{name} is not the complete file of the source"
    reading = stored.reading(path)
    if reading is None or number not in {each.line for each in reading.asked}:
        yield "the line is not a complete statement of a file that parses"


def of_uses(row: Row, stored: Project) -> Iterator[str]:
    """The depth belongs to a gold file, and imports in the shown files lead to the definitions that the line uses.

    Without files of the source (`stored`) only the definitions are checked, not the imports.
    """
    metadata, files = json.loads(row["metadata"]), {path: text for _, path, text in shown(row)}
    golds = {path: place for place, (kind, path, _) in enumerate(shown(row)) if kind == "gold"}
    yield from at_depth(row, golds.values(), len(shown(row)))
    uses, file = {(use["path"], use["name"]) for use in metadata["uses"]}, metadata["file"]
    if {path for use in metadata["uses"] for path in (use["path"], *use["via"])} != golds.keys() or not uses:
        yield "the gold files are not those that the line uses"
    project = Project({**files, **({file: stored.texts[file]} if file in stored.texts else {})})
    marked = {span["ref"]: row["prompt"][span["start"] : span["end"]] for span in row["spans"]}
    for path, name in sorted(uses):
        reading = project.reading(path) if path in files else None
        if reading is None or name not in reading.defined:
            yield f"{name} is not defined in the shown {path}"
        elif marked.get(f"{path}:{name}") != "\n".join(files[path].split("\n")[slice(*reading.defined[name])]):
            yield f"no span covers the definition of {name}"
    target = project.reading(file) if file in project.texts else None
    if target and not uses <= {(use.path, use.name) for use in target.uses if use.line == metadata["line"] - 1}:
        yield "its imports do not lead to the shown definitions"
