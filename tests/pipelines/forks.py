"""`haymaker` in a process of its own each time, forked from one that has imported it: to import takes seconds.

Run as a program it reads orders, JSON lines of `arguments`, `cwd`, `more`, `out`, `err`; it answers with the process id, then the exit status.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.hub import LocalHub
from tests.pipelines import tiny


class Programs:
    """Programs that use a hub, one at a time.

    Attributes:
        cache: of huggingface_hub.
    """

    def __init__(self, hub: LocalHub, home: Path) -> None:
        found = {key: value for key, value in hub.environment(home).items() if key.startswith(("HF_", "NO_"))}
        environment = tiny.environment(HF_HUB_OFFLINE=None, HOME=str(home), COLUMNS="160") | found
        self.cache, self._home = home / "hub", home
        self._all = subprocess.Popen(
            [sys.executable, "-m", "tests.pipelines.forks"],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tiny.ROOT,
        )  # fmt: skip

    def start(self, folder: Path, *arguments: str, **more: str) -> int:
        """Begin, standing in a folder, with more environment variables; its process."""
        places = {name: str(self._home / name) for name in ("out", "err")}
        assert self._all.stdin
        self._all.stdin.write(json.dumps({"arguments": arguments, "cwd": str(folder), "more": more, **places}) + "\n")
        self._all.stdin.flush()
        return int(self._said())

    def end(self) -> subprocess.CompletedProcess[str]:
        """Wait for it."""
        code = int(self._said())
        return subprocess.CompletedProcess([], code, *((self._home / name).read_text() for name in ("out", "err")))

    def close(self) -> None:
        assert self._all.stdin
        self._all.stdin.close()
        self._all.wait(60)

    def _said(self) -> str:
        assert self._all.stdout
        return self._all.stdout.readline()


def main() -> None:
    import huggingface_hub.hf_api
    import huggingface_hub.utils.tqdm  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    from typer.main import get_command

    from haymaker.cli import main
    from haymaker.cli.app import app
    from haymaker.evaluation.score import run  # noqa: F401
    from haymaker.releases.display import show  # noqa: F401
    from haymaker.releases.remote import pull  # noqa: F401
    from pipelines.publishing import publish  # noqa: F401
    from pipelines.publishing.card import readme

    get_command(app), list(map(readme._template, readme._PAGES.values()))  # each of them would put these together anew
    wait = time.sleep
    time.sleep = lambda seconds: wait(min(seconds, 0.01))  # libraries wait between attempts
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            _begin(json.loads(line))
            main.main()
            os._exit(0)
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def _begin(asked: dict[str, Any]) -> None:
    os.environ.update(asked["more"])
    if "LARGEST" in asked["more"]:  # of a file, in bytes: as if the disk were full
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(asked["more"]["LARGEST"]),) * 2)
    os.chdir(asked["cwd"])
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(asked[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    sys.argv = ["haymaker", *asked["arguments"]]


if __name__ == "__main__":
    main()
