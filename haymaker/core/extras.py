"""Optional packages: the extra `build` and others. Reading, showing and scoring a release needs none of `build`."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from haymaker.core.errors import EnvironmentProblem

BUILD = (
    "datasets",
    "dvc",
    "mistral_common",
    "rank_bm25",
    "sentencepiece",
    "sentencex",
    "tiktoken",
    "tokenizers",
    "zstandard",
)
"""Modules of the packages in the extra `build` of pyproject.toml."""


def require_packages(*modules: str) -> None:
    """Check that modules of the extra `build` are installed.

    Raises:
        EnvironmentProblem: a module is not installed.
    """
    lacking = [module for module in modules if importlib.util.find_spec(module) is None]
    if lacking:
        raise not_installed(*lacking)


def not_installed(*modules: str) -> EnvironmentProblem:
    """Return the error for missing modules of the extra `build`."""
    what = f"{', '.join(modules)} {'is' if len(modules) == 1 else 'are'} not installed: this installation can only read"
    return EnvironmentProblem(f"{what} and score releases", fix=install_command(".[build]"))


def require_extra(extra: str, *modules: str) -> None:
    """Check that the modules of another extra of pyproject.toml are installed.

    Raises:
        EnvironmentProblem: a module is not installed.
    """
    if lacking := [module for module in modules if importlib.util.find_spec(module) is None]:
        raise EnvironmentProblem(
            f"{', '.join(lacking)} {'is' if len(lacking) == 1 else 'are'} not installed",
            fix=install_command(f".[{extra}]"),
        )


def install_command(*packages: str) -> str:
    """Return the pip command for packages or extras (".[eval]"); in a checkout, editable with constraints.txt."""
    checkout = (Path(__file__).parents[2] / "constraints.txt").is_file()
    own = '--editable ".{}"' if checkout else '"haymaker{}"'
    names = [own.format(name[1:]) if name.startswith(".[") else name for name in packages]
    return " ".join(["pip install -c constraints.txt" if checkout else "pip install", *names])
