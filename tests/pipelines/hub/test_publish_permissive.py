"""A release of which a part may not be given on: refused, then published without it, and whole in what is left."""

from __future__ import annotations

import json
from pathlib import Path

from haymaker.releases import manifest
from pipelines.project import Project
from tests.hub_uploads import UploadHub
from tests.pipelines import tiny
from tests.pipelines.hub.publisher import Publisher
from tests.pipelines.test_licences import mixed, mixed_root  # noqa: F401  (fixtures)


def test_what_may_not_be_published_is_left_out(
    hub: UploadHub,
    publish: Publisher,
    mixed: Project,  # noqa: F811
    tmp_path: Path,
) -> None:
    mine = tiny.copy(mixed.root, tmp_path / "mine")
    done = publish(mine.root, "org/mixed")
    assert done.returncode == 2 and "source letters" in done.stderr and "--allow letters" in done.stderr, done.stderr
    assert publish(mine.root, "org/mixed", "--allow", "letters").returncode == 0
    done = publish(mine.root, "org/mixed", "--exclude-restricted", "--yes")
    assert done.returncode == 0 and "excluded: tasks built from letters" in done.stderr, done.stderr
    [version] = hub.tags["org/mixed"]
    held = hub.files("org/mixed", version)
    said = json.loads(held["manifest.json"])
    assert not [name for name in held if "niah_single_2" in name] and "letters" not in said["sources"]
    assert "not published here; source letters" in said["unavailable"]["synthetic"]["niah_single_2"]
    assert [name for name in held if name.startswith("mini/synthetic/vt/")]
    for name, data in held.items():
        if name != ".gitattributes":
            (tmp_path / "held" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "held" / name).write_bytes(data)
    manifest.verify(tmp_path / "held")
    again = publish(mine.root, "org/mixed", "--exclude-restricted", "--yes")
    assert again.returncode == 0 and "already published" in again.stdout, again.stdout + again.stderr
