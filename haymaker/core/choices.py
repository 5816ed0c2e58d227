"""Values of the options with fixed choices, and the error for any other value."""

from __future__ import annotations

from collections.abc import Sequence

from haymaker.core.errors import ParamsError

SPLITS = ("test", "dev", "train")
PROMPTINGS = ("chat", "base")
MISSING = ("exclude", "zero")
"""Policies for test rows without an output."""
EDITIONS = ("strict", "official")
"""Versions of the metrics of a published table."""
OPENAI = "openai_jsonl"
HARNESSES = ("lm_eval", "inspect", "lighteval")
"""Modules of haymaker/evaluation/export with a function `files`."""
SCORES = "every_eval_ever"
FORMATS = (OPENAI, *HARNESSES, SCORES)
BY = (
    "depth_index", "depth", "order_index", "variant", "num_distractors", "background_corpus", "split", "evidence", "shown",
)  # fmt: skip
"""Columns to split scores by."""


def check_choice(value: str, choices: Sequence[str], what: str, where: str = "") -> str:
    """Return a value that is one of the choices.

    Args:
        value: value given by the user.
        choices: valid values.
        what: noun for such a value, for the error.
        where: option or argument.

    Raises:
        ParamsError: the value is no choice; the error lists them and names the closest one.
    """
    if value in choices:
        return value
    from haymaker.core.params import nearest

    near = nearest(value, choices)
    listed = f"{', '.join(choices[:-1])} or {choices[-1]}" if len(choices) > 1 else "".join(choices)
    raise ParamsError(
        f"unknown {what} {value!r:.80}; choose {listed}", where=where, fix="" if near.startswith("known: ") else near
    )
