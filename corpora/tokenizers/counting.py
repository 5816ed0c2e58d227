"""Exact counts of texts, units and joins (docs/spec/measured.md 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from corpora.tokenizers.counted_text import CountedText
from corpora.tokenizers.cuts import MARK, Cuts
from haymaker.core.errors import TokenizerError

_CACHED_WINDOWS = 1 << 14
_CACHED_CHARACTERS = 512
_FIRST_LOOK = 64
_GROWTH = 8
_BATCH = 4096


@dataclass(frozen=True)
class Engine:
    """Functions of a tokenizer library.

    Attributes:
        plain: tokens of a separate text, no special tokens.
        in_join: tokens of a text that is not the first.
        units: the same for many texts that begin with a space and end in a safe cut.
        cuts: the safe cuts of this tokenizer.
        prefixed: whether the first text counts differently (SentencePiece's dummy prefix).
        vocabulary_size: ids, special ones included.
        digest: hex SHA-256 of the vocabulary file.
    """

    plain: Callable[[str], int]
    in_join: Callable[[str], int]
    units: Callable[[list[str]], list[int]]
    cuts: Cuts
    prefixed: bool
    vocabulary_size: int
    digest: str


class Tokenizer:
    """The length unit: exact token counts, without special tokens, that add up over a prompt.

    Created by `corpora.tokenizers.tokenizer.load`. Workers load their own by name; an object cannot be sent to another
    process.

    Attributes:
        name: the requested name; for a file its base name, so that no path enters a release.
        fingerprint: "<name>-<vocabulary size>-<first 12 hex digits of the vocabulary's SHA-256>".
        vocabulary_size: number of ids, special ones included.
    """

    def __init__(self, name: str, engine: Engine) -> None:
        self.name = name
        self.vocabulary_size = engine.vocabulary_size
        self.fingerprint = f"{name}-{engine.vocabulary_size}-{engine.digest[:12]}"
        self._engine = engine
        self._cuts = engine.cuts
        self._plain = _cached(engine.plain)
        self._in_join = _cached(engine.in_join)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.fingerprint}>"

    def __reduce__(self) -> tuple[object, ...]:
        raise TokenizerError(f"tokenizer {self.name} cannot be sent to another process", fix="load it there by name")

    def count(self, text: str) -> int:
        """Tokens of a text on its own, no special tokens; the whole text is tokenised."""
        return self._engine.plain(text)

    def count_part(self, text: str) -> int:
        """Tokens of a text inside a join: `count`, for SentencePiece without the dummy prefix."""
        return self._in_join(text)

    @property
    def count_inside(self) -> Callable[[str], int]:
        """Like count_part without a cache, for texts that rarely repeat."""
        return self._engine.in_join

    def count_behind_cuts(self, texts: list[str]) -> list[int]:
        """Like count_inside for many texts that begin and end in safe cuts; faster if all begin with a space."""
        if all(text[0] == " " for text in texts):
            return self._engine.units(texts)
        return list(map(self.count_inside, texts))

    def count_units(self, units: Iterable[str]) -> list[int]:
        """Count each unit; the sum is the in-join count of all units concatenated.

        Raises:
            TokenizerError: a unit does not begin with exactly one space, or ends in white space.
        """
        counts: list[int] = []
        stream = iter(units)
        while batch := list(islice(stream, _BATCH)):
            for unit in batch:
                if unit[:1] != " " or unit[1:2].isspace() or not self._ends_well(unit[-1]):
                    raise TokenizerError(
                        f"unit {unit[:40]!r} does not add up", fix="store units as one space, then stripped text"
                    )
            counts += self._engine.units(batch)
        return counts

    def _ends_well(self, last: str) -> bool:
        return not last.isspace() and (last != MARK or self._cuts.between(last, " "))

    def cuts_between(self, left: str, right: str) -> bool:
        """Check whether two non-empty texts meet in a safe cut, so that their counts add up."""
        return self._cuts.between(left, right)

    def part(self, text: str) -> CountedText:
        """Count a string as a part of prompts; short strings are cached."""
        return CountedText(self._in_join(text), text=text)

    def count_opening(self, units: Sequence[str], counts: Sequence[int]) -> list[int]:
        """Return the tokens that each unit of a document adds; some begin with line breaks, not a space.

        Args:
            units: in order.
            counts: of the same units with a space in place of the line breaks (count_units).
        """
        tail, out = "", list(counts)  # end of the text so far, after its last safe cut
        for i, unit in enumerate(units):
            if unit[0] == " ":
                tail = unit
            else:
                out[i] = self._in_join(tail + unit) - self._in_join(tail)
                tail += unit
            tail = tail[self._cuts.last(tail) :]
        return out

    def drop_leading_space(self, part: CountedText) -> CountedText:
        """Return the part without its leading white space (a slice of units after a newline), with an exact count."""
        start = part.head()
        if not (size := len(start) - len(start.lstrip())):
            raise TokenizerError(f"part {start[:40]!r} does not begin with a space")
        rest = (
            CountedText(0, text=part.text[size:])
            if part.text is not None
            else CountedText(0, utf8=(part.utf8 or b"")[size:])
        )
        head, _ = self._head(rest)
        tokens = part.tokens + self._in_join(head) - self._in_join(start[:size] + head)
        return CountedText(tokens, text=rest.text, utf8=rest.utf8)

    def behind(self, text: str, more: str) -> int:
        """Return the tokens that `more` adds at the end of a text inside a join; reads only the end of a long text."""
        return self.joined([CountedText(0, text=text), self.part(more)], inside=True)

    def joined(self, parts: Sequence[CountedText], inside: bool = False) -> int:
        """Return the exact `count` of the concatenated parts (with `inside`, `count_part`) from their in-join counts.

        At every boundary that is no safe cut, the text between the nearest safe cuts is counted as a whole instead of
        in pieces; windows that touch are joined. Only a part without any safe cut is tokenized completely.
        """
        total = 0
        first = self._engine.prefixed and not inside
        window: list[str] = []
        previous: CountedText | None = None
        for part in parts:
            if not part.size:
                continue
            total += part.tokens
            if previous is not None:
                if self._cuts.between(previous.tail(4), part.head(4)):
                    total += self._repair(window, first)
                    first, window = False, []
                elif not window:
                    window = [self._tail(previous)]
            if window or first:
                piece, is_cut = self._head(part)
                window.append(piece)
                if is_cut:
                    total += self._repair(window, first)
                    first, window = False, []
            previous = part
        return total + self._repair(window, first)

    def _repair(self, window: list[str], first: bool) -> int:
        """Tokens that the window has more as a whole than in pieces."""
        if not window:
            return 0
        count = self._plain if first else self._in_join
        return count("".join(window)) - sum(map(self._in_join, window))

    def _head(self, part: CountedText) -> tuple[str, bool]:
        """The text before the first safe cut; the whole part and False when there is none."""
        look = _FIRST_LOOK
        while True:
            text = part.head(look)
            if cut := self._cuts.first(text):
                return text[:cut], True
            if look >= part.size:
                return text, False
            look *= _GROWTH

    def _tail(self, part: CountedText) -> str:
        """Return the text after the last safe cut; the whole part if there is none."""
        look = _FIRST_LOOK
        while True:
            text = part.tail(look)
            if cut := self._cuts.last(text):
                return text[cut:]
            if look >= part.size:
                return text
            look *= _GROWTH


def _cached(count: Callable[[str], int]) -> Callable[[str], int]:
    """Cache the counts of short texts: prompts of one task share most of their windows."""
    remembered = lru_cache(maxsize=_CACHED_WINDOWS)(count)
    return lambda text: remembered(text) if len(text) <= _CACHED_CHARACTERS else count(text)
