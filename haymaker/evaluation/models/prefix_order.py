"""Which prompts begin alike: a server that keeps what it has read reads a shared beginning once, if they come one after another."""

from __future__ import annotations

from array import array

_CHARACTERS = (1_000, 8_000, 64_000, 512_000)


class PrefixOrder:
    """Prompts in the order in which they came, and their order with those side by side that share a beginning.

    Of each prompt four numbers are held: which of the beginnings met it has, of four lengths.
    """

    def __init__(self) -> None:
        self._met: tuple[dict[int, int], ...] = tuple({} for _ in _CHARACTERS)
        self._numbers = array("q")

    def add(self, prompt: str) -> None:
        """Take the next prompt."""
        for characters, met in zip(_CHARACTERS, self._met, strict=True):
            self._numbers.append(met.setdefault(hash(prompt[:characters]), len(met)))

    def order(self) -> list[int]:
        """Places of the prompts: groups in the order of their first one, and inside a group as they came."""
        wide, numbers = len(_CHARACTERS), self._numbers
        return sorted(range(len(numbers) // wide), key=lambda place: tuple(numbers[place * wide : (place + 1) * wide]))
