"""Print the test files that import a changed module, directly or through other modules.

`python -m devtools.tests_near [COMMIT]` compares the working tree with a commit (default: where this branch left main).
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
PACKAGES = ("haymaker", "worlds", "corpora", "generators", "pipelines", "devtools", "tests")


def import_graph() -> grimp.ImportGraph:
    """Return which module imports which.

    A module that imports others by name counts as importing all of its package, and the command line as importing the entry points of pyproject.toml.
    """
    graph = grimp.build_graph(*PACKAGES, include_external_packages=True, cache_dir=None)
    for loader in graph.find_modules_that_directly_import("importlib") - graph.find_descendants("tests"):
        package = loader if graph.find_children(loader) else loader.rpartition(".")[0]
        for module in graph.find_descendants(package) - {loader}:
            graph.add_import(importer=loader, imported=module)
    for group in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "entry-points"
    ].values():
        for place in group.values():
            graph.add_import(importer="haymaker.cli.app", imported=place.partition(":")[0])
    return graph


def near(changed: list[str], graph: grimp.ImportGraph) -> list[str]:
    """Return the arguments of pytest for changed files. The tests at the top of tests/ read files of every kind and always run.

    Args:
        changed: paths below the root of the repository; any other file stands for the package of its folder.
        graph: of `import_graph`.
    """
    wanted = set[str]()
    for name in changed:
        modules = _modules(Path(name), graph)
        if not modules and not name.endswith(".md"):
            return ["tests"]
        for module in modules:
            wanted |= {module} | graph.find_downstream_modules(module, as_package=bool(graph.find_children(module)))
    tests = (f"{name.replace('.', '/')}.py" for name in wanted if name.rpartition(".")[2].startswith("test_"))
    return sorted({*tests, *(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").glob("test_*.py"))})


def _modules(path: Path, graph: grimp.ImportGraph) -> set[str]:
    """Return the modules that a file is or is read by."""
    name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    return {name if path.suffix == ".py" else name.rpartition(".")[0]} & graph.modules


def changed_files(commit: str) -> list[str]:
    """Return the paths that differ from a commit, and new files."""
    commands = (["diff", "--name-only", commit], ["ls-files", "--others", "--exclude-standard"])
    return [line for command in commands for line in _git(*command).splitlines()]


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    start = sys.argv[1] if len(sys.argv) > 1 else _git("merge-base", "HEAD", "main")
    sys.stdout.write(" ".join(near(changed_files(start), import_graph())))
