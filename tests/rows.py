"""One name for a finished row, and rows that are conversations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from haymaker.core.rng import digest
from haymaker.core.rows.chat_template import TEMPLATES, Template, render
from haymaker.core.rows.schema import Sample

LATER = {"length_of": "input", "options_reviewed_by": None, "output_constraints": None, "messages": None}
"""Columns that came after digests had been written down, with what they are in rows that have no use for them."""


def row_digest(row: Mapping[str, Any]) -> str:
    """Twelve hexadecimal digits that change with any byte of a row."""
    told = {key: value for key, value in row.items() if key not in LATER or value != LATER[key]}
    return digest(json.dumps(told, sort_keys=True), size=6).hex()


def conversation(row: Sample, *texts: str, template: Template = "none") -> Sample:
    """The row as a conversation of these texts: the user's first, then in turn, the user's last."""
    messages = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts)]
    prompt, form = render(messages, TEMPLATES[template]), TEMPLATES[template]
    return replace(
        row, messages=messages, prompt=prompt.encode(), answer_prefix_start=len(prompt) - len(form.cue),
        metadata=json.dumps({"chat_template": template}),
    )  # fmt: skip
