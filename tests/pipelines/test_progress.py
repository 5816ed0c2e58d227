"""Progress: a bar where a person watches, the same lines as ever where a file does."""

from __future__ import annotations

import io
import sys

import pytest
from rich.console import Console

from haymaker.core import progress
from haymaker.core.progress import Progress


def _work() -> None:
    with Progress("making", total=4.0, shards=3, unit="tokens") as going:
        going.advance(1.0, resumed=True)
        going.advance(2.0)
        going.advance(1.0)


def test_lines_elsewhere(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _work()
    assert capsys.readouterr().err == "making: 3 of 3 shards in 0 s, 1 kept from before\n"
    monkeypatch.setattr(progress, "_PLAIN_EVERY_S", 0.0)
    _work()
    first, *_, last = capsys.readouterr().err.splitlines()
    assert first.startswith("making:  75 %  2/3 shards  ") and first.endswith(" tokens/s  0 s left")
    assert last == "making: 3 of 3 shards in 0 s, 1 kept from before"


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(progress, "console", Console(file=screen, force_terminal=True, width=120, highlight=False))
    _work()
    shown = screen.getvalue()
    assert "━" in shown and "100 %  3/3 shards" in shown and "tokens/s" in shown
    assert shown.endswith("making: 3 of 3 shards in 0 s, 1 kept from before\n")
    assert shown.rindex("\x1b[?25h") > shown.rindex("━"), "the cursor is back"
