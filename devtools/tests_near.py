"""Print the test folders of the changed layers and of the layers above them; imports run downward only, so no other test can change.

`python -m devtools.tests_near [COMMIT]` compares the working tree with a commit (default: where this branch left main).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
_ROWS = ("generators", "pipelines", "reliability")
_SCORES = ("scoring", "haymaker", "pipelines", "reliability")
ABOVE = {
    "haymaker/scoring": _SCORES,
    "haymaker/releases": _SCORES,
    "haymaker/evaluation": _SCORES[1:],
    "haymaker/cli": _SCORES[1:],
    "worlds": ("worlds", "corpora", *_ROWS),
    "corpora": ("corpora", *_ROWS),
    "generators": (*_ROWS, "scoring"),
    "pipelines": ("pipelines", "reliability"),
    "dvc.yaml": ("pipelines", "reliability"),
    "versions.yaml": ("pipelines", "reliability"),
    "params": ("pipelines",),
    "devtools": ("pipelines",),
    "docs": (),
}
"""Folder or file -> its test folders; every other path needs all tests. The tests at the top of tests/ always run."""


def near(changed: list[str]) -> list[str]:
    """Return the arguments of pytest for changed files.

    Args:
        changed: paths below the root of the repository.
    """
    folders = set[str]()
    for name in changed:
        parts = name.split("/")
        if parts[0] == "tests" and len(parts) > 2 and any((ROOT / "tests" / parts[1]).rglob("test_*.py")):
            folders.add(parts[1])
        elif (parts[0] == "tests" and len(parts) == 2 and parts[1].startswith("test_")) or name.endswith(".md"):
            continue
        else:
            known = next((ABOVE[key] for key in ("/".join(parts[:2]), parts[0]) if key in ABOVE), None)
            if known is None:
                return ["tests"]
            folders.update(known)
    return [*sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").glob("test_*.py")),
            *(f"tests/{name}" for name in sorted(folders))]  # fmt: skip


def changed_files(commit: str) -> list[str]:
    """Return the paths that differ from a commit, and new files."""
    commands = (["diff", "--name-only", commit], ["ls-files", "--others", "--exclude-standard"])
    return [line for command in commands for line in _git(*command).splitlines()]


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.stdout.write(
        " ".join(near(changed_files(sys.argv[1] if len(sys.argv) > 1 else _git("merge-base", "HEAD", "main"))))
    )
