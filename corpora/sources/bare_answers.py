"""Chinese answers that are sentences, without the words of the question: "2012年，收入增长了25.89%。" becomes 25.89%.

The sentence repeats the words before and after the question word, and the answer is between them. If it does not repeat
them and the question is for a number, the answer is the one number that the question does not have.
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
_BEFORE, _AFTER, _SAME = 3, 2, 4  # characters that are no accident


def bare(question: str, answer: str) -> str:
    """The part of a sentence that answers the question; empty if the sentence is no such answer, or ambiguous."""
    sentence = answer.strip(_END)
    places = list(_ASKS.finditer(question))
    if len(places) != 1:
        return ""
    before, after = question[: places[0].start()], question[places[0].end() :].strip(_END)
    found = _between(sentence, before, after)
    if not found and _COUNTS.search(question) and _repeats(sentence, before + after):
        numbers = [each for each in _NUMBER.findall(sentence) if each not in question]
        found = numbers[0] if len(numbers) == 1 else ""
    found = _TRAILING.sub("", _LEADING.sub("", found)).strip(f"，,{_END}")
    return "" if found == sentence or found in question else found


def _between(sentence: str, before: str, after: str) -> str:
    """The part of a sentence between the words before the question word and the words after it."""
    head = next((before[at:] for at in range(len(before)) if before[at:] in sentence), "")
    if not head:
        return ""
    rest = sentence[sentence.index(head) + len(head) :]
    tail = next((after[:end] for end in range(len(after), _AFTER - 1, -1) if after[:end] in rest), "")
    if len(head) < min(_BEFORE, len(before)) and not (sentence.startswith(head) and tail and rest.endswith(tail)):
        return ""
    found = rest[: rest.index(tail)] if tail else rest
    return found + tail[0] if tail[:1] and tail[0] in _MEASURES and found[-1:].isdigit() else found


def _repeats(sentence: str, asked: str) -> bool:
    return any(sentence[at : at + _SAME] in asked for at in range(len(sentence) - _SAME + 1))
