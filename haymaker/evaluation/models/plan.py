"""`haymaker ask --plan`: estimate tokens, cost and time of requests without sending them."""

from __future__ import annotations

from typing import NamedTuple

from haymaker.core.buckets import BYTES_PER_TOKEN
from haymaker.core.files.json_lines import json_object
from haymaker.core.progress import duration, out
from haymaker.core.rows.model_requests import request_of
from haymaker.evaluation.models.ask import RequestScan, scan
from haymaker.evaluation.models.journal import ReplyCache
from haymaker.evaluation.models.options import RequestOptions, check_files

_AROUND = 8  # tokens of the chat template per message
# Rough speed of one request on a shared server: enough to tell minutes from days.
_FIRST_S = 0.5
_PROMPT_TOKENS_S, _REPLY_TOKENS_S = 5_000.0, 50.0


class Cost(NamedTuple):
    """Token estimate of the pending requests.

    Attributes:
        prompt_tokens: in all messages.
        reply_tokens: maximum of all replies together.
        how: counting method of the prompt tokens.
    """

    prompt_tokens: int
    reply_tokens: int
    how: str


def show(options: RequestOptions) -> None:
    """Print the plan; nothing is sent or written.

    Raises:
        ReleaseError: the requests or replies cannot be read.
    """
    check_files(options)
    found = scan(options, ReplyCache(options.out))
    cost, sent = estimate_cost(options, found), len(found.pending)
    of_all = f" of {found.requests:,}" if found.asked < found.requests else ""
    out.print(f"requests {found.asked:,}{of_all}: {found.kept:,} have replies, {sent:,} to send to {options.model}")
    if equal := found.asked - found.kept - sent:
        out.print(f"equal to one that is sent: {equal:,}")
    if found.others:
        out.print(f"replies in {options.out} to other prompts, settings or models: {found.others:,}")
    out.print(f"prompt tokens: about {cost.prompt_tokens:,} ({cost.how})")
    out.print(f"reply tokens: at most {cost.reply_tokens:,}")
    price = options.price(cost.prompt_tokens, cost.reply_tokens)
    out.print("cost: give --price-in and --price-out" if price is None else f"cost: at most {price:,.2f}")
    seconds = sent * _FIRST_S + cost.prompt_tokens / _PROMPT_TOKENS_S + cost.reply_tokens / _REPLY_TOKENS_S
    rates = f"{options.concurrency} at once, each at {_REPLY_TOKENS_S:g} reply tokens a second"
    out.print(f"time: at most about {duration(seconds / options.concurrency)} ({rates})")


def estimate_cost(options: RequestOptions, found: RequestScan) -> Cost:
    """Estimate the tokens of the pending requests from their characters."""
    tokens, most, path = 0.0, 0, options.requests
    with path.open("rb") as file:
        for at in found.pending:
            file.seek(at)
            request = request_of(json_object(file.readline(), str(path), first=not at), str(path))
            most += options.most(request)
            messages = [request.prompt, system] if (system := options.system_of(request)) else [request.prompt]
            tokens += sum(estimated_tokens(text) + _AROUND for text in messages)
    return Cost(
        round(tokens), most, f"estimated: {BYTES_PER_TOKEN} ASCII characters, or one other character, per token"
    )


def estimated_tokens(text: str) -> float:
    """Estimate the tokens of a text without a tokenizer, since the model's vocabulary is unknown."""
    ascii_characters = len(text.encode("ascii", "ignore"))
    return ascii_characters / BYTES_PER_TOKEN + len(text) - ascii_characters
