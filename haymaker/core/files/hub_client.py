"""HTTP client settings for huggingface_hub: redirects are checked, and long waits are an error."""

from __future__ import annotations

from functools import cache
from typing import Any

from haymaker.core.errors import SourceError
from haymaker.core.files.addresses import LONGEST_WAIT_S, TRY_AGAIN, check_hop


@cache
def configure_hub_client() -> None:
    """Make huggingface_hub check redirects with `check_hop` and raise an error instead of sleeping for hours."""
    from huggingface_hub import set_client_factory
    from huggingface_hub.utils import _http

    def client() -> Any:
        made = _http.default_client_factory()
        made.event_hooks["response"].append(_on_hub_answer)
        return made

    set_client_factory(client)


def _on_hub_answer(answer: Any) -> None:
    if answer.has_redirect_location:
        check_hop(str(answer.url), answer.headers["Location"])
    if answer.status_code in TRY_AGAIN and (seconds := _wait_asked(answer.headers)) > LONGEST_WAIT_S:
        what = f"the Hub asks to wait {-(-seconds // 60):,} minutes (status {answer.status_code})"
        raise SourceError(what, fix="run the same command then: it goes on from where it stopped")


def _wait_asked(headers: Any) -> int:
    """Return the seconds that the library would sleep before a retry (silently, up to five times)."""
    from huggingface_hub.utils import _http

    limit = _http.parse_ratelimit_headers(headers)
    asked = limit.reset_in_seconds if limit is not None and limit.remaining == 0 else 0
    return max(asked, int(_http._parse_retry_after(headers) or 0))
