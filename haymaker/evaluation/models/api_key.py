"""Read the API key from the environment and remove it from server texts."""

from __future__ import annotations

import os

from haymaker.core.errors import EnvironmentProblem

VARIABLE = "HAYMAKER_API_KEY"  # the only one: a key for one provider must not reach the server of another
PLACEHOLDER = "none-needed"  # for local servers without a key; the openai library requires a non-empty text
HIDDEN = "[key]"
_OTHERS = ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY")  # also read by the openai library
_HEADERS = "OPENAI_CUSTOM_HEADERS"  # lines "name: value"
_NEVER = " \"'\\"  # not allowed in a key: servers may echo these characters in escaped form
_LEAST = 8  # minimum length of a secret: replacing "1" or "EMPTY" would damage replies


def read_api_key() -> str:
    """Return the API key of the server, or a placeholder if none is set.

    Raises:
        EnvironmentProblem: the key contains characters that are not allowed in a header; the message omits the key.
    """
    key = os.environ.get(VARIABLE, "").strip()
    if not key.isascii() or not key.isprintable() or any(mark in key for mark in _NEVER):
        raise EnvironmentProblem("holds characters that no key has", where=VARIABLE, fix="set it again")
    return key or PLACEHOLDER


def redact_api_key(text: str) -> str:
    """Replace all secrets in a text from the server by HIDDEN."""
    for secret in _secrets():
        text = text.replace(secret, HIDDEN)
    return text


def _secrets() -> list[str]:
    values = [os.environ.get(name, "").strip() for name in (VARIABLE, *_OTHERS)]
    for line in os.environ.get(_HEADERS, "").splitlines():
        value = line.partition(":")[2].strip()
        values += [value, value.rpartition(" ")[2]]
    return sorted({value for value in values if len(value) >= _LEAST}, key=len, reverse=True)
