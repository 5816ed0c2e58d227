"""`haymaker ask --plan`: what requests would take, before anything is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from corpora.tokenizers import tokenizer
from haymaker.buckets import BYTES_PER_TOKEN
from haymaker.errors import TokenizerError
from haymaker.exchange import request_of
from haymaker.json_lines import json_object
from pipelines.models.ask import Scan, scan
from pipelines.models.kept import Kept
from pipelines.models.wish import Wish, check_files
from pipelines.progress import duration, out

_MEASURED = 200  # requests that are tokenised; of the others the bytes are counted
_AROUND = 8  # tokens that a server puts around a message
_VOCABULARIES = ("o200k", "cl100k")  # the first that is on this machine
# Of one request on a server that many share; a guess, to tell minutes from days.
_FIRST_S = 0.5
_PROMPT_TOKENS_S, _REPLY_TOKENS_S = 5_000.0, 50.0


class Cost(NamedTuple):
    """What pending requests take.

    Attributes:
        prompt_tokens: of all messages.
        reply_tokens: the most that replies may have.
        how: prompt tokens were counted.
    """

    prompt_tokens: int
    reply_tokens: int
    how: str


def show(wish: Wish) -> None:
    """Print the plan; nothing is sent and nothing written.

    Raises:
        ReleaseError: requests or replies that cannot be read.
    """
    check_files(wish)
    found = scan(wish, Kept(wish.out))
    cost, sent = reckon(wish, found), len(found.pending)
    of_all = f" of {found.requests:,}" if found.asked < found.requests else ""
    out.print(f"requests {found.asked:,}{of_all}: {found.kept:,} have replies, {sent:,} to send to {wish.model}")
    if equal := found.asked - found.kept - sent:
        out.print(f"equal to one that is sent: {equal:,}")
    if found.others:
        out.print(f"replies in {wish.out} to other prompts, settings or models: {found.others:,}")
    out.print(f"prompt tokens: about {cost.prompt_tokens:,} ({cost.how})")
    out.print(f"reply tokens: at most {cost.reply_tokens:,}")
    price = wish.price(cost.prompt_tokens, cost.reply_tokens)
    out.print("cost: give --price-in and --price-out" if price is None else f"cost: at most {price:,.2f}")
    seconds = sent * _FIRST_S + cost.prompt_tokens / _PROMPT_TOKENS_S + cost.reply_tokens / _REPLY_TOKENS_S
    rates = f"{wish.concurrency} at once, each at {_REPLY_TOKENS_S:g} reply tokens a second"
    out.print(f"time: at most about {duration(seconds / wish.concurrency)} ({rates})")


def reckon(wish: Wish, found: Scan) -> Cost:
    """Tokens of the pending requests: those of a few, spread over the file, are counted, and bytes of the others."""
    sizes, measured, most, systems = 0, 0, 0, 0
    every = max(1, len(found.pending) // _MEASURED)
    count, name = _counter()
    tokens = 0
    with wish.requests.open("rb") as file:
        for number, at in enumerate(found.pending):
            file.seek(at)
            request = request_of(json_object(file.readline(), str(wish.requests), first=not at), str(wish.requests))
            size = len(request.prompt.encode())
            sizes += size
            most += wish.most(request)
            systems += count(system) + _AROUND if (system := wish.system_of(request)) else 0
            if not number % every:
                measured += size
                tokens += count(request.prompt)
    inside = tokens if every == 1 else round(sizes * tokens / max(measured, 1))
    how = name if every == 1 else f"{name} of every {every}th, the rest by its bytes"
    return Cost(inside + systems + _AROUND * len(found.pending), most, how)


def _counter() -> tuple[Callable[[str], int], str]:
    """Counts tokens of a text, and how it is called: no machine has the vocabulary of every model."""
    for name in _VOCABULARIES:
        try:
            return tokenizer.load(name).count, name
        except TokenizerError:
            continue
    return (lambda text: round(len(text.encode()) / BYTES_PER_TOKEN)), f"{BYTES_PER_TOKEN} bytes a token"
