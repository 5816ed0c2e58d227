"""Client of the Hugging Face Hub; its errors become one line, without tokens and address queries."""

from __future__ import annotations

import logging
import re
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from haymaker.core.errors import HaymakerError, HubError
from haymaker.core.files.hub_client import configure_hub_client

LOGIN = "hf auth login, or set HF_TOKEN"
_AGAIN = "run the same command again to resume"
_TOKEN = re.compile(r"hf_\w{6,}|(?i:Bearer)\s+\S+|(?<=://)[^/@\s]+@")
_REQUEST = re.compile(r" thrown while requesting .*| from https?:\S+(?=: )")
_QUERY = re.compile(r"(?<=\S)\?\S+")
_STATUS = {
    401: ("the token is missing, invalid or expired", LOGIN),
    403: ("this token has no permission", f"use a token with permission: {LOGIN}"),
    404: ("no such repository, version or file, or it is private and this token has no access", f"check the name; {LOGIN}"),
    409: ("it exists already, or another command changes it", f"{_AGAIN}, or choose another name"),
    412: ("another commit was made in the meantime", "check that commit, then run the command again"),
    413: ("the request is too large", "make parquet.shard_mb smaller"),
    429: ("too many requests; the Hub asks to wait", f"wait a few minutes, then {_AGAIN}"),
}  # fmt: skip


@cache
def hub_api() -> Any:
    """Return the Hub client with the token of the environment or login; unsafe redirects are not followed."""
    from huggingface_hub import HfApi
    from huggingface_hub.utils import disable_progress_bars
    from huggingface_hub.utils import logging as hub_logging

    configure_hub_client()
    if not sys.stderr.isatty():
        disable_progress_bars()
    recent: deque[str] = deque(maxlen=16)  # parallel transfers log the same waits

    def clean(record: logging.LogRecord) -> bool:
        first = next(iter(record.getMessage().splitlines()), "")
        record.msg, record.args = redacted(_REQUEST.sub("", first)), ()
        is_new = record.msg not in recent
        recent.append(record.msg)
        return is_new

    for handler in hub_logging.get_logger().handlers:
        handler.addFilter(clean)
    return HfApi(library_name="haymaker")


def token() -> str:
    """Return the Hub token, or an empty string."""
    from huggingface_hub import get_token

    return get_token() or ""


@contextmanager
def hub_errors(where: str) -> Iterator[None]:
    """Convert errors of the Hub and the network to HubError; disk errors keep their type.

    Args:
        where: repository in use, for the error message.
    """
    from huggingface_hub.errors import HfHubHTTPError

    try:
        yield
    except HfHubHTTPError as error:
        raise _hub_error(error, where) from None
    except Exception as error:
        cause = error.__cause__ if isinstance(error.__cause__, Exception) else error  # uploads wrap errors
        if isinstance(cause, OSError) and cause.errno is not None:
            raise cause from None
        raise _hub_error(cause, where) from None


def _hub_error(error: Exception, where: str) -> HubError:
    if isinstance(error, HaymakerError):  # raised by the configured client
        return HubError(error.what, where=error.where or where, fix=error.fix)
    kind, status = type(error).__name__, getattr(getattr(error, "response", None), "status_code", None)
    text = redacted(getattr(error, "server_message", None) or " ".join(str(error).split()))[:160]
    if kind == "OfflineModeIsEnabled":
        return HubError("HF_HUB_OFFLINE is set", where=where, fix=f"unset HF_HUB_OFFLINE, then {_AGAIN}")
    if kind == "LocalTokenNotFoundError":
        return HubError("no token is set", where=where, fix=LOGIN)
    if kind == "RepositoryNotFoundError":  # the Hub answers 401 to hide private repositories
        status = 404
    if status in _STATUS:
        what, fix = _STATUS[status]
        return HubError(f"{what} ({kind})", where=where, fix=fix)
    if isinstance(status, int) and status >= 500:
        return HubError(f"the Hub has a server error (status {status})", where=where, fix=_AGAIN)
    if status is not None or isinstance(error, ValueError | RuntimeError):
        return HubError(f"the Hub refuses the request: {text}", where=where, fix=f"fix this, then {_AGAIN}")
    if isinstance(error, OSError) and "Consistency check" in text:
        return HubError("the download has the wrong number of bytes", where=where, fix=_AGAIN)
    what = f"the Hub cannot be reached ({kind}: {text})"
    return HubError(what, where=where, fix=f"check the network, then {_AGAIN}")


def redacted(text: str) -> str:
    """Remove tokens, passwords in addresses, and address queries from a text."""
    own = token()
    return _QUERY.sub("", _TOKEN.sub("[token]", text.replace(own, "[token]") if own else text))
