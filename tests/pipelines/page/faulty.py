"""Made-up models with known faults, for pages that must show each fault where it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from haymaker.releases.folder import rows

Row = Mapping[str, Any]
COLUMNS = ("answers", "choices", "spans", "prompt", "depth", "question", "max_new_tokens")
HOSTILE = "</script><script>document.title='taken'</script><!-- <img src=x onerror=\"document.title='taken'\"> \u202e\x00\u2028 {{ 7*7 }} &amp;"


def forgets_the_middle(row: Row) -> dict[str, str]:
    """Right at both ends of the context, lost between."""
    lost = row["depth"] is not None and 0.2 <= row["depth"] < 0.8
    return {"output": "I could not find that." if lost else row["answers"][0]}


def names_the_last_distractor(row: Row) -> dict[str, str]:
    """Whatever the last piece says that is not gold."""
    gold = {"gold", "support", "instruction", "fewshot"}
    others = sorted((span for span in row["spans"] if span["kind"] not in gold), key=lambda span: span["start"])
    if not others:
        return {"output": row["answers"][0]}
    said = row["prompt"][others[-1]["start"] : others[-1]["end"]]
    values = [word.strip(".,:;") for word in said.split()]
    return {"output": f"It must be {next((value for value in values if value.isdigit()), values[-1])}."}


def ignores_the_format(row: Row) -> dict[str, str]:
    """Every choice at once; of some rows nothing, of some a text without end, of some what would break a page."""
    turn = sum(map(ord, row["id"])) % 5
    if turn == 0:
        return {"output": "  \n"}
    if turn == 1:
        return {"output": "Let me think about this. " * 40, "finish": "length"}
    if turn == 2:
        return {"output": HOSTILE}
    return {"output": f"One of {', '.join(row['choices'] or [row['answers'][0]])}, I should say."}


MODELS: Mapping[str, Callable[[Row], dict[str, str]]] = {
    "forgets-the-middle": forgets_the_middle,
    "last-distractor": names_the_last_distractor,
    "no-format": ignores_the_format,
}


def write(release: Path, folder: Path) -> list[Path]:
    """The outputs of each, as files of JSON lines named after it."""
    every = [row for row in rows(release, lambda _: COLUMNS) if row["split"] == "test"]
    files = [folder / f"{name}.jsonl" for name in MODELS]
    for path, model in zip(files, MODELS.values(), strict=True):
        path.write_text("".join(_lines(every, model)), encoding="utf-8")
    return files


def _lines(every: list[dict[str, Any]], model: Callable[[Row], dict[str, str]]) -> Iterator[str]:
    for row in every:
        yield json.dumps({"id": row["id"], **model(row)}) + "\n"
