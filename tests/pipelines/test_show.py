"""A row on a terminal: the middle is folded, what decides stays."""

from __future__ import annotations

import pytest

from pipelines.reports.show import folded

PROMPT = "".join(f"{n:06d} " for n in range(5_000))


@pytest.mark.parametrize("kind", ["shot", "passage", "distractor"])
def test_thousands_of_fillers_are_folded(kind: str) -> None:
    spans = [{"kind": kind, "start": n * 7, "end": n * 7 + 6} for n in range(5_000)]
    shown = folded(PROMPT, spans).plain
    assert len(shown) < 2_000 and "... 33,600 characters ..." in shown


@pytest.mark.parametrize("kind", ["gold", "support", "fact", "needle"])
def test_what_decides_stays(kind: str) -> None:
    shown = folded(PROMPT, [{"kind": kind, "start": 14_000, "end": 14_006}]).plain
    assert "002000" in shown and "004000" not in shown
