"""What is wrong with finished rows of source code: each check reads the row as a stranger would, by the parser where it can."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from corpora.code.project import Project
from generators.code.stock import ENDING, OPENER
from generators.spec import Row
from haymaker.core.rows.schema import DEPTH_ERROR


def shown(row: Row) -> list[tuple[str, str, str]]:
    """Kind, path and text of every file at its span, in order."""
    found = []
    for span in row["spans"]:
        if span["kind"] in ("gold", "distractor"):
            path, _, text = row["prompt"][span["start"] : span["end"]].partition("\n")
            found.append((span["kind"], path, text))
    return found


def of_prompt(row: Row, words: Mapping[str, str]) -> Iterator[str]:
    """The context is its files, each below its path, none twice; behind it stand the words of the task, and the cue."""
    files, prompt, extra = shown(row), row["prompt"], json.loads(row["extra"])
    texts = (f"{path}\n{text}" for _, path, text in files)
    if prompt[row["context_start"] : row["context_end"]] != f"{OPENER} " + f"{ENDING} ".join(texts):
        yield "the context is not its files, each below its path"
    if [span["ref"] for span in row["spans"] if span["kind"] in ("gold", "distractor")] != [
        path for _, path, _ in files
    ]:
        yield "a span is not on the file that it names"
    if not len({path for _, path, _ in files}) == len(files) == row["n_units"] == row["n_unique_units"]:
        yield "a file stands there twice, or n_units is not their number"
    if prompt[row["cue_start"] :] != words["cue"] or len(row["answers"]) != 1 or "\n" in row["answers"][0]:
        yield "the cue is another, or the answer is not one line"
    if not beginning(row, words) or beginning(row, words).count("\n") != extra["line"] - 1:
        yield "what stands above the line is not so many lines"


def beginning(row: Row, words: Mapping[str, str]) -> str:
    """All that the prompt shows of the unfinished file, with the end of its last line; empty where it is not there."""
    tail = row["prompt"][row["context_end"] : row["cue_start"]]
    if "unfinished" not in words:
        files = shown(row)
        return f"{files[-1][2]}\n" if files and tail == "\n" else ""
    head = f"\n\n{words['unfinished'].format(path=json.loads(row['extra'])['file'])}\n"
    return str(tail.removeprefix(head)) if tail.startswith(head) else ""


def as_stored(row: Row, stored: Project, words: Mapping[str, str]) -> Iterator[str]:
    """Every file is whole and the source's; beginning and line stand in the original at their place."""
    extra = json.loads(row["extra"])
    path, number = extra["file"], extra["line"] - 1
    lines, above = stored.texts.get(path, "").split("\n"), beginning(row, words).split("\n")[:-1]
    if above != lines[:number]:
        yield f"what stands above the line is not the beginning of {path}"
    if lines[number : number + 1] != row["answers"]:
        yield f"line {number + 1} of {path} is not the answer"
    for _, name, text in shown(row):
        if name != path and stored.texts.get(name, "").rstrip("\n") != text:
            yield f"{name} is not the source's file, whole"
    reading = stored.reading(path)
    if reading is None or number not in {each.line for each in reading.asked}:
        yield "the line is no whole statement of a file that parses"


def of_uses(row: Row, stored: Project) -> Iterator[str]:
    """The imports of the unfinished file lead, by the shown files alone, to the definitions that the line uses.

    Args:
        row: finished.
        stored: files of the source; without them the imports cannot be followed, and the definitions alone are looked for.
    """
    extra, files = json.loads(row["extra"]), {path: text for _, path, text in shown(row)}
    golds = {path for kind, path, _ in shown(row) if kind == "gold"}
    uses = {(use["path"], use["name"]) for use in extra["uses"]}
    if {path for use in extra["uses"] for path in (use["path"], *use["via"])} != golds or not uses:
        yield "the gold files are not those that the line uses"
    project = Project(
        {**files, **({extra["file"]: stored.texts[extra["file"]]} if extra["file"] in stored.texts else {})}
    )
    for path, name in sorted(uses):
        reading = project.reading(path) if path in files else None
        if reading is None or name not in reading.defined:
            yield f"{name} is not defined in the shown {path}"
        elif _needle(row, f"{path}:{name}") != "\n".join(files[path].split("\n")[slice(*reading.defined[name])]):
            yield f"no span stands on the definition of {name}"
    target = project.reading(extra["file"]) if extra["file"] in project.texts else None
    if target and not uses <= {(use.path, use.name) for use in target.uses if use.line == extra["line"] - 1}:
        yield "its imports do not lead to the shown definitions"


def _needle(row: Row, ref: str) -> str:
    """The text at the span of a definition."""
    return next((row["prompt"][span["start"] : span["end"]] for span in row["spans"] if span["ref"] == ref), "")


def of_depth(row: Row) -> Iterator[str]:
    """The depth is that of a gold file."""
    kinds = [kind for kind, _, _ in shown(row)]
    depths = [place / max(1, len(kinds) - 1) for place, kind in enumerate(kinds) if kind == "gold"]
    if not any(abs(row["depth"] - depth) <= DEPTH_ERROR for depth in depths):
        yield "depth is not where a gold file stands"
