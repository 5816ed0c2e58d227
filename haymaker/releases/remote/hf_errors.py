"""Client of the Hugging Face Hub with clear one-line errors, without tokens and address queries."""

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
_AT_ONCE = 16  # recent warnings kept to drop duplicates
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
    """Return huggingface_hub.HfApi with the token of the environment or login; unsafe redirects are not followed.

    The library's own output is hidden (progress bars, signed addresses). `print_library_warnings` prints its waits.
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
    """Print the library's warnings (failures, waits, retries) as own messages, without addresses and tokens."""
    from huggingface_hub.utils import logging as theirs

    _hush()  # call it first: a later call would set the level to error again
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
    """Handler that prints a warning once, even if several parallel transfers raise it."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._said: deque[str] = deque(maxlen=_AT_ONCE)

    def emit(self, record: logging.LogRecord) -> None:
        text = redacted(_REQUEST.sub("", next(iter(record.getMessage().splitlines()), "")))
        if text not in self._said:
            self._said.append(text)
            say(f"  {text}")


def token() -> str:
    """Return the Hub token, or an empty string."""
    from huggingface_hub import get_token

    return get_token() or ""


@contextmanager
def hub_errors(where: str) -> Iterator[None]:
    """Convert errors of the Hub and the network to HubError.

    Args:
        where: repository or file in use, for the error message.
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
        )  # upload errors are wrapped in another error
        if isinstance(told, HaymakerError):
            raise _placed(told, where) from None
        if not (_of_library(told) or (isinstance(error, ValueError | RuntimeError) and _raised_there(error))):
            raise
        raise hub_error(told, where) from None


def _placed(error: HaymakerError, where: str) -> HaymakerError:
    """Add the repository or file to an error raised for any Hub response (corpora.sources.transport.hub)."""
    is_of_any = isinstance(error, SourceError) and not error.where
    return HubError(error.what, where=where, fix=error.fix) if is_of_any else error


def _of_library(error: Exception) -> bool:
    return type(error).__module__.partition(".")[0].startswith(("httpx", "httpcore", "huggingface_hub"))


def _raised_there(error: Exception) -> bool:
    """Check whether the Hub library itself raised the error, not a function that it called."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at is not None and str(at.tb_frame.f_globals.get("__name__")).startswith("huggingface_hub")


def hub_error(error: Exception, where: str) -> HubError:
    """Convert an error of the Hub or the network to one line."""
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
    """Remove tokens, passwords in addresses, and address queries from a text."""
    own = token()
    return _ADDRESS.sub("", _TOKEN.sub("[token]", text.replace(own, "[token]") if own else text))
