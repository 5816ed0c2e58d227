"""Order prompts by common prefix, so that servers with a prefix cache read a shared beginning once."""

from __future__ import annotations

from array import array

_CHARACTERS = (1_000, 8_000, 64_000, 512_000)


class PrefixOrder:
    """Collect prompts, and order them so that prompts with a common prefix are adjacent.

    Each prompt is stored as four numbers: the indices of its prefixes of four lengths.
    """

    def __init__(self) -> None:
        self._met: tuple[dict[int, int], ...] = tuple({} for _ in _CHARACTERS)
        self._numbers = array("q")

    def add(self, prompt: str) -> None:
        """Add the next prompt."""
        for characters, met in zip(_CHARACTERS, self._met, strict=True):
            self._numbers.append(met.setdefault(hash(prompt[:characters]), len(met)))

    def order(self) -> list[int]:
        """Return the indices of the prompts: groups by first occurrence, and in insertion order inside a group."""
        wide, numbers = len(_CHARACTERS), self._numbers
        return sorted(range(len(numbers) // wide), key=lambda place: tuple(numbers[place * wide : (place + 1) * wide]))
