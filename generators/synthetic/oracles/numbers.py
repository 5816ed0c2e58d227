"""Oracles of the number tasks: sort the list, add up the terms; they read only the prompt."""

from __future__ import annotations

import re

_LIST = re.compile(r"<numbers>(.*)</numbers>", re.DOTALL)
_FIND = re.compile(r"What is the (?:(second|third) )?(largest|smallest|median) number in the list\?\nAnswer:\Z")
_SUM = re.compile(r"<calculation>(.*)</calculation>", re.DOTALL)
_TERMS = re.compile(r"(-?[0-9]+)((?: [+-] [0-9]+)+)")


def find(prompt: str) -> list[str]:
    """Return the requested number.

    Raises:
        ValueError: no list or question, a median of an even list, or an answer that occurs twice.
    """
    listed, question = _LIST.search(prompt), _FIND.search(prompt)
    if not (listed and question):
        raise ValueError("no list between its tags, or no question after it")
    numbers = sorted(int(each) for each in listed[1].split(","))
    if question[2] == "median":
        if len(numbers) % 2 == 0:
            raise ValueError("an even list has no number in its middle")
        found = numbers[len(numbers) // 2]
    else:
        rank = {None: 1, "second": 2, "third": 3}[question[1]]
        found = numbers[rank - 1] if question[2] == "smallest" else numbers[-rank]
    if numbers.count(found) > 1:
        raise ValueError(f"{found} is in the list more than once")
    return [str(found)]


def calculate(prompt: str) -> list[str]:
    """Return all intermediate values, or raise ValueError if there is no calculation."""
    between = _SUM.search(prompt)
    terms = _TERMS.fullmatch(between[1].strip()) if between else None
    if terms is None:
        raise ValueError("no calculation between its tags")
    value, values = int(terms[1]), []
    for sign, number in re.findall(r"([+-]) ([0-9]+)", terms[2]):
        value += int(number) if sign == "+" else -int(number)
        values.append(str(value))
    return [", ".join(values)]
