"""Writer `llm`: wrong options that a language model writes from segments of the document (docs/spec/marathon.md 3.1).

The document is cut into segments of 12,000 tokens of the encoding cl100k_base, a shorter one into as many equal segments as options
are wanted: requests of the same segment would be the same, and so would their replies. Each wrong option has a segment of its own,
drawn at random, and one request. This is the second of the paper's two readings. Requests and replies are files (haymaker/core/rows/model_requests.py): a request's id is the question's
id and a hash of question and answer, so that replies to another text are never used; its call says which option, and of
which segment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path

from corpora.choices.form import normal
from corpora.choices.options import Asked, Candidate, Offer
from corpora.retrieval.chunks import Chunker
from corpora.tokenizers.tokenizer import Tokenizer
from haymaker.core.files.json_lines import objects_in
from haymaker.core.files.yaml_file import read_yaml
from haymaker.core.rng import Stream, digest
from haymaker.core.rows.model_requests import Replies, Request
from haymaker.core.text.strings import words

TOKENIZER = "cl100k"
SEGMENT_TOKENS = 12_000
CALL = "option"
_WORD_TOKENS = 100  # hardly a word has more
_MAX_TOKENS = 256


def segments(sentences: Sequence[str], tokenizer: Tokenizer, n: int) -> list[str]:
    """A document in segments of at most SEGMENT_TOKENS tokens, cut between words; `n` of them or more, if it has as many words."""
    units = [f" {sentence}" for sentence in sentences]
    characters = list(accumulate(map(len, units), initial=0))
    tokens = list(accumulate(map(tokenizer.count_part, units), initial=0))
    text = "".join(units)
    short = tokens[-1] < n * (SEGMENT_TOKENS - _WORD_TOKENS)
    bounds = Chunker(tokenizer, max(1, tokens[-1] // n) if short else SEGMENT_TOKENS).bounds(text, characters, tokens)
    if short and len(bounds) > n + 1:  # chunks end before the word that is too long: what that leaves goes to the last
        bounds = [*bounds[:n], bounds[-1]]
    return [text[first:last].strip() for first, last in pairwise(bounds)]


def requests(asked: Asked, parts: Sequence[str], n: int) -> Iterator[Request]:
    """One request for each of `n` wrong options.

    Args:
        asked: the question.
        parts: segments of its document.
        n: wrong options that are wanted.
    """
    stream = asked.stream("segments")
    drawn: list[int] = []
    while len(drawn) < n:
        drawn += stream.sample(range(len(parts)), len(parts))
    for option, segment in enumerate(drawn[:n], 1):
        prompt = _prompt().format(
            passage=parts[segment], question=asked.question, answer=asked.right, words=len(words(asked.right))
        )
        yield Request(request_id(asked), f"{CALL}:{option}:{segment + 1}", prompt, _MAX_TOKENS)


def request_id(asked: Asked) -> str:
    """Of a question and its answer: changes with either."""
    return f"{asked.question_id}#{digest(asked.question, asked.right, size=4).hex()}"


@cache
def _prompt() -> str:
    return str(read_yaml(Path(__file__).with_name("prompt.yaml"))["text"])


class ReplyWriter:
    """Reads the options from replies.

    Args:
        replies: None where the source has none.

    Attributes:
        counts: used (they were offered; filters come after), malformed, no_reply (questions without any), of_another_text
            (questions that have replies to other words alone).
    """

    name = "llm"

    def __init__(self, replies: Replies | None) -> None:
        self.counts: Counter[str] = Counter()
        self._found: dict[str, dict[str, str]] = {}
        for (about, call), reply in sorted(replies.texts.items()) if replies else ():
            self._found.setdefault(about, {})[call] = reply
        self._stale = {about.rpartition("#")[0] for about in self._found}

    def unused(self, question_ids: Iterable[str]) -> int:
        """Replies about questions that are not there."""
        known = set(question_ids)
        return sum(len(calls) for about, calls in self._found.items() if about.rpartition("#")[0] not in known)

    def offers(self, asked: Asked, n: int, stream: Stream) -> Iterator[Offer]:
        """One pool of what was replied to requests of this very question and answer."""
        about = request_id(asked)
        if about not in self._found:
            self.counts["of_another_text" if asked.question_id in self._stale else "no_reply"] += 1
            return
        out = []
        for call, reply in self._found[about].items():
            text = option_of(reply)
            self.counts["used" if text else "malformed"] += 1
            if text:
                out.append(Candidate(text, f"{self.name}:{call.rpartition(':')[2]}"))
        if out:
            yield Offer(tuple(out))


def option_of(reply: str) -> str:
    """The option in a reply: the JSON object's, also where words or marks of code stand around it; empty if there is none."""
    said = (found.get("option") for _, _, found in objects_in(reply))
    return next((normal(option) for option in said if isinstance(option, str)), "")
