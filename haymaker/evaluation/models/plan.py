"""Find the requests without a reply, and estimate their tokens, cost and time (`--dry-run`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from haymaker.core.errors import ReleaseError
from haymaker.core.files.json_lines import json_lines_at, json_object
from haymaker.core.lengths import BYTES_PER_TOKEN
from haymaker.core.progress import duration, out
from haymaker.core.rows.model_requests import Request, request_of
from haymaker.evaluation.models.journal import ReplyStore
from haymaker.evaluation.models.options import RequestOptions, check_options

_PREFIXES = (1_000, 8_000, 64_000, 512_000)  # characters by which equal beginnings are found
_TEMPLATE_TOKENS = 8  # of the chat template per message
# Rough speed of one request on a shared server: enough to tell minutes from days.
_FIRST_S = 0.5
_PROMPT_TOKENS_S, _REPLY_TOKENS_S = 5_000.0, 50.0


class RequestScan(NamedTuple):
    """Number of requests in a file, and the ones still to send."""

    requests: int
    wanted: int  # up to the limit
    kept: int  # number of the wanted requests that have a reply
    pending: list[int]  # byte offsets of the requests to send
    others: int  # number of stored replies that match no request of the file


def scan(options: RequestOptions, replies: ReplyStore) -> RequestScan:
    """Read the whole file of requests before anything is sent.

    Prompts with a common prefix are sent one after another, so that servers with a prefix cache read it once.
    """
    number = kept = 0
    seen: set[str] = set()
    prefixes: dict[int, int] = {}  # hash of a prefix -> its number, by first occurrence
    pending: list[tuple[int, ...]] = []
    for number, (at, identity, request) in enumerate(requests_in(options), 1):
        if options.limit is None or number <= options.limit:
            if identity in replies.at:
                kept += 1
            elif identity not in seen:
                text = "".join(request.texts)
                hashes = [hash((size, text[:size])) for size in _PREFIXES]
                pending.append((*(prefixes.setdefault(key, len(prefixes)) for key in hashes), at))
        seen.add(identity)
    others = sum(identity not in seen for identity in replies.at) + replies.nameless
    wanted = min(number, options.limit or number)
    return RequestScan(number, wanted, kept, [at for *_, at in sorted(pending)], others)


def requests_in(options: RequestOptions) -> Iterator[tuple[int, str, Request]]:
    """Yield byte offset, identity and content of every request, in file order; two must not have the same id and call."""
    met: set[int] = set()  # hashes instead of texts, to save memory
    for at, where, record in json_lines_at(options.requests):
        request = request_of(record, where)
        if (name := hash((request.id, request.call))) in met:
            what = f"{request.call} of {request.id!r:.80} appears twice"
            raise ReleaseError(what, where=where, fix="keep one request per call")
        met.add(name)
        yield at, options.identity(request), request


def requests_at(options: RequestOptions, offsets: Iterable[int]) -> Iterator[Request]:
    """Yield the requests at these byte offsets of the file."""
    with options.requests.open("rb") as file:
        for at in offsets:
            file.seek(at)
            where = f"{options.requests}: byte {at}"
            yield request_of(json_object(file.readline(), where, first=not at), where)


def show(options: RequestOptions) -> None:
    """Print the number of requests and an estimate of tokens, cost and time; nothing is sent or written."""
    check_options(options)
    found = scan(options, ReplyStore(options.out))
    prompt_tokens = reply_tokens = 0.0
    for request in requests_at(options, found.pending):
        reply_tokens += options.most(request)
        texts = filter(None, (*request.texts, options.system_of(request)))
        prompt_tokens += sum(estimated_tokens(text) + _TEMPLATE_TOKENS for text in texts)
    _print(options, found, round(prompt_tokens), round(reply_tokens))


def _print(options: RequestOptions, found: RequestScan, prompt_tokens: int, reply_tokens: int) -> None:
    sent = len(found.pending)
    of_all = f" of {found.requests:,}" if found.wanted < found.requests else ""
    out.print(f"requests {found.wanted:,}{of_all}: {found.kept:,} have replies, {sent:,} to send to {options.model}")
    if equal := found.wanted - found.kept - sent:
        out.print(f"duplicates of a request that is sent: {equal:,}")
    if found.others:
        out.print(f"replies in {options.out} to other prompts, settings or models: {found.others:,}")
    how = f"estimated: {BYTES_PER_TOKEN} ASCII characters, or one other character, per token"
    out.print(f"prompt tokens: about {prompt_tokens:,} ({how})")
    out.print(f"reply tokens: at most {reply_tokens:,}")
    price = options.price(prompt_tokens, reply_tokens)
    out.print(
        "cost: give --price-in and --price-out"
        if price is None
        else f"cost: about {price:,.2f}, if every reply has its maximum length"
    )
    seconds = sent * _FIRST_S + prompt_tokens / _PROMPT_TOKENS_S + reply_tokens / _REPLY_TOKENS_S
    rates = f"{options.concurrency} at once, each at {_REPLY_TOKENS_S:g} reply tokens a second"
    out.print(f"time: at most about {duration(seconds / options.concurrency)} ({rates})")


def estimated_tokens(text: str) -> float:
    """Estimate the tokens of a text without a tokenizer, since the model's vocabulary is unknown."""
    ascii_characters = len(text.encode("ascii", "ignore"))
    return ascii_characters / BYTES_PER_TOKEN + len(text) - ascii_characters
