"""A part of a prompt: a string, or a slice of a big UTF-8 buffer, with its token count known."""

from __future__ import annotations

from dataclasses import dataclass

from haymaker.core.errors import TokenizerError

_FIRST_LOOK = 64


@dataclass(frozen=True, slots=True)
class CountedText:
    """A piece of a prompt; give either `text` or `utf8`.

    `Tokenizer.part` creates and counts strings; a slice of a store is `CountedText(tokens, utf8=buffer[a:b])`.

    Attributes:
        tokens: token count inside a join (`Tokenizer.count_part`; for a slice of units, their sum).
        text: the part as a string.
        utf8: the part as whole UTF-8 characters; never copied or decoded as a whole.
    """

    tokens: int
    text: str | None = None
    utf8: bytes | memoryview | None = None

    def __post_init__(self) -> None:
        if (self.text is None) == (self.utf8 is None):
            raise TokenizerError("a part must contain either a text or UTF-8 bytes", fix="give exactly one of the two")

    @property
    def size(self) -> int:
        """Length: characters of a text, bytes of a slice."""
        if self.text is not None:
            return len(self.text)
        assert self.utf8 is not None
        return len(self.utf8)

    def __str__(self) -> str:
        """The whole text (decodes the whole slice)."""
        return self.head(self.size)

    def head(self, size: int = _FIRST_LOOK) -> str:
        """Return the first characters, at most `size` characters or bytes."""
        if self.text is not None:
            return self.text[:size]
        assert self.utf8 is not None
        end, total = size, len(self.utf8)
        while 0 < end < total and self.utf8[end] & 0xC0 == 0x80:
            end -= 1
        return _decoded(self.utf8[:end])

    def tail(self, size: int = _FIRST_LOOK) -> str:
        """Return the last characters, at most `size` characters or bytes."""
        if self.text is not None:
            return self.text[-size:]
        assert self.utf8 is not None
        total = len(self.utf8)
        start = max(0, total - size)
        while 0 < start < total and self.utf8[start] & 0xC0 == 0x80:
            start += 1
        return _decoded(self.utf8[start:])


def _decoded(utf8: bytes | memoryview) -> str:
    try:
        return str(utf8, "utf-8")
    except UnicodeDecodeError as error:
        raise TokenizerError(
            f"a slice is not whole UTF-8 characters ({error.reason})", fix="cut slices at unit borders"
        ) from None
