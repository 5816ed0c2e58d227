"""Write the SBOM of a release: data/reports/<name>/build.json, in CycloneDX 1.6 format.

It is not part of the release: a release contains no timestamps and no package versions.
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
    """Write the SBOM of the finished release of a project.

    Raises:
        EnvironmentProblem: the file cannot be written.
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
    """Return every installed package as a component: name, version, declared license, SHA-256 of its RECORD file."""
    found = {
        _name(each.name): each for each in reversed(list(importlib.metadata.distributions()))
    }  # if a package is installed twice, the first is imported
    return [_component(name, each) for name, each in sorted(found.items())]


def _component(name: str, package: importlib.metadata.Distribution) -> dict[str, Any]:
    told = package.metadata  # every access parses the metadata again
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
    """Return the license of a package without a license expression: classifiers, or first line of the License field."""
    classifiers = told.get_all("Classifier") or []
    named = [each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License ::")]
    said = (told["License"] or "").strip().partition("\n")[0]
    return ", ".join(named) or said


def _name(name: str) -> str:
    """Return the normalized name of a package, as used in package URLs."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _property(name: str, value: object) -> dict[str, str]:
    return {"name": f"haymaker:{name}", "value": str(value)}


def _commit(project: Project) -> str:
    """Return the commit of the project folder, with the suffix `-dirty` if files differ; "" without git or a commit."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=project.root, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()
