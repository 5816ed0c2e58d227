"""Programs of a few lines, many times over: a process that has imported what they need forks one for each. To import takes seconds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_LONGEST_WAIT_S = 0.01


class Forks:
    """Runs programs in processes of their own; waiting between attempts is real there, and short.

    Args:
        imports: modules that they need, imported once.
        environment: what all of them see.
    """

    def __init__(self, imports: tuple[str, ...], environment: Mapping[str, str]) -> None:
        command = [sys.executable, "-m", "tests.forks", *imports]
        self._out = tempfile.TemporaryDirectory()
        self._all = subprocess.Popen(
            command, env=dict(environment), cwd=Path(__file__).parents[1], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )  # fmt: skip

    def __call__(self, program: str, *arguments: str) -> Any:
        """What a program prints in its last line, which is JSON.

        Args:
            program: its text.
            arguments: in its `sys.argv`, behind the name.
        """
        assert self._all.stdin and self._all.stdout
        print(json.dumps([program, arguments, self._out.name]), file=self._all.stdin, flush=True)
        code = int(self._all.stdout.readline())
        out, err = ((Path(self._out.name) / name).read_text() for name in ("1", "2"))
        assert code == 0, err
        return json.loads(out.splitlines()[-1])

    def close(self) -> None:
        """End it."""
        self._all.kill()
        self._all.communicate()
        self._out.cleanup()


def _run(program: str, arguments: list[str], out: str) -> None:
    """A program to its end, in this process; what it prints goes into files."""
    for number in (1, 2):
        os.dup2(os.open(Path(out) / str(number), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    sys.argv = ["program", *arguments]
    exec(compile(program, "program", "exec"), {"__name__": "__main__"})
    sys.stdout.flush()
    sys.stderr.flush()


def _serve() -> None:
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            code = 1
            try:
                _run(*json.loads(line))
                code = 0
            except BaseException:
                sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
            finally:
                sys.stderr.flush()
                os._exit(code)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    wait = time.sleep
    time.sleep = lambda seconds: wait(min(seconds, _LONGEST_WAIT_S))  # before anybody takes it for his own
    for name in sys.argv[1:]:
        __import__(name)
    _serve()
