"""Wrong options that a language model writes from segments of the document (docs/spec/marathon.md 3.1).

Each wrong option has its own random segment and its own request: this is the second of the two procedures in the paper. A segment has
12,000 tokens of the encoding cl100k_base. A shorter document is divided into as many equal segments as options, because requests with the
same segment would be identical. The call of a request has the numbers of option and segment.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path

from corpora.choices.form import normal
from corpora.choices.options import Asked, Candidate
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
_WORD_TOKENS = 100  # nearly all words have fewer
_MAX_TOKENS = 256


def segments(sentences: Sequence[str], tokenizer: Tokenizer, n: int) -> list[str]:
    """Divide a document into segments of at most SEGMENT_TOKENS tokens, between words; at least `n` if it has enough words."""
    units = [f" {sentence}" for sentence in sentences]
    characters = list(accumulate(map(len, units), initial=0))
    tokens = list(accumulate(map(tokenizer.count_part, units), initial=0))
    text = "".join(units)
    is_short = tokens[-1] < n * (SEGMENT_TOKENS - _WORD_TOKENS)
    size = max(1, tokens[-1] // n) if is_short else SEGMENT_TOKENS
    bounds = Chunker(tokenizer, size).bounds(text, characters, tokens)
    if is_short and len(bounds) > n + 1:  # the rest of the division belongs to the last segment
        bounds = [*bounds[:n], bounds[-1]]
    return [text[first:last].strip() for first, last in pairwise(bounds)]


def requests(asked: Asked, parts: Sequence[str], n: int) -> Iterator[Request]:
    """Yield one request for each of `n` wrong options from the segments of the document."""
    stream = Stream("choices", "segments", asked.question_id, asked.question)  # the same in every release
    drawn: list[int] = []
    while len(drawn) < n:
        drawn += stream.sample(range(len(parts)), len(parts))
    for option, segment in enumerate(drawn[:n], 1):
        prompt = _prompt().format(
            passage=parts[segment], question=asked.question, answer=asked.right, words=len(words(asked.right))
        )
        yield Request(request_id(asked), f"{CALL}:{option}:{segment + 1}", prompt, _MAX_TOKENS)


def request_id(asked: Asked) -> str:
    """Return an id that changes with the question and its answer, so that replies to another text are never used."""
    return f"{asked.question_id}#{digest(asked.question, asked.right, size=4).hex()}"


@cache
def _prompt() -> str:
    return str(read_yaml(Path(__file__).with_name("prompt.yaml"))["text"])


class ReplyOptions:
    """Wrong options in the replies of a model.

    Attributes:
        counts: `used` (usable replies, before the filters), `malformed`, `no_reply` (questions without replies),
            `of_another_text` (questions whose replies are to another question or answer).
    """

    def __init__(self, replies: Replies | None) -> None:
        self.counts: Counter[str] = Counter()
        self._found: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._per_question: Counter[str] = Counter()
        for (request, call), reply in sorted(replies.texts.items()) if replies else ():
            self._found[request][call] = reply
            self._per_question[request.rpartition("#")[0]] += 1

    def of(self, asked: Asked) -> list[Candidate]:
        """Return the options in the replies about this question and answer."""
        found = self._found.get(request_id(asked))
        if found is None:
            self.counts["of_another_text" if asked.question_id in self._per_question else "no_reply"] += 1
            return []
        texts = {call: option_of(reply) for call, reply in found.items()}
        self.counts.update("used" if text else "malformed" for text in texts.values())
        return [Candidate(text, f"llm:{call.rpartition(':')[2]}") for call, text in texts.items() if text]

    def unused(self, question_ids: Collection[str]) -> int:
        """Return the number of replies about other questions."""
        return sum(count for question_id, count in self._per_question.items() if question_id not in question_ids)


def option_of(reply: str) -> str:
    """Return the option in the JSON object of a reply, which may contain other text; empty if there is none."""
    options = (found.get("option") for _, _, found in objects_in(reply))
    return next((normal(option) for option in options if isinstance(option, str)), "")
