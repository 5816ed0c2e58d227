"""What `sweep` removes: temporary files of dead processes, nothing of the user's own."""

from __future__ import annotations

import subprocess
import sys

from haymaker.core.files.disk import sweep, temporary_name


def test_only_what_a_dead_process_of_ours_left_is_swept(tmp_path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left = tmp_path / "deep" / f".rows.parquet.{dead.pid}.haymaker.tmp"
    folder = tmp_path / f".store.{dead.pid}.haymaker.tmp"
    ours, theirs = temporary_name(tmp_path / "now"), [tmp_path / ".v.2.0.tmp", tmp_path / ".notes.99999999.tmp"]
    folder.mkdir()
    left.parent.mkdir()
    for path in (left, folder / "text", ours, *theirs):
        path.write_text("x")
    sweep(tmp_path)
    assert not left.exists() and not folder.exists()
    assert all(path.exists() for path in (ours, *theirs))


def test_a_process_lives_until_it_is_known_to_have_ended() -> None:
    """With no file left to open, a stage once took the run above it for dead, and ended without a word."""
    code = (
        "import os, resource\nfrom haymaker.core.files.disk import alive\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\nheld = []\n"
        "try:\n    while True:\n        held.append(os.open('/dev/null', os.O_RDONLY))\n"
        "except OSError:\n    print(alive(os.getppid()))\n"
        "for each in held:\n    os.close(each)\nprint(alive(os.getpid()), alive(2**22 + 1))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\nTrue False\n"
