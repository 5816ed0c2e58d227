"""`haymaker ask --plan`: what requests would take, before anything is sent."""

from __future__ import annotations

from typing import NamedTuple

from haymaker.core.buckets import BYTES_PER_TOKEN
from haymaker.core.files.json_lines import json_object
from haymaker.core.progress import duration, out
from haymaker.core.rows.model_requests import request_of
from haymaker.evaluation.models.ask import RequestScan, scan
from haymaker.evaluation.models.journal import ReplyCache
from haymaker.evaluation.models.options import RequestOptions, check_files

_AROUND = 8  # tokens that a server puts around a message
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


def show(wish: RequestOptions) -> None:
    """Print the plan; nothing is sent and nothing written.

    Raises:
        ReleaseError: requests or replies that cannot be read.
    """
    check_files(wish)
    found = scan(wish, ReplyCache(wish.out))
    cost, sent = estimate_cost(wish, found), len(found.pending)
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


def estimate_cost(wish: RequestOptions, found: RequestScan) -> Cost:
    """Estimate the tokens of the pending requests from their characters."""
    tokens, most = 0.0, 0
    with wish.requests.open("rb") as file:
        for at in found.pending:
            file.seek(at)
            request = request_of(json_object(file.readline(), str(wish.requests), first=not at), str(wish.requests))
            most += wish.most(request)
            messages = [request.prompt, system] if (system := wish.system_of(request)) else [request.prompt]
            tokens += sum(estimated_tokens(text) + _AROUND for text in messages)
    return Cost(
        round(tokens), most, f"estimated: {BYTES_PER_TOKEN} ASCII characters, or one other character, per token"
    )


def estimated_tokens(text: str) -> float:
    """Estimate the tokens of a text without a tokenizer: the vocabulary of the model is not known."""
    ascii_characters = len(text.encode("ascii", "ignore"))
    return ascii_characters / BYTES_PER_TOKEN + len(text) - ascii_characters
