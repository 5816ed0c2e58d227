"""Step 2 of the answer reader: find the part of an output that answers the question."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from haymaker.core.files.json_lines import objects_in

CHARACTERS_PER_TOKEN = {"zh": 2, "ja": 2, "code": 4, "": 6}
"""Characters per token of the answer budget, by language or category of the row; "" is for all others."""
SHORTEST_BUDGET = 240
"""Minimum characters read of every output: enough for a sentence around the answer."""
KEYS = ("answer", "final_answer", "option", "choice", "label", "category", "class", "intent", "value", "result", "response", "output", "prediction", "final", "ranking", "return", "答案")  # fmt: skip
"""Keys of a JSON object whose value is the answer."""

_NOUN = "answers?|response|result|output|solution|conclusion|label|category|intent|class|ranking|option|choice|letter|prediction"
_NOUN += "|respuesta|réponse|antwort|risposta|resposta|ответ|odpowiedź|svar"
_CJK_NOUN = "答案|回答|答え|正确选项|选项|结果|类别|标签|答|정답|답"
_IS = r"(?:is|are|was|would be|should be|must be|will be|es|est|lautet|ist|è|é|er)\b|是|为|は|은|는"
_NO_ANSWER = r"(?!\s*(?:not\b|in\s(?:the|passage|paragraph|document)|(?:given|found|based|stated|mentioned|available|provided|supported|taken|unclear|unknown|as\sfollows)\b))"
_WHICH = r"(?:\s+(?:correcta|correcte|finale?|korrekte|corretta|correta|to\s[^.:\n]{1,120}?))?"
_ALONE = rf"[ \t>#*_=~-]*(?:(?:the|my|your|final|short|full|correct|direct|model)\s)*(?:{_NOUN}|summary|{_CJK_NOUN})[ \t*_:：=~-]*"
_CUE = re.compile(
    rf"(?:\b(?:{_NOUN})\b|{_CJK_NOUN}){_WHICH}[*_`\s]*(?:[:：=]|->|=>|→|(?:{_IS})(?:\s*[:：])?{_NO_ANSWER})[*_]*|^{_ALONE}$",
    re.IGNORECASE | re.MULTILINE,
)
_CONCLUSION = re.compile(
    r"(?:^|[.!?;,:\n]\s*)(?:and\s)?(?:so|therefore|thus|hence|in conclusion|in short|overall|consequently|making|which means)\b,?\s",
    re.IGNORECASE,
)
_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]{0,500}\}){0,500}\}){0,2000})\}")
_TAGGED = re.compile(
    r"<(answer|final|final_answer|response|result|output)>(.*?)(?:</\1>|\Z)", re.IGNORECASE | re.DOTALL
)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n`]*\n(.*?)(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_LOOSE_PAIR = re.compile(
    rf"""["'](?:{"|".join(KEYS)})["']\s*[:：]\s*(?:"([^"\n]*)|'([^'\n]*)|([^"',\s}}\]]+))""", re.IGNORECASE
)
_NEXT_QUESTION = re.compile(
    r"(?<![:：])\n\W{0,4}(?:question|q|input|user|human|text|key|问题)\s?\d{0,3}\s?[:：]|<(?:context|example|text)>",
    re.IGNORECASE,
)
_MARKS = " \t*_`#>~-=•|\"'“”:："
_HEADING = re.compile(
    rf"[\W_]*\n|[^\n]{{0,200}}?(?:\b(?:{_NOUN}|summary)\b|{_CJK_NOUN}|概要|摘要|总结|如下)[^\n:：]{{0,40}}[:：][ \t*_]*\n|{_ALONE}\n",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(r"[^\n]{0,200}[:：][ \t*_]*$")


def budget_of(row: Mapping[str, Any]) -> int | None:
    """Return the maximum characters of an answer: the row's `max_new_tokens` in characters; None without a budget."""
    tokens = row.get("max_new_tokens")
    if not tokens:
        return None
    kinds = (row.get("category"), row.get("language"), "")
    each = next(CHARACTERS_PER_TOKEN[kind] for kind in kinds if kind in CHARACTERS_PER_TOKEN)
    return max(SHORTEST_BUDGET, each * int(tokens))


