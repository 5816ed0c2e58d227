"""The Hub's client library, and its errors in our words: one line, no token, no address with a query."""

from __future__ import annotations

import logging
import re
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from haymaker.core.errors import HaymakerError, HubError, SourceError
from haymaker.core.files.hub_client import configure_hub_client
from haymaker.core.progress import say

LOGIN = "hf auth login, or set HF_TOKEN"
_AGAIN = "the same command goes on from where it stopped"
_TOKEN = re.compile(r"hf_\w{6,}|Bearer\s+\S+|(?<=://)[^/@\s]+@", re.IGNORECASE)
_REQUEST = re.compile(r" thrown while requesting .*| from https?:\S+(?=: )")
_AT_ONCE = 16  # warnings that several transfers may give at once
_ADDRESS = re.compile(r"(?<=\S)\?\S+")
_SAID = {
    401: ("the Hub does not accept this token, or there is none", LOGIN),
    403: ("this token may not do that", "use a token that may write there: " + LOGIN),
    404: ("no such repository, version or file on the Hub, or it is not for you", "check the name; for a private one, " + LOGIN),
    409: ("it exists already", "choose another name"),
    412: ("somebody else has committed in the meantime", "look what it was, then run the command again"),
    413: ("the Hub takes no request of that size", "make parquet.shard_mb smaller"),
    429: ("the Hub asks to wait: too many requests", "wait some minutes; " + _AGAIN),
}  # fmt: skip


def hub_api() -> Any:
    """huggingface_hub.HfApi with the token of the environment or the Hub login; redirects to strange addresses are not followed.

    What the library would print of its own is not shown: bars of each file, and addresses with signatures. `spoken` tells its waits.
    """
    from huggingface_hub import HfApi

    _hush()
    return HfApi(library_name="haymaker")


@cache
def _hush() -> None:
    from huggingface_hub.utils import disable_progress_bars
    from huggingface_hub.utils import logging as theirs

    configure_hub_client()
    disable_progress_bars()
    theirs.set_verbosity_error()


@contextmanager
def print_library_warnings() -> Iterator[None]:
    """Let the library's warnings (what failed, how long it waits, that it tries again) be seen as ours, without addresses and tokens."""
    from huggingface_hub.utils import logging as theirs

    _hush()  # now: later it would silence them again
    logger = theirs.get_logger("huggingface_hub")
    before, level = logger.handlers[:], logger.level
    logger.handlers[:] = [_Speaker()]
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.handlers[:] = before
        logger.setLevel(level)


class _Speaker(logging.Handler):
    """Says a warning once, though several transfers that run at once give it."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._said: deque[str] = deque(maxlen=_AT_ONCE)

    def emit(self, record: logging.LogRecord) -> None:
        text = redacted(_REQUEST.sub("", next(iter(record.getMessage().splitlines()), "")))
        if text not in self._said:
            self._said.append(text)
            say(f"  {text}")


def token() -> str:
    """The token that the Hub is told; "" where there is none."""
    from huggingface_hub import get_token

    return get_token() or ""


@contextmanager
def hub_errors(where: str) -> Iterator[None]:
    """Errors of the Hub and of the network become HubError.

    Args:
        where: repository or file that is dealt with, for the error line.
    """
    from huggingface_hub.errors import HfHubHTTPError

    try:
        yield
    except HaymakerError as error:
        raise _placed(error, where) from None
    except HfHubHTTPError as error:
        raise hub_error(error, where) from None
    except Exception as error:
        told = (
            error.__cause__ if isinstance(error.__cause__, Exception) else error
        )  # an upload's error stands behind another
        if isinstance(told, HaymakerError):
            raise _placed(told, where) from None
        if not (_of_library(told) or (isinstance(error, ValueError | RuntimeError) and _raised_there(error))):
            raise
        raise hub_error(told, where) from None


def _placed(error: HaymakerError, where: str) -> HaymakerError:
    """What is said of any answer of the Hub (corpora.sources.transport.hub) does not know for what it was asked."""
    is_of_any = isinstance(error, SourceError) and not error.where
    return HubError(error.what, where=where, fix=error.fix) if is_of_any else error


def _of_library(error: Exception) -> bool:
    return type(error).__module__.partition(".")[0].startswith(("httpx", "httpcore", "huggingface_hub"))


def _raised_there(error: Exception) -> bool:
    """Whether the Hub's library raised it, and nothing that it called."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at is not None and str(at.tb_frame.f_globals.get("__name__")).startswith("huggingface_hub")


def hub_error(error: Exception, where: str) -> HubError:
    """One line for what the Hub or the network said."""
    status = getattr(getattr(error, "response", None), "status_code", None)
    first = redacted(next(iter(str(error).strip().splitlines()), ""))[:160]
    if type(error).__name__ == "LocalTokenNotFoundError":
        return HubError("no token is given", where=where, fix=LOGIN)
    if status in _SAID:
        what, fix = _SAID[status]
        return HubError(f"{what} ({type(error).__name__})", where=where, fix=fix)
    if isinstance(error, ValueError | RuntimeError):
        return HubError(f"the Hub refuses it: {first}", where=where, fix="haymaker validate, then tell us")
    if status is not None and status >= 500:
        return HubError(f"the Hub has trouble of its own (status {status})", where=where, fix=_AGAIN)
    if status is not None:
        return HubError(f"the Hub refuses it: {first}", where=where, fix="mend that, then run the command again")
    return HubError(
        f"the Hub cannot be reached ({type(error).__name__}: {first})", where=where, fix=f"check the network; {_AGAIN}"
    )


def redacted(text: str) -> str:
    """A text without tokens, passwords in addresses, or what follows a question mark in one."""
    own = token()
    return _ADDRESS.sub("", _TOKEN.sub("[token]", text.replace(own, "[token]") if own else text))
