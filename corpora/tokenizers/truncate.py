"""Shorten a text to its first and last part, like LongBench (docs/spec/longbench.md 4), for models with a short window.

The middle may contain the answer, so the result states for every given span whether it was kept
(docs/defects/longbench.md D8).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from corpora.tokenizers.counted_text import CountedText
from corpora.tokenizers.counting import Tokenizer
from corpora.tokenizers.tokenizer import load
from haymaker.core.errors import ParamsError

_FIRST_STEP = 256  # characters


class Truncated(NamedTuple):
    """A shortened text.

    Attributes:
        text: first and last part.
        tokens: of `text`, no special tokens.
        cut_start, cut_end: characters of the whole text that were removed; equal if none.
        kept: for each given span, whether all of it is kept.
    """

    text: str
    tokens: int
    cut_start: int
    cut_end: int
    kept: tuple[bool, ...]


def middle_truncate(
    text: str, max_tokens: int, tokenizer: Tokenizer | str, spans: Iterable[Mapping[str, Any] | tuple[int, int]] = ()
) -> Truncated:
    """Return the first and the last half of a text that has too many tokens; a shorter text is unchanged.

    The first part is as long as half the tokens (rounded down) allow, then the last part as long as the rest allows,
    counted together: one more character on either side would be too many. Differs from the reference, which decodes two
    lists of tokens: joined and tokenized again they may exceed the limit, and may break a character of several tokens.

    Args:
        text: e.g. the prompt of a row.
        max_tokens: limit, counted by `tokenizer` without special tokens.
        tokenizer: or its name (corpora.tokenizers.tokenizer).
        spans: pairs of start and end, or spans of a row, in characters of `text`.
    """
    if max_tokens < 0:
        raise ParamsError(f"cannot keep {max_tokens} tokens", where="middle_truncate", fix="give 0 or more")
    counter = load(tokenizer) if isinstance(tokenizer, str) else tokenizer
    start, end = len(text), len(text)
    if (tokens := counter.count(text)) > max_tokens:
        head = _grown(counter, text, max_tokens // 2, None)
        tail = _grown(counter, text[len(head) :], max_tokens, counter.part(head))
        start, end = len(head), len(text) - len(tail)
        tokens = counter.count(head + tail)
    kept = tuple(last <= start or first >= end for first, last in map(_pair, spans))
    return Truncated(text[:start] + text[end:], tokens, start, end, kept)


def _pair(span: Mapping[str, Any] | tuple[int, int]) -> tuple[int, int]:
    return (span["start"], span["end"]) if isinstance(span, Mapping) else span


def _grown(counter: Tokenizer, text: str, max_tokens: int, head: CountedText | None) -> str:
    """Return the longest beginning of a text that fits, or after a head its longest end.

    It grows by blocks, doubled until one does not fit, then halved; each block is tokenized separately and joined
    exactly.
    """
    size, step, rising, grown = 0, _FIRST_STEP, True, counter.part("")
    while step:
        fits = False
        if size + step <= len(text):
            parts = _with(counter, text, size, step, grown, from_end=head is not None)
            if fits := counter.joined(parts if head is None else [head, *parts]) <= max_tokens:
                whole = "".join(map(str, parts))
                size, grown = size + step, CountedText(counter.joined(parts, inside=True), text=whole)
        rising = rising and fits
        step = 2 * step if rising else step // 2
    return str(grown)


def _with(
    counter: Tokenizer, text: str, size: int, step: int, grown: CountedText, *, from_end: bool
) -> list[CountedText]:
    if from_end:
        at = len(text) - size
        return [counter.part(text[at - step : at]), grown]
    return [grown, counter.part(text[size : size + step])]
