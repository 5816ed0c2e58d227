"""HTTP rules for all downloads: redirects are checked, and a long requested wait is an error instead of a silent sleep."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from haymaker.core.errors import EnvironmentProblem, SourceError
from haymaker.core.files.addresses import LONGEST_WAIT_S, TRY_AGAIN, check_hop, error_summary


@cache
def configure_hub_client() -> None:
    """Make huggingface_hub pass every response to `check_response`."""
    import httpx2
    from huggingface_hub import get_session, set_client_factory

    with client_errors():
        requests = get_session().event_hooks["request"]  # the library's own hooks: offline mode, request ids

    def client() -> httpx2.Client:
        hooks = {"request": requests, "response": [check_response]}
        return httpx2.Client(event_hooks=hooks, follow_redirects=True, timeout=None)

    set_client_factory(client)


@contextmanager
def client_errors() -> Iterator[None]:
    """Convert errors while an HTTP client is created: it reads proxies and certificates from the environment.

    Raises:
        EnvironmentProblem: the client cannot use these settings.
    """
    import httpx2

    try:
        yield
    except (ImportError, OSError, ValueError, httpx2.InvalidURL) as error:
        what = f"the settings of proxies or certificates cannot be used ({error_summary(error)})"
        fix = "check HTTPS_PROXY, ALL_PROXY, NO_PROXY and SSL_CERT_FILE"
        raise EnvironmentProblem(what, where="environment", fix=fix) from None


def check_response(response: Any) -> None:
    """Check the redirect or the requested wait of a response (event hook of httpx2).

    Raises:
        SourceError: the redirect is not allowed, or the wait is longer than `LONGEST_WAIT_S`.
    """
    if response.has_redirect_location:
        check_hop(str(response.url), response.headers["Location"])
    if response.status_code in TRY_AGAIN and (seconds := requested_wait(response.headers)) > LONGEST_WAIT_S:
        what = f"the server asks to wait {-(-int(seconds) // 60):,} minutes (status {response.status_code})"
        raise SourceError(what, fix="run the same command after that time: it resumes")


def requested_wait(headers: Any) -> float:
    """Return the seconds to wait according to `Retry-After` (a number or a date) or the Hub's rate limit."""
    from huggingface_hub.utils import parse_ratelimit_headers

    limit = parse_ratelimit_headers(headers)
    reset = limit.reset_in_seconds if limit is not None and limit.remaining == 0 else 0
    value = headers.get("Retry-After", "").strip()
    return min(1e9, max(reset, float(value) if value.isdecimal() else _seconds_until(value)))


def _seconds_until(date: str) -> float:
    try:
        return email.utils.parsedate_to_datetime(date).timestamp() - time.time()
    except (ValueError, OverflowError):
        return 0
