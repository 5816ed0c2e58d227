"""What a terminal gets: no control character, no override and no markup out of a corpus, a key, a name or a message."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from haymaker.core import progress
from haymaker.core.progress import SafeConsole
from haymaker.releases.display import show

HOSTILE = "\x1b]0;owned\x07\x9b31m\u202eevil\u2066[link=file:///x][red]:smile:[/]\r\x00\ud800"
SHOWN = "<U+001B>]0;owned<U+0007><U+009B>31m<U+202E>evil<U+2066>[link=file:///x][red]:smile:[/]<U+000D><U+0000><U+D800>"
_STYLE = re.compile(r"\x1b\[[0-9;]*m")  # rich's own colours


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """A terminal in place of every console."""
    file = io.StringIO()
    for module, name in ((progress, "console"), (progress, "out"), (show, "out")):
        monkeypatch.setattr(module, name, SafeConsole(file=file, force_terminal=True, width=400))
    return file


def harmless(file: io.StringIO) -> str:
    text = _STYLE.sub("", file.getvalue())
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text), repr(text)
    return text


def test_a_row(screen, monkeypatch):
    prompt = f"{HOSTILE} Where? {HOSTILE} {'x' * 5000} fact"
    row = {
        "id": HOSTILE, "suite": "s", "task": "t", "doc_ids": [HOSTILE], HOSTILE: "x", "prompt": prompt, "answers": [HOSTILE],
        "spans": [{"kind": "fact", "start": len(prompt) - 4, "end": len(prompt)}, {"kind": "gold", "start": len(HOSTILE) + 1, "end": len(HOSTILE) + 7}],
    }  # fmt: skip
    monkeypatch.setattr(show, "find", lambda *_: row)
    show.show(Path(), "t", "4k", 0, "test")
    assert harmless(screen).count(SHOWN) >= 4
    assert "\x1b[1;30;42mWhere?\x1b[0m" in screen.getvalue() and "\x1b[33mfact\x1b[0m" in screen.getvalue()


def test_the_program_itself_on_a_terminal(tmp_path):
    """Names of files and keys, through a pseudo terminal."""
    (tmp_path / "dvc.yaml").write_text("")
    (tmp_path / "params").mkdir()
    (tmp_path / "params/\x1b[31m\u202e.yaml").write_text('"\\e[31m\\u202e": 1\n')
    for arguments in (["plan", "\x1b[31m\u202e"], ["\x1b[31m"]):
        ours, theirs = os.openpty()
        command = [sys.executable, "-m", "haymaker.cli.main", *arguments]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(command, cwd=tmp_path, stdout=theirs, stderr=theirs, env=environment)
        os.close(theirs)
        said = os.read(ours, 100_000).decode()
        os.close(ours)
        assert done.returncode == 2 and said.startswith("haymaker: ") and len(said.splitlines()) == 1
        assert said.strip().isprintable(), repr(said)
