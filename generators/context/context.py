"""A finished context: text, sizes and positions of its units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from corpora.tokenizers.tokenizer import CountedText, Tokenizer


@dataclass(frozen=True, slots=True)
class Context:
    """A finished context.

    Attributes:
        text: UTF-8.
        tokens: tokens per tokenizer, as part of a longer text.
        characters, words: sizes.
        starts, ends: characters of the named units (needles, passages) in the text, without space, label and ending.
        token_starts: release tokens before each named unit.
    """

    text: bytes
    tokens: tuple[int, ...]
    characters: int
    words: int
    starts: Sequence[int] = ()
    ends: Sequence[int] = ()
    token_starts: Sequence[int] = ()

    @staticmethod
    def joined(pieces: Sequence[Context], tokenizers: Sequence[Tokenizer]) -> Context:
        """Return contexts joined to one; its named units are the contexts, without `token_starts`."""
        parts = zip(*(piece.parts() for piece in pieces), strict=True)
        tokens = tuple(
            t.joined([part for [part] in each], inside=True) for t, each in zip(tokenizers, parts, strict=True)
        )
        at = list(accumulate((piece.characters for piece in pieces), initial=0))
        words = sum(piece.words for piece in pieces)
        return Context(b"".join(piece.text for piece in pieces), tokens, at[-1], words, at[:-1], at[1:])

    def parts(self) -> list[list[CountedText]]:
        """Return the parts of the text per tokenizer for RowWriter.count; here one each."""
        return [[CountedText(tokens, utf8=self.text)] for tokens in self.tokens]

    def flush(self, tokenizers: Sequence[Tokenizer]) -> Context:
        """Return the context without leading white space, for use after a line break.

        `token_starts` do not change: the missing space is part of the token boundary (RowWriter.tokens_before).
        """
        whole = memoryview(self.text)  # so that nothing is copied to be counted
        parts = (t.drop_leading_space(CountedText(n, utf8=whole)) for t, n in zip(tokenizers, self.tokens, strict=True))
        tokens, text = tuple(part.tokens for part in parts), self.text.lstrip()
        gone = len(self.text) - len(text)
        starts, ends = [at - gone for at in self.starts], [at - gone for at in self.ends]
        return Context(text, tokens, self.characters - gone, self.words, starts, ends, self.token_starts)
