"""`haymaker publish` many times over: a process that has loaded the program forks one for each order, to be killed or not.

Run as a program it reads orders, JSON lines of `root`, `arguments`, `environment`, `out`; it answers with the process id, then the exit status.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from pipelines.project import Project
from pipelines.publishing.card.texts import texts
from tests.hub_uploads import UploadHub
from tests.pipelines import tiny

TOKEN = "hf_thisIsKnownToTheTestAlone"
READER = "hf_mayOnlyReadAndNothingElse"


class Publisher:
    """Publishes from project folders to a hub.

    Attributes:
        pid: of the program that runs now, or ran last.
    """

    def __init__(self, hub: UploadHub, home: Path) -> None:
        self.hub, self.pid = hub, 0
        environment = tiny.environment() | {
            k: v for k, v in hub.environment(home).items() if k.startswith(("HF_", "NO_"))
        }
        del environment["HF_HUB_OFFLINE"]
        self._home = home
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.pipelines.hub.publisher"], env=environment | {"HOME": str(home)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tiny.ROOT,
        )  # fmt: skip

    def __call__(self, root: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """`haymaker publish ARGUMENTS` in a folder."""
        assert self._process.stdin and self._process.stdout
        out = self._home / "out"
        known = {"HF_TOKEN": TOKEN} | environment
        order = {"root": str(root), "arguments": arguments, "environment": known, "out": str(out)}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        self.pid = int(self._process.stdout.readline())
        code = int(self._process.stdout.readline())
        said = [Path(f"{out}.{number}").read_text() for number in (1, 2)]
        assert TOKEN not in "".join(said) and "Signature" not in "".join(said)
        return subprocess.CompletedProcess(list(arguments), code, *said)

    def killed_at(self, request: int, root: Path, *arguments: str) -> bool:
        """The same, killed when its request of that number arrives; False when it made no such request."""
        begun, struck = len(self.hub.log), []

        def watch(number: int, _: str) -> None:
            if number - begun == request:
                os.kill(self.pid, signal.SIGKILL)
                struck.append(number)

        self.hub.on_request = watch
        try:
            result = self(root, *arguments)
        finally:
            self.hub.on_request = lambda number, request: None
        assert result.returncode == (-signal.SIGKILL if struck else 0), result.stderr
        return bool(struck)

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(30)


def rendered(project: Project, **changes: Any) -> dict[str, Any]:
    """Change what a finished release says of itself."""
    said: dict[str, Any] = json.loads((project.release / "manifest.json").read_text()) | changes
    for name, text in texts(said, "data/releases/tiny").items():
        (project.release / name).write_text(text)
    return said


def main() -> None:
    import huggingface_hub.hf_api  # noqa: F401
    import jinja2  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    from typer.main import get_command

    from haymaker.cli.app import app
    from pipelines.publishing import publish  # noqa: F401
    from pipelines.publishing.card import readme

    get_command(app), list(map(readme._template, readme._PAGES.values()))  # each of them would put these together anew
    wait = time.sleep
    time.sleep = lambda seconds: wait(min(seconds, 0.01))  # libraries wait between attempts
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if not pid:
            _run(order)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\n")
        sys.stdout.flush()


def _run(order: dict[str, Any]) -> None:
    from haymaker.cli import main
    from haymaker.core import progress

    code = 70
    try:
        for number in (1, 2):
            target = os.open(f"{order['out']}.{number}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            os.dup2(target, number)
        progress.out = progress.SafeConsole(width=160)
        os.chdir(order["root"])
        os.environ.update(order["environment"])
        sys.argv = ["haymaker", "publish", *order["arguments"]]
        main.main()
    except SystemExit as stop:
        code = int(stop.code or 0)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
