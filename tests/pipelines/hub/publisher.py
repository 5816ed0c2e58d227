"""`haymaker publish` many times over, to be killed or not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from pipelines.project import Project
from pipelines.publishing.card.texts import texts
from tests.hub_uploads import UploadHub
from tests.pipelines.forks import Programs

TOKEN = "hf_thisIsKnownToTheTestAlone"
READER = "hf_mayOnlyReadAndNothingElse"


class Publisher:
    """Publishes from project folders to a hub."""

    def __init__(self, hub: UploadHub, programs: Programs) -> None:
        self.hub, self._programs, self._pid = hub, programs, 0

    def __call__(self, root: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """`haymaker publish ARGUMENTS` in a folder."""
        self._pid = self._programs.start(root, "publish", *arguments, **({"HF_TOKEN": TOKEN} | environment))
        done = self._programs.end()
        assert TOKEN not in done.stdout + done.stderr and "Signature" not in done.stdout + done.stderr
        return done

    def killed_at(self, request: int, root: Path, *arguments: str) -> bool:
        """The same, killed when its request of that number arrives; False when it made no such request."""
        begun, struck = len(self.hub.requests), []

        def watch(_: str) -> None:
            if len(self.hub.requests) - begun == request:
                os.kill(self._pid, signal.SIGKILL)
                struck.append(request)

        self.hub.watch = watch
        try:
            result = self(root, *arguments)
        finally:
            self.hub.watch = lambda request: None
        assert result.returncode == (-signal.SIGKILL if struck else 0), result.stderr
        return bool(struck)


def rendered(project: Project, **changes: Any) -> dict[str, Any]:
    """Change what a finished release says of itself."""
    said: dict[str, Any] = json.loads((project.release / "manifest.json").read_text()) | changes
    for name, text in texts(said, "data/releases/tiny").items():
        (project.release / name).write_text(text)
    return said
