"""Options of requests to a model, and the identity of a request under these options."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from haymaker.core.errors import EnvironmentProblem, ParamsError
from haymaker.core.rows.model_requests import Request

ENDPOINT_VARIABLE = "HAYMAKER_ENDPOINT"
_BYTES = 16  # of an identity: probability of a collision among a million requests about 10^-26


@dataclass(frozen=True)
class RequestOptions:
    """Options of `haymaker ask` and `haymaker eval`.

    Attributes:
        requests: file to read.
        out: file of replies.
        endpoint: base URL of the server; /chat/completions is appended.
        model: model name on the server.
        system: system message of each request; empty: none.
        temperature: sampling temperature.
        max_tokens: limit of every reply; None: the limit in each request.
        concurrency: number of requests in flight.
        timeout_s: seconds to wait for a connection, or for the next byte of a reply.
        retries: per request.
        limit: number of requests to send, from the start of the file; None: all.
        price_in, price_out: price per million prompt tokens, and per million reply tokens; None: unknown.
        base: whether the model continues the prompt (/completions), instead of replying to it (/chat/completions).
        blank: whether an empty text is a valid reply: yes for model outputs, no for judges.
        budget: maximum cost of the replies of this call, from both prices; None: no limit.
        stream: whether to stream replies; the stored reply is the same.
    """

    requests: Path
    out: Path
    endpoint: str
    model: str
    system: str = ""
    temperature: float = 0.0
    max_tokens: int | None = None
    concurrency: int = 8
    timeout_s: float = 120.0
    retries: int = 5
    limit: int | None = None
    price_in: float | None = None
    price_out: float | None = None
    base: bool = False
    blank: bool = False
    budget: float | None = None
    stream: bool = False

    def system_of(self, request: Request) -> str:
        """Return the system message: the request's own, else the common one; empty for a base model."""
        return "" if self.base else request.system or self.system

    def most(self, request: Request) -> int:
        """Return the maximum number of reply tokens for a request."""
        return self.max_tokens or request.max_tokens

    def identity(self, request: Request) -> bytes:
        """Return the hash of everything that determines the reply, except the server; equal requests are sent once."""
        parts: list[object] = [self.model, self.system_of(request), request.prompt, self.most(request)]
        parts.append(float(self.temperature))
        if self.base or request.stop:  # hashes of requests without these must stay as they are
            parts += [self.base, request.stop]
        return sha256(json.dumps(parts, ensure_ascii=False).encode()).digest()[:_BYTES]

    def price(self, prompt_tokens: int, reply_tokens: int) -> float | None:
        """Return the cost of these tokens; None if no price is known."""
        return cost(prompt_tokens, reply_tokens, self.price_in, self.price_out)


def cost(prompt_tokens: int, reply_tokens: int, price_in: float | None, price_out: float | None) -> float | None:
    """Return the cost of tokens from prices per million; None if both prices are None."""
    if price_in is None and price_out is None:
        return None
    return (prompt_tokens * (price_in or 0) + reply_tokens * (price_out or 0)) / 1e6


def check_files(options: RequestOptions) -> None:
    """Check that requests and replies are different files, and that the requests can be read several times.

    Raises:
        EnvironmentProblem: the two are the same file, or the requests are not a regular file.
    """
    if options.requests.exists() and not options.requests.is_file():
        raise EnvironmentProblem("is no plain file, and it is read several times", where=str(options.requests))
    if options.out.exists() and options.requests.exists() and options.out.samefile(options.requests):
        raise EnvironmentProblem("replies would be written over the requests", where="--out", fix="name another file")


def check_endpoint(endpoint: str) -> None:
    """Check that an address is a plain http(s) URL without credentials; error messages omit the address.

    Raises:
        ParamsError: no address, not http or https, or it contains a user name, password, query or fragment.
    """
    fix = f"--endpoint https://your-server/v1, or set {ENDPOINT_VARIABLE}"
    if not endpoint:
        raise ParamsError("no server is named", where="--endpoint", fix=fix)
    try:
        parts = urlsplit(endpoint)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good or not endpoint.isascii() or not endpoint.isprintable() or " " in endpoint:
        raise ParamsError("is no address of a server", where="--endpoint", fix=fix)
    if "@" in parts.netloc or parts.query or parts.fragment:
        what = "holds more than an address: a key belongs into HAYMAKER_API_KEY alone"
        raise ParamsError(what, where="--endpoint", fix=fix)
