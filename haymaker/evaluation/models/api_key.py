"""The key: from the environment to the server, and nowhere else."""

from __future__ import annotations

import os

from haymaker.core.errors import EnvironmentProblem

VARIABLE = "HAYMAKER_API_KEY"  # no other: a key for one provider must not go to the server of another
PLACEHOLDER = "none-needed"  # for servers of one's own, which ask for no key; the library wants some text
HIDDEN = "[key]"
_OTHERS = ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY")  # the library reads these too
_HEADERS = "OPENAI_CUSTOM_HEADERS"  # lines "name: value"
_NEVER = " \"'\\"  # in a key: a server may say these back in other ways
_LEAST = 8  # characters of a secret: "1" or "EMPTY" is none, and taking it out would spoil replies


def read_api_key() -> str:
    """The key of the server.

    Raises:
        EnvironmentProblem: it holds characters that no header can; it is not shown.
    """
    found = os.environ.get(VARIABLE, "").strip()
    if not found.isascii() or not found.isprintable() or any(mark in found for mark in _NEVER):
        raise EnvironmentProblem("holds characters that no key has", where=VARIABLE, fix="set it again")
    return found or PLACEHOLDER


def redact_api_key(text: str) -> str:
    """A text of the server without the key, wherever it says it back."""
    for secret in _secrets():
        text = text.replace(secret, HIDDEN)
    return text


def _secrets() -> list[str]:
    values = [os.environ.get(name, "").strip() for name in (VARIABLE, *_OTHERS)]
    for line in os.environ.get(_HEADERS, "").splitlines():
        value = line.partition(":")[2].strip()
        values += [value, value.rpartition(" ")[2]]
    return sorted({value for value in values if len(value) >= _LEAST}, key=len, reverse=True)
