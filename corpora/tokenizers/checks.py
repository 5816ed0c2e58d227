"""The check at load: difficult joins, counted from parts and as a whole (docs/spec/measured.md 1)."""

from __future__ import annotations

from itertools import pairwise, product

from corpora.tokenizers.counting import Tokenizer
from corpora.tokenizers.cuts import not_additive

NASTY = (
    " The old man said nothing.",
    " \u201cWhy?\u201d she asked;",
    "don't",
    "'ll go",
    "'S",
    "\n\n",
    "\n",
    "  \n \t x",
    "\r\n",
    "\t",
    " ",
    "   ",
    ",",
    ". ",
    "//",
    "x = {\n    'a': [1, 22, 4444],\n}\n",
    '{"key": "va\\"lue"}',
    "123",
    "4567 89,",
    "他说：",
    "“你好”，世界。",
    "e\u0301",
    "\u0308,",
    "\u0130",
    "\u037a",
    "\u00b4",
    "\u00a0",
    "\u3000",
    "👩‍👩‍👧🏽",
    "</s>",
    "[INST]",
    "▁",
    "▁x",
    "=\u0338",
    "HTTPServerError",
    "-----",
)


def check_counting(tokenizer: Tokenizer) -> None:
    """Count every pair of nasty parts, and one long chain of them, as parts and as a whole."""
    parts = [tokenizer.part(text) for text in NASTY]
    for left, right in product(parts, parts):
        whole = f"{left.text}{right.text}"
        if tokenizer.joined([left, right]) != tokenizer.count(whole):
            raise not_additive(
                f"{left.text!r} and {right.text!r} have a different number of tokens when they are joined"
            )
    chain = [part for pair in pairwise(parts) for part in pair]
    if tokenizer.joined(chain) != tokenizer.count("".join(map(str, chain))):
        raise not_additive("a chain of difficult texts has a different number of tokens when it is joined")
