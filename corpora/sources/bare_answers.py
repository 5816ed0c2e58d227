"""Chinese answers that are sentences, without what the question already says: "2012年，收入增长了25.89%。" says 25.89%.

A question is what stands before and behind its one question word; the answer's sentence repeats both around what is asked for. Where
it does not, and a number is asked for, the one number that the question does not have is it.
"""

from __future__ import annotations

import re

_COUNTING = r"多少|多大|多久|多长|多高|几|何时|(?:什么|什麼)(?:时候|时间|時候|時間)|哪一?年"
_ASKS = re.compile(
    rf"{_COUNTING}|什么样的|(?<!为)什么|(?<!為)什麼|哪[一两兩]?[个個家位届种種款所些里首代座]?(?:城市|省份|国家|地方|大学|公司|法院)?|谁|誰"
)
_MEASURES = "个人家项户套种倍元亩吨步集次天条座名"
_COUNTS = re.compile(_COUNTING)
_NUMBER = re.compile(r"近?\d[\d.,]*(?:[%％]|[^\W\d_]{0,4})?")
_END = " 。.？?！!"
_LEADING = re.compile("^(?:由|为|是|了)")
_TRAILING = re.compile("等$")
_BEFORE, _BEHIND, _SAME = 3, 2, 4  # characters that are no accident


def bare(question: str, answer: str) -> str:
    """What a sentence says beyond the question; empty where it is no such sentence, or nobody can tell."""
    said = answer.strip(_END)
    places = list(_ASKS.finditer(question))
    if len(places) != 1:
        return ""
    before, behind = question[: places[0].start()], question[places[0].end() :].strip(_END)
    found = _between(said, before, behind)
    if not found and _COUNTS.search(question) and _repeats(said, before + behind):
        numbers = [each for each in _NUMBER.findall(said) if each not in question]
        found = numbers[0] if len(numbers) == 1 else ""
    found = _TRAILING.sub("", _LEADING.sub("", found)).strip(f"，,{_END}")
    return "" if found == said or found in question else found


def _between(said: str, before: str, behind: str) -> str:
    """What stands in a sentence between the words that precede the question word and those that follow it."""
    head = next((before[at:] for at in range(len(before)) if before[at:] in said), "")
    if not head:
        return ""
    rest = said[said.index(head) + len(head) :]
    tail = next((behind[:end] for end in range(len(behind), _BEHIND - 1, -1) if behind[:end] in rest), "")
    if len(head) < min(_BEFORE, len(before)) and not (said.startswith(head) and tail and rest.endswith(tail)):
        return ""
    found = rest[: rest.index(tail)] if tail else rest
    return found + tail[0] if tail[:1] and tail[0] in _MEASURES and found[-1:].isdigit() else found


def _repeats(said: str, asked: str) -> bool:
    return any(said[at : at + _SAME] in asked for at in range(len(said) - _SAME + 1))
