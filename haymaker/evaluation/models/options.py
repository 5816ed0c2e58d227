"""What is to be asked of which model, and the identity of a request under that."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from haymaker.core.errors import EnvironmentProblem, ParamsError
from haymaker.core.rows.model_requests import Request

ENDPOINT_VARIABLE = "HAYMAKER_ENDPOINT"
_BYTES = 16  # of an identity: among a million requests, two alike by chance once in 10^26


@dataclass(frozen=True)
class RequestOptions:
    """What a person asked for.

    Attributes:
        requests: file to read.
        out: file of replies.
        endpoint: address of the server, up to what /chat/completions is added to.
        model: its name there.
        system: message before each prompt; empty: none.
        temperature: of sampling.
        max_tokens: of every reply; None: what each request says.
        concurrency: requests under way at once.
        timeout_s: how long to wait for a connection, or for the next byte of a reply.
        retries: of each request.
        limit: how many requests of the file, from its start; None: all.
        price_in: per million prompt tokens; price_out per million tokens of replies; None: not told.
        base: whether the model continues the prompt (/completions), instead of replying to it (/chat/completions).
        blank: whether a reply without text is one: an output of a model is, what a judge says is not.
        budget: the most that replies of this call may cost, by both prices; None: no limit.
        stream: whether a reply comes in pieces; it is the same reply.
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
        """The message before a request: its own, else that of all; a base model has none."""
        return "" if self.base else request.system or self.system

    def most(self, request: Request) -> int:
        """Tokens that the reply to a request may have."""
        return self.max_tokens or request.max_tokens

    def identity(self, request: Request) -> bytes:
        """Hash of all that decides the reply, but for the server: what is equal in it is asked once."""
        asked: list[object] = [self.model, self.system_of(request), request.prompt, self.most(request)]
        asked.append(float(self.temperature))
        if self.base or request.stop:  # what was asked before there were these keeps its identity
            asked += [self.base, request.stop]
        return sha256(json.dumps(asked, ensure_ascii=False).encode()).digest()[:_BYTES]

    def price(self, prompt_tokens: int, reply_tokens: int) -> float | None:
        """What tokens cost; None where no price was told."""
        return cost(prompt_tokens, reply_tokens, self.price_in, self.price_out)


def cost(prompt_tokens: int, reply_tokens: int, price_in: float | None, price_out: float | None) -> float | None:
    """What tokens cost, by prices per million of each; None where neither was told."""
    if price_in is None and price_out is None:
        return None
    return (prompt_tokens * (price_in or 0) + reply_tokens * (price_out or 0)) / 1e6


def check_files(wish: RequestOptions) -> None:
    """Refuse files that would be read and written at once, or that can be read only once.

    Raises:
        EnvironmentProblem: there is such a one.
    """
    if wish.requests.exists() and not wish.requests.is_file():
        raise EnvironmentProblem("is no plain file, and it is read several times", where=str(wish.requests))
    if wish.out.exists() and wish.requests.exists() and wish.out.samefile(wish.requests):
        raise EnvironmentProblem("replies would be written over the requests", where="--out", fix="name another file")


def check_endpoint(endpoint: str) -> None:
    """Refuse an address that cannot be asked, or that holds what must stay in the environment; it is never shown then.

    Raises:
        ParamsError: no address, no http or https, or a name, password, query or fragment in it.
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
