"""What is installed is what was tried: every file has its SHA-256, every advice to install names the versions. The version is the same everywhere."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from haymaker import __version__
from haymaker.core.extras import install_command

ROOT = Path(__file__).parents[1]
LISTS = sorted((ROOT / "requirements").glob("*.txt"))
PINS = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line)
_ENTRY = re.compile(
    r"^([A-Za-z0-9._-]+)==([^ ]+)(?: ; [^\n]*?)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n", re.MULTILINE
)


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=!~; ]", name)[0]).lower()


def entries(file: Path) -> dict[str, str]:
    """Name -> version of a list."""
    return {plain(name): version for name, version, _ in _ENTRY.findall(file.read_text())}


@pytest.mark.parametrize("file", LISTS, ids=lambda file: file.name)
def test_a_list_holds_hashed_versions_alone(file: Path) -> None:
    text = file.read_text()
    rest = re.sub(r"^#.*\n", "", _ENTRY.sub("", text), flags=re.MULTILINE)
    assert entries(file) and rest.strip() == "", rest[:300]
    assert not re.search(r"://|--(extra-)?index|--find-links|file:", text)
    known = {plain(name): version for name, version in PINS.items()}
    for name, version in entries(file).items():
        assert known.get(name, version) == version.partition("+")[0], name


def test_the_lists_hold_what_the_project_asks_for() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project, docs = pyproject["project"], pyproject["dependency-groups"]["docs"]
    found = {file.stem: set(entries(file)) for file in LISTS}
    extras = project["optional-dependencies"]
    core, build = ({plain(name) for name in names} for names in (project["dependencies"], extras["build"]))
    assert core | build <= found["build"]
    dev = {plain(name) for extra in ("embed-cpu", "eval", "minilm", "quality", "dev") for name in extras[extra]} - {
        "haymaker"
    }
    assert core | build | dev <= found["dev"] | {"torch"}
    assert found["torch-cpu"] == {"torch"} < found["torch"] and "setuptools" in found["setuptools"]
    assert {plain(name) for name in docs} <= found["docs"] and len(found["docs"]) < 15
    assert not any(name.startswith("nvidia") for name in found["dev"] | found["build"])


@pytest.mark.parametrize("target", [".ready", ".dev", ".docs"])
def test_make_installs_nothing_that_is_not_hashed(target: str, tmp_path: Path) -> None:
    command = ["make", "--dry-run", "--always-make", f"VENV={tmp_path}/venv", f"{tmp_path}/venv/{target}"]
    recipe = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    installs = re.findall(r"pip install [^|\n]*", recipe)
    own = [line for line in installs if line.rstrip().endswith("--editable .")]
    assert len(own) == (target != ".docs") and len(installs) > 2 * len(own)
    assert all("--no-deps" in line and "--no-build-isolation" in line for line in installs)
    assert all("--require-hashes --requirement requirements/" in line for line in installs if line not in own)


def test_advice_to_install_names_the_versions() -> None:
    assert install_command(".[build]") == 'pip install -c constraints.txt --editable ".[build]"'
    assert install_command("mistral-common") == "pip install -c constraints.txt mistral-common"
    packages = ("haymaker", "worlds", "corpora", "generators", "pipelines", "devtools")
    files = [file for name in packages for file in (ROOT / name).rglob("*.py") if file.name != "extras.py"]
    pages = (page for page in (ROOT / "docs").rglob("*.md") if page.name != "harnesses.md")  # other programs' versions
    files += [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *pages]
    loose = [
        f"{file.relative_to(ROOT)}: {line.strip()}"
        for file in files
        for line in file.read_text(encoding="utf-8").splitlines()
        if re.search(r"""pip install(?! -c constraints\.txt| --require-hashes| "haymaker\[)""", line)
    ]
    assert loose == []


SECTIONS = re.findall(
    r"^## (\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2})\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
)


def numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def test_the_package_has_the_version_of_the_newest_section() -> None:
    versions, dates = [version for version, _ in SECTIONS], [date for _, date in SECTIONS]
    assert versions[0] == __version__
    assert versions == sorted(versions, key=numbers, reverse=True) and dates == sorted(dates, reverse=True)
