"""LongBench's scores of Chinese answers: F1 and ROUGE-L of words split by jieba 0.42.1 (docs/spec/longbench.md 5.2)."""

from __future__ import annotations

import re
import string
import warnings
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any

from haymaker.core.errors import EnvironmentProblem
from haymaker.core.extras import install_command
from haymaker.core.text.chinese_numbers import in_digits, is_date, numbers_in, quantity, same_quantity
from haymaker.scoring.metrics import pair
from haymaker.scoring.metrics.longbench_rouge import STEPS, rouge_l_official, rouge_l_strict
from haymaker.scoring.official_text import whole
from haymaker.scoring.reader import answer, bag_f1, clean, long_text

STEPS_ZH = STEPS - 1  # the reference's program is one call deeper here

_RANGES = (
    "2013-2014 2018-2019 201B-201F 2026-2027 3001-3003 300B-3011 3014-301F 3030-3030 303E-303F FE4F-FE4F FF01-FF0D FF0F-FF0F "
    "FF1A-FF20 FF3B-FF40 FF5B-FF64"
)
_MARKS = "".join(
    chr(point)
    for first, last in (pair_.split("-") for pair_ in _RANGES.split())
    for point in range(int(first, 16), int(last, 16) + 1)
)
"""Chinese marks that the reference deletes: 》 but not 《, and not 〈〉 ． ￥ ·."""
_DELETED = str.maketrans("", "", string.punctuation + _MARKS)
_NO_WORD = re.compile(r"(?<!\d)[\W_]+|[\W_]+(?!\d)")  # 2.5 stays one number


def f1_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: ASCII punctuation and 74 Chinese marks deleted from each word, empty words dropped."""
    ours = _official_words(whole(output))
    return max((bag_f1(ours, _official_words(gold)) for gold in row["answers"]), default=0.0)


def f1_strict(output: str, row: Mapping[str, Any]) -> float:
    """F1 of bags of words of the final answer; differs from the reference: `_plain_words`, and numbers are right or wrong."""
    said = answer(output, row, block=True)
    return max((_likeness(said, gold) for gold in row["answers"]), default=0.0)


def _likeness(said: str, gold: str) -> float:
    """F1 of words; a number with its unit or a date is 0 if the output has another one, and such a number is 1 if it is equal."""
    ours, theirs = clean(said), clean(gold)
    right, stated = quantity(theirs), quantity(ours)
    if right and stated:
        return float(same_quantity(stated, right))
    if right or is_date(theirs):
        found, wanted = numbers_in(ours), numbers_in(theirs)
        if not (wanted <= found or (found < wanted and is_date(ours))):  # a date may lack the year
            return 0.0
    return bag_f1(_plain_words(said), _plain_words(gold))


def _official_words(text: str) -> list[str]:
    return [kept for word in cut(text) if (kept := "".join(word.lower().translate(_DELETED).split()))]


def _plain_words(text: str) -> list[str]:
    """Return words without marks and case, numbers in digits; full-width letters and digits become normal ones."""
    return [kept for word in cut(in_digits(clean(text))) if (kept := _NO_WORD.sub("", word.lower()))]


def rouge_official(output: str, row: Mapping[str, Any]) -> float:
    """The reference's rule: Chinese text is one sentence, and long ones give 0 (docs/defects/longbench.md D2)."""
    text = " ".join(cut(whole(output)))
    return max((rouge_l_official(text, " ".join(cut(gold)), STEPS_ZH) for gold in row["answers"]), default=0.0)


def rouge_strict(output: str, row: Mapping[str, Any]) -> float:
    """ROUGE-L of `_plain_words`; differs from the reference: 0 means no common word (docs/defects/longbench.md D2)."""
    text = " ".join(_plain_words(long_text(output, row)))
    return max((rouge_l_strict(text, " ".join(_plain_words(gold))) for gold in row["answers"]), default=0.0)


@lru_cache(maxsize=1024)
def cut(text: str) -> tuple[str, ...]:
    """Return the words of a text by jieba's own dictionary in accurate mode, with its HMM for unknown words.

    Raises:
        EnvironmentProblem: jieba is not installed.
    """
    return tuple(_tokenizer().cut(text, cut_all=False))


@cache
def _tokenizer() -> Any:
    """Return a tokenizer that is independent of words added to jieba's global one and of its cache file."""
    if find_spec("jieba") is None:
        raise EnvironmentProblem(
            "jieba is not installed; it splits Chinese text into words", fix=install_command(".[zh]")
        )
    with warnings.catch_warnings():  # old code: invalid escapes, pkg_resources
        warnings.simplefilter("ignore")
        import jieba

    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer


READS = 20_000  # characters: answers have a budget of 512 tokens, and jieba needs 35 microseconds per character

_F1 = "F1 of Chinese words against the nearest accepted answer."
_ROUGE = "ROUGE-L of Chinese words (LongBench)."
METRICS = (
    *pair("longbench_f1_zh", _F1, f1_strict, f1_official, version=3, strict_version=7, reads=READS),
    *pair("longbench_rouge_l_zh", _ROUGE, rouge_strict, rouge_official, version=3, strict_version=5, reads=READS),
)
