"""The Hub's client library, and its errors in our words: one line, no token, no address with a query."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from corpora.sources.transport.remote import guard_hub
from haymaker.errors import HaymakerError, HubError

_LOGIN = "hf auth login, or set HF_TOKEN"
_AGAIN = "the same command goes on from where it stopped"
_TOKEN = re.compile(r"hf_\w{6,}|Bearer\s+\S+|(?<=://)[^/@\s]+@", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<=\S)\?\S+")
_SAID = {
    400: ("the Hub refused the request", "read what it says"),
    401: ("the Hub does not accept this token, or there is none", _LOGIN),
    403: ("this token may not do that", "use a token that may write there: " + _LOGIN),
    404: ("no such repository, version or file on the Hub, or it is not for you", "check the name; for a private one, " + _LOGIN),
    409: ("it exists already", "choose another name"),
    412: ("somebody else has committed in the meantime", "look what it was, then run the command again"),
    413: ("the Hub takes no request of that size", "make parquet.shard_mb smaller"),
    429: ("the Hub asks to wait: too many requests", "wait some minutes; " + _AGAIN),
}  # fmt: skip


def api() -> Any:
    """huggingface_hub.HfApi with the token of the environment or the Hub login; redirects to strange addresses are not followed."""
    from huggingface_hub import HfApi

    guard_hub()
    return HfApi(library_name="haymaker")


@contextmanager
def hub_errors(where: str) -> Iterator[None]:
    """Errors of the Hub and of the network become HubError.

    Args:
        where: repository or file that is dealt with, for the error line.
    """
    from huggingface_hub.errors import HfHubHTTPError

    try:
        yield
    except HaymakerError:
        raise
    except HfHubHTTPError as error:
        raise explained(error, where) from None
    except Exception as error:
        if not type(error).__module__.partition(".")[0].startswith(("httpx", "httpcore", "huggingface_hub")):
            raise
        raise explained(error, where) from None


def explained(error: Exception, where: str) -> HubError:
    """One line for what the Hub or the network said."""
    status = getattr(getattr(error, "response", None), "status_code", None)
    first = redacted(next(iter(str(error).strip().splitlines()), ""))[:160]
    if status in _SAID:
        what, fix = _SAID[status]
        return HubError(f"{what} ({type(error).__name__})", where=where, fix=fix)
    if status is not None and status >= 500:
        return HubError(f"the Hub has trouble of its own (status {status})", where=where, fix=_AGAIN)
    return HubError(
        f"the Hub cannot be reached ({type(error).__name__}: {first})", where=where, fix=f"check the network; {_AGAIN}"
    )


def redacted(text: str) -> str:
    """A text without tokens, passwords in addresses, or what follows a question mark in one."""
    return _ADDRESS.sub("", _TOKEN.sub("[token]", text))
