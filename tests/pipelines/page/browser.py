"""A real browser without a window, driven over its debugging pipe: what a page shows, what keys do, what it complains of."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Self

import pytest

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_browser = pytest.mark.skipif(not PROGRAM, reason="NOT RUN: needs a browser; apt install chromium")
_KEYS = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38}


class Browser:
    """One page.

    Args:
        profile: a folder of its own.
    """

    def __init__(self, profile: Path) -> None:
        assert PROGRAM is not None
        reads, self._write = os.pipe()
        self._read, writes = os.pipe()
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--disable-dev-shm-usage",
                 f"--user-data-dir={profile}", "--no-first-run", "--hide-scrollbars", "about:blank"]  # fmt: skip

        def place() -> None:  # the browser listens at 3 and answers at 4
            high = [os.dup2(fd, fd + 100) for fd in (reads, writes)]
            for fd, number in zip(high, (3, 4), strict=True):
                os.dup2(fd, number)

        self._process = subprocess.Popen(
            [PROGRAM, *flags], preexec_fn=place, close_fds=False, stderr=subprocess.DEVNULL
        )
        os.close(reads)
        os.close(writes)
        self._rest, self._number, self._session, self._loaded = b"", 0, "", 0
        self.complaints: list[str] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(20)
        os.close(self._read)
        os.close(self._write)

    def open(self, path: Path, *, width: int = 1600, height: int = 1000) -> None:
        """Show a file and wait until it is loaded; what it asks of a network is a complaint."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        loaded = self._loaded
        self._call("Page.navigate", url=path.resolve().as_uri())
        while self._loaded == loaded:
            answer = self._next()
            self._note(answer.get("method", ""), answer.get("params", {}))

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, *keys: str) -> None:
        """Type keys: names as browsers have them, or single characters."""
        for key in keys:
            told = {"key": key, "windowsVirtualKeyCode": _KEYS.get(key, 0)}
            if len(key) == 1:
                told["text"] = key
            elif key == "Enter":
                told["text"] = "\r"
            self._call("Input.dispatchKeyEvent", type="keyDown", **told)
            self._call("Input.dispatchKeyEvent", type="keyUp", **{k: v for k, v in told.items() if k != "text"})

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return dict(answer["result"])
            self._note(answer.get("method", ""), answer.get("params", {}))

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            read = os.read(self._read, 1 << 20)
            assert read, "the browser ended"
            self._rest += read
        found, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(found))

    def _note(self, method: str, params: dict[str, Any]) -> None:
        self._loaded += method == "Page.loadEventFired"
        if method == "Runtime.exceptionThrown":
            self.complaints.append(str(params["exceptionDetails"]))
        if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.complaints.append(str(params["args"]))
        if method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(str(params["entry"]))
        if method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("file:", "data:")):
            self.complaints.append(params["request"]["url"])
