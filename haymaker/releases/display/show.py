"""haymaker show: print one row with coloured spans and a folded middle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.table import Table as Grid
from rich.text import Text

from haymaker.core.files.json_output import write_json_or_print
from haymaker.core.progress import out
from haymaker.core.rows.chat_template import TEMPLATES, declared_template
from haymaker.core.text.strings import shown_at, visible
from haymaker.releases.display.fold_prompt import shown_ranges
from haymaker.releases.find_row import find
from haymaker.releases.folder import manifest

_STYLES = {
    "instruction": "cyan",
    "fewshot": "blue",
    "fact": "yellow",
    "support": "bold black on yellow",
    "gold": "bold black on green",
    "distractor": "red",
    "decoy": "red",
}
_ITEMS = 12  # maximum list items shown
_LONGEST = 700  # maximum characters of an answer shown
_HIDDEN = ("prompt", "spans", "metadata")


def show(release: Path, task: str, length: str | None, index: int, split: str, json_file: Path | None = None) -> None:
    """Print row `index` of a task, or write it as JSON.

    Raises:
        ReleaseError: the release has no such task, length, split or row.
    """
    row = find(release, task, length, index, split)
    write_json_or_print(json_file, row)
    if title := _title(release, row):
        out.print(Text(visible(title), style="bold"))
    grid = Grid(show_header=False, box=None, padding=(0, 2, 0, 0))
    roles = [each["role"] for each in row.get("messages") or ()]
    for key, value in (row | {"messages": roles}).items():
        if value not in (None, [], "") and key not in _HIDDEN:
            shown = str(value) if key == "seed" else _brief(value)  # as in the parameters, without thousands separators
            grid.add_row(Text(visible(key), style="dim"), Text(visible(shown)))
    out.print(grid)
    out.rule()
    prompt = folded(row["prompt"], row["spans"], named=out.no_color or out.color_system is None)
    if template := TEMPLATES.get(declared_template(row) or ""):
        prompt.highlight_words([template.user.strip(), template.assistant.strip()], style="bold")
    out.print(prompt)
    out.rule()
    answer = ", ".join(row["answers"])
    shown = answer if len(answer) <= _LONGEST else f"{answer[:_LONGEST]} ... ({len(answer):,} characters)"
    out.print(Text.assemble(("answer  ", "dim"), (visible(shown), "bold green")))


def _title(release: Path, row: dict[str, Any]) -> str:
    """Return the release's title of the row's task (it marks simulated tasks), or an empty string."""
    tasks = manifest(release).get("suites", {}).get(row["suite"], {}).get("tasks", ())
    return next((str(task["title"]) for task in tasks if task["name"] == row["task"]), "")


def folded(prompt: str, spans: list[dict[str, Any]], *, named: bool = False) -> Text:
    """Return the prompt with styled spans; text far from spans and ends is replaced by its character count.

    Args:
        prompt: prompt of a row.
        spans: spans of the row.
        named: mark spans by brackets with their kind, [[gold: ...]], for terminals without colours.
    """
    starts, ends = ([span[edge] for span in spans] for edge in ("start", "end"))
    moved = zip(spans, shown_at(prompt, starts), shown_at(prompt, ends), strict=True)
    spans, prompt = [{**span, "start": start, "end": end} for span, start, end in moved], visible(prompt)
    text = Text(prompt)
    for span in spans:
        text.stylize(_STYLES.get(span["kind"], "magenta"), span["start"], span["end"])
    pieces, at = [], 0
    for start, end in shown_ranges(len(prompt), spans):
        if start > at:
            pieces.append(Text(f"\n  ... {start - at:,} characters ...\n", style="dim italic"))
        pieces.append(_named(text, spans, start, end) if named else text[start:end])
        at = end
    return Text().join(pieces)


def _named(text: Text, spans: list[dict[str, Any]], start: int, end: int) -> Text:
    """Return a range of the prompt with brackets around its spans."""
    inside = [span for span in spans if span["start"] < end and span["end"] > start]
    begins = [(max(start, span["start"]), 1, f"[[{span['kind']}: ") for span in inside]
    ends = [(min(end, span["end"]), 0, "]]") for span in inside]
    pieces, at = [], start
    for place, _, mark in sorted([*begins, *ends], key=lambda each: each[:2]):
        pieces += [text[at:place], Text(mark)]
        at = place
    return Text().join([*pieces, text[at:end]])


def _brief(value: Any) -> str:
    if isinstance(value, list) and len(value) > _ITEMS:
        return f"{_brief(value[:_ITEMS])} ... ({len(value):,} in all)"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return ", ".join(" ".join(str(v) for v in item.values()) for item in value)
    if isinstance(value, list):
        return ", ".join(item if item.isprintable() else repr(item) for item in map(str, value))
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) and value > 9999 else str(value)
