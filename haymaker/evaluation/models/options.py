"""Options of requests to a model, their identity, and the address and API key of the server."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from haymaker.core.errors import EnvironmentProblem, ParamsError
from haymaker.core.files.output_files import check_output_path
from haymaker.core.rows.model_requests import Request

ENDPOINT_VARIABLE = "HAYMAKER_ENDPOINT"
KEY_VARIABLE = "HAYMAKER_API_KEY"  # the only one: a key for one provider must not reach the server of another
NO_KEY = "none-needed"  # for local servers without a key; the openai library requires a non-empty text
_OTHERS = ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY")  # also read by the openai library
_HEADERS = "OPENAI_CUSTOM_HEADERS"  # lines "name: value"
_NEVER = " \"'\\"  # not allowed in a key: servers may echo these characters in escaped form
_LEAST = 8  # minimum length of a secret: replacing "1" or "EMPTY" would damage replies
_HEX = 32  # digits of an identity: probability of a collision among a million requests about 10^-26


@dataclass(frozen=True)
class RequestOptions:
    """Options of `haymaker ask` and `haymaker eval`."""

    requests: Path
    out: Path
    endpoint: str  # base URL of the server; /chat/completions is appended
    model: str
    system: str = ""  # system message of each request; empty: none
    temperature: float = 0.0
    max_tokens: int | None = None  # of every reply; None: the limit in each request
    concurrency: int = 8
    timeout_s: float = 120.0  # seconds to wait for a connection, or for the next byte of a reply
    retries: int = 5
    limit: int | None = None  # number of requests to send, from the start of the file; None: all
    price_in: float | None = None  # per million prompt tokens; None: unknown
    price_out: float | None = None  # per million reply tokens; None: unknown
    base: bool = False  # whether the model continues the prompt (/completions), instead of replying to it
    blank: bool = False  # whether an empty text is a valid reply: yes for model outputs, no for judges
    budget: float | None = None  # maximum cost of the replies of this call, from both prices; None: no limit
    stream: bool = False  # whether to stream replies; the stored reply is the same

    def system_of(self, request: Request) -> str:
        """Return the system message: the request's own, else the common one; empty for a base model."""
        return "" if self.base else request.system or self.system

    def most(self, request: Request) -> int:
        """Return the maximum number of reply tokens for a request."""
        return self.max_tokens or request.max_tokens

    def identity(self, request: Request) -> str:
        """Return the hash of everything that determines the reply, except the server; equal requests are sent once."""
        asked = request.messages or request.prompt
        parts: list[object] = [self.model, self.system_of(request), asked, self.most(request)]
        parts.append(float(self.temperature))
        if self.base or request.stop:  # hashes of requests without these must not change
            parts += [self.base, request.stop]
        return sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:_HEX]

    def price(self, prompt_tokens: int, reply_tokens: int) -> float | None:
        """Return the cost of these tokens; None if no price is known."""
        return cost(prompt_tokens, reply_tokens, self.price_in, self.price_out)


def cost(prompt_tokens: int, reply_tokens: int, price_in: float | None, price_out: float | None) -> float | None:
    """Return the cost of tokens from prices per million; None if both prices are None."""
    if price_in is None and price_out is None:
        return None
    return (prompt_tokens * (price_in or 0) + reply_tokens * (price_out or 0)) / 1e6


def check_options(options: RequestOptions) -> None:
    """Check the budget and the files before work starts."""
    if options.budget is not None and (options.price_in is None or options.price_out is None):
        raise ParamsError("a budget needs both prices", where="--budget", fix="give --price-in and --price-out")
    check_output_path(options.out, "--out")
    if options.requests.exists() and not options.requests.is_file():
        raise EnvironmentProblem(
            "must be a regular file, because it is read several times", where=str(options.requests)
        )
    if options.out.exists() and options.requests.exists() and options.out.samefile(options.requests):
        raise EnvironmentProblem("replies would be written over the requests", where="--out", fix="choose another file")


def check_endpoint(endpoint: str) -> None:
    """Check that an address is an http(s) URL without user name, password, query and fragment; errors do not print it."""
    fix = f"give --endpoint https://your-server/v1, or set {ENDPOINT_VARIABLE}"
    if not endpoint:
        raise ParamsError("no server is given", where="--endpoint", fix=fix)
    try:
        parts = urlsplit(endpoint)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good or not endpoint.isascii() or not endpoint.isprintable() or " " in endpoint:
        raise ParamsError("is not the address of a server", where="--endpoint", fix=fix)
    if "@" in parts.netloc or parts.query or parts.fragment:
        what = "contains more than an address (set a key only in HAYMAKER_API_KEY)"
        raise ParamsError(what, where="--endpoint", fix=fix)


def read_api_key() -> str:
    """Return the API key of the server, or a placeholder if none is set; error messages omit the key."""
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if not key.isascii() or not key.isprintable() or any(mark in key for mark in _NEVER):
        raise EnvironmentProblem("has characters that are not allowed", where=KEY_VARIABLE, fix="set it again")
    return key or NO_KEY


def redact_api_key(text: str) -> str:
    """Replace all secrets in a text from the server by `[key]`."""
    values = [os.environ.get(name, "").strip() for name in (KEY_VARIABLE, *_OTHERS)]
    for line in os.environ.get(_HEADERS, "").splitlines():
        value = line.partition(":")[2].strip()
        values += [value, value.rpartition(" ")[2]]
    for secret in sorted(values, key=len, reverse=True):
        text = text.replace(secret, "[key]") if len(secret) >= _LEAST else text
    return text
