"""What an install without the extra `build` leaves out: reading, showing and scoring a release needs none of it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from haymaker.core.errors import EnvironmentProblem

BUILD = (
    "bm25s",
    "datasets",
    "dvc",
    "mistral_common",
    "rank_bm25",
    "sentencepiece",
    "sentencex",
    "tiktoken",
    "tokenizers",
    "transformers",
    "zstandard",
)
"""Modules of the packages that pyproject.toml lists there."""


def require_packages(*modules: str) -> None:
    """Refuse to begin what cannot be ended without these.

    Raises:
        EnvironmentProblem: some are not installed.
    """
    lacking = [module for module in modules if importlib.util.find_spec(module) is None]
    if lacking:
        raise not_installed(*lacking)


def not_installed(*modules: str) -> EnvironmentProblem:
    """The one line about modules of the extra `build` that are not here."""
    what = f"{', '.join(modules)} {'is' if len(modules) == 1 else 'are'} not installed: this is an install for reading"
    return EnvironmentProblem(f"{what} and scoring alone", fix=install_command(".[build]"))


def require_extra(extra: str, *modules: str) -> None:
    """Refuse to begin what cannot be done without a further extra of pyproject.toml.

    Raises:
        EnvironmentProblem: some of its modules are not installed.
    """
    if lacking := [module for module in modules if importlib.util.find_spec(module) is None]:
        raise EnvironmentProblem(f"{', '.join(lacking)} is not installed", fix=install_command(f".[{extra}]"))


def install_command(*packages: str) -> str:
    """The command that adds packages or extras (".[eval]"). A checkout has the tested versions in constraints.txt and stays editable."""
    checkout = (Path(__file__).parents[2] / "constraints.txt").is_file()
    own = '--editable ".{}"' if checkout else '"haymaker{}"'
    names = [own.format(name[1:]) if name.startswith(".[") else name for name in packages]
    return " ".join(["pip install -c constraints.txt" if checkout else "pip install", *names])
