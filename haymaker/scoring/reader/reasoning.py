"""Step 1 of the answer reader: remove the model's reasoning."""

from __future__ import annotations

import re
from typing import NamedTuple


class ReasoningFormat(NamedTuple):
    """Reasoning marks of one family of models; both marks are regular expressions.

    Attributes:
        models: names of the model families.
        begins: mark before the reasoning.
        ends: mark between the reasoning and the answer.
    """

    models: str
    begins: str
    ends: str


_TAGS = "antThought|antThinking|thought|reasoning|scratchpad|analysis"
FORMATS = (
    ReasoningFormat("DeepSeek, Qwen, GLM, Kimi K2, most others", r"<think(?:ing)?>", r"</think(?:ing)?>"),
    ReasoningFormat("EXAONE, Nemotron, prompted models", f"<(?:{_TAGS})>", f"</(?:{_TAGS})>"),
    ReasoningFormat("Mistral", r"\[THINK\]", r"\[/THINK\]"),
    ReasoningFormat("Cohere", r"<\|START_THINKING\|>", r"<\|END_THINKING\|>|<\|START_RESPONSE\|>"),
    ReasoningFormat("Kimi 1.5", r"◁think▷", r"◁/think▷"),
    ReasoningFormat("Seed", r"<seed:think>", r"</seed:think>"),
    ReasoningFormat("Gemma", r"<\|channel>thought|<unused94>thought", r"<channel\|>|<unused95>"),
    ReasoningFormat("Granite", r"\AHere is my thought process:", r"Here is my response:"),
    ReasoningFormat(
        "gpt-oss (Harmony)",
        r"(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)[^<]{0,40}<\|message\|>",
        r"<\|channel\|>final[^<]{0,40}(?:<\|constrain\|>[^<]{0,20})?<\|message\|>",
    ),
    ReasoningFormat(
        "gpt-oss, marks removed", r"\A(?:assistant)?analysis(?=(?-i:[A-Z])|[\"'“])", r"assistant(?:final)+"
    ),
)
"""Reasoning formats. To support a new family, add a line."""
_BEGINS, _ENDS = (
    re.compile("|".join(marks), re.IGNORECASE) for marks in zip(*((f.begins, f.ends) for f in FORMATS), strict=True)
)
_CONTROL = re.compile(
    r"<\|(?:end|return|im_end|eot_id|endoftext|START_RESPONSE|END_RESPONSE|end_of_text|end_of_turn)\|>|</s>|<end_of_turn>"
)


def strip_reasoning(output: object) -> str:
    """Return the output without reasoning, chat control tokens and surrounding blank lines.

    Keeps the text after the last end mark up to a new begin mark; unfinished reasoning is removed with the rest.
    If nothing follows the reasoning, the text before it is kept. The first line keeps its indentation.
    """
    text = output if isinstance(output, str) else ""
    ends = [match.end() for match in _ENDS.finditer(text)]
    answer, before = text[ends[-1] :] if ends else text, _BEGINS.search(text)
    begins = _BEGINS.search(answer)
    answer = answer[: begins.start()] if begins else answer
    if before and not _CONTROL.sub("", answer).strip():
        answer = text[: before.start()] if ends else answer
    answer = _CONTROL.sub("", answer).rstrip()
    first = len(answer) - len(answer.lstrip())
    return answer[answer.rfind("\n", 0, first) + 1 :]
