"""Nodes that share nothing but a store: the same bytes, errors and ends as with a folder that all see."""

from __future__ import annotations

import errno
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from haymaker.errors import BuildError, EnvironmentProblem
from pipelines import away, shards
from pipelines.depot import Content, Depot, given
from pipelines.shards import Job
from tests.extras import needs
from tests.pipelines import tiny, tiny_generated, tiny_passages
from tests.pipelines.far import far_nodes, s3, with_far_nodes
from tests.pipelines.test_on_ray import cluster, until, with_ray

with_s3 = needs("s3", "s3fs", "moto")


@with_ray
@with_far_nodes
@pytest.mark.slow
@pytest.mark.parametrize("kind", [tiny, tiny_passages, tiny_generated], ids=["babilong", "mined sets", "labelled sets"])
@pytest.mark.parametrize("store", ["folder", pytest.param("s3", marks=with_s3)])
def test_nodes_that_share_nothing_but_a_store_make_the_same(kind: Any, store: str, tmp_path: Path) -> None:
    here, there = (kind.make(tmp_path / name) for name in ("here", "there"))
    kind.run(here)
    with s3_or_folder(store, tmp_path) as (url, credentials), cluster(0) as made:
        with far_nodes(made, 2, there.root, tmp_path / "nodes", **credentials):
            environment = {
                "HAYMAKER_EXECUTOR": "ray",
                "RAY_ADDRESS": made.address,
                "HAYMAKER_STORE": url,
                **credentials,
            }
            for name, what in kind.STAGES:
                asked = ["stage", name, *([what] if what else [])]
                done = tiny.haymaker(there.root, *asked, **environment)
                assert done.returncode == 0, (asked, done.stderr)
    folders = [path.name for path in here.data.iterdir() if path.name not in ("work", "raw", "prepared")]
    for folder in folders:
        assert tiny.digests(there.root, f"data/{folder}") == tiny.digests(here.root, f"data/{folder}"), folder
    assert tiny.leftovers(there.root) == []
