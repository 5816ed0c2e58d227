"""What a release was built with: data/reports/<name>/build.json, a CycloneDX 1.6 list of materials. Never part of the release, which holds no
times and no versions of packages.
"""

from __future__ import annotations

import importlib.metadata
import platform
import re
import subprocess
import sysconfig
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import haymaker
from haymaker.core.files.disk import sha256_file, write_json
from pipelines.project import Project

FILE = "build.json"


def write(project: Project) -> None:
    """Write what the finished release of a project was built with.

    Raises:
        EnvironmentProblem: the disk refuses it.
    """
    release = project.params.release
    component: dict[str, Any] = {"type": "data", "name": release.name, "version": release.version}
    manifest = project.release / "manifest.json"
    if manifest.is_file():
        component["hashes"] = [{"alg": "SHA-256", "content": sha256_file(manifest)}]
    facts = {
        "python": platform.python_version(),
        "platform": sysconfig.get_platform(),
        "commit": _commit(project),
        "seed": release.seed,
    }
    record = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": datetime.now(UTC).isoformat(timespec="seconds"),
            "tools": {"components": [{"type": "application", "name": "haymaker", "version": haymaker.__version__}]},
            "component": component,
            "properties": [_property(name, value) for name, value in facts.items() if value != ""],
        },
        "components": packages(),
    }
    write_json(project.reports / FILE, record)


def packages() -> list[dict[str, Any]]:
    """Every installed package as a component: name, version, licence as it states it, and the SHA-256 of the list of its files."""
    found = {
        _name(each.name): each for each in reversed(list(importlib.metadata.distributions()))
    }  # of two the first is imported
    return [_component(name, each) for name, each in sorted(found.items())]


def _component(name: str, package: importlib.metadata.Distribution) -> dict[str, Any]:
    told = package.metadata  # parsed anew whenever it is asked for
    purl = f"pkg:pypi/{name}@{told['Version']}"
    component: dict[str, Any] = {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": told["Version"],
        "purl": purl,
    }
    expression = told["License-Expression"]
    if licence := expression or _licence(told):
        component["licenses"] = [{"expression": licence} if expression else {"license": {"name": licence}}]
    if record := package.read_text("RECORD"):
        component["properties"] = [_property("record-sha256", sha256(record.encode()).hexdigest())]
    return component


def _licence(told: importlib.metadata.PackageMetadata) -> str:
    """The licence of a package without a licence expression: its classifiers, else the first line of what it says."""
    classifiers = told.get_all("Classifier") or []
    named = [each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License ::")]
    said = (told["License"] or "").strip().partition("\n")[0]
    return ", ".join(named) or said


def _name(name: str) -> str:
    """A package's name as addresses of packages have it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _property(name: str, value: object) -> dict[str, str]:
    return {"name": f"haymaker:{name}", "value": str(value)}


def _commit(project: Project) -> str:
    """The commit of the project folder, `-dirty` behind it where files differ from it; "" where git knows of none."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=project.root, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()