def final_answer(
    text: str,
    budget: int | None = None,
    decides: Callable[[str], object] = str.strip,
    *,
    block: bool = False,
    order: Callable[[list[str]], list[str]] | None = None,
) -> str:
    r"""Return the first of these parts of a text that contains an answer (`decides`), or an empty string.

    1. the text after the last cue ("Answer:", "the answer is", a heading "Response", also in other languages);
    2. the value of the required form: a JSON object, LaTeX `\boxed{}`, <answer> tags, a code fence around everything;
    3. if one sentence is expected: the text after "so" or "therefore", then each sentence that is no question;
    4. everything.

    Text after a second "Question:", "Text:" or "Key:" is ignored, and no part is longer than the budget.

    Args:
        text: an output without its reasoning.
        budget: maximum characters; None: no limit.
        decides: function that is true for parts with an answer.
        block: whether an answer may have several lines.
        order: given if one sentence is expected: returns the sentences in the order to try.
    """
    again = _NEXT_QUESTION.search(text, len(text) - len(text.lstrip()) + 1)
    text = text[: again.start()] if again and text[: again.start()].strip() else text
    for part in _parts(text, order, block=block):
        if decides(part := part.strip()[:budget]):
            return part
    return ""


def _parts(text: str, order: Callable[[list[str]], list[str]] | None, *, block: bool) -> Iterator[str]:
    last = len(text.rstrip(_MARKS + "\n"))
    cues = [match.end() for match in _CUE.finditer(text) if match.end() < last]
    if cues:
        after = text[cues[-1] :]
        yield from required_form(after)
        yield after if block else first_line(after)
    yield from required_form(text)
    if order:
        yield from (text[match.end() :] for match in [*_CONCLUSION.finditer(text)][-1:])
        yield from order([sentence for sentence in sentences_of(text) if not sentence.endswith(("?", "？"))])
    yield text


def first_line(text: str) -> str:
    """Return the first line with a letter or digit; lines that end in a colon are skipped if another follows."""
    lines = [line for line in text.split("\n") if line.strip(_MARKS)]
    return next((line for line in lines if not _LEAD_IN.fullmatch(line)), lines[0] if lines else "")


def sentences_of(text: str) -> list[str]:
    """Return the sentences and lines of a text; the items of a list are one sentence."""
    text = re.sub(r"\n\s*(?:[-*•]|\d{1,3}[.)])\s+", ", ", text)
    return [
        part.strip()
        for part in re.split(r"(?<=\w[\w)\]\"'”’*])[.!]+(?=\s|$)|(?<=[?？])\s|[。！]|\n", text)
        if part.strip(_MARKS + ".,")
    ]


def without_heading(text: str) -> str:
    """Remove leading lines that only announce the text ("### Response", "Here is the summary:", "---")."""
    at, last = 0, len(text.rstrip())
    while (heading := _HEADING.match(text, at)) and heading.end() < last:
        at = heading.end()
    return text[at:].strip()


def required_form(text: str) -> Iterator[str]:
    """Yield the values of the answer forms required by prompts; of several boxes or tags the last."""
    for forms in ([*_BOXED.finditer(text)], [*_TAGGED.finditer(text)]):
        yield from (form[form.lastindex or 0] for form in forms[-1:])
    fences = [*_FENCE.finditer(text)]
    inner = fences[-1][1] if fences else text
    yield ", ".join(map(as_text, json_answers(inner)))
    yield from (next(filter(None, pair.groups()), "") for pair in [*_LOOSE_PAIR.finditer(text)][-1:])
    if fences and not _FENCE.sub("", text).strip(_MARKS + "\n"):
        yield inner


def json_answers(text: str) -> list[Any]:
    """Return the values of JSON objects in a text: under the first key of KEYS in any of them, else under only keys."""
    found = defaultdict[str, list[Any]](list)
    until = 0
    for first, last, pairs in objects_in(text, list):
        if first < until:
            continue  # inside an object that has an answer
        for key, value in pairs:
            found[key.strip().lower().replace(" ", "_")].append(value)
        until = last if not found.keys().isdisjoint(KEYS) else until
        if len(pairs) == 1 and not isinstance(pairs[0][1], dict | list):
            found[""].append(pairs[0][1])
    return next((found[key] for key in (*KEYS, "") if key in found), [])


def as_text(value: Any) -> str:
    """Return a JSON value as text: list items or object values (pairs), separated by commas."""
    if isinstance(value, list | tuple):
        return ", ".join(as_text(each[1] if isinstance(each, tuple) else each) for each in value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
