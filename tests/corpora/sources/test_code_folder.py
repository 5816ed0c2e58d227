"""Source code as a source: a folder, an installed package, and files that are no text."""

from __future__ import annotations

import hashlib
from importlib import metadata
from pathlib import Path

import pytest

from corpora.sources import create
from corpora.sources.base import FetchContext
from haymaker.core.errors import SourceError, UnavailableError
from haymaker.core.files.disk import read_json
from tests.errors import refused

FILES: dict[str, bytes] = {
    "a.py": b"\xef\xbb\xbfx = 1\r\ny = 2\r\n",  # byte order mark, CRLF
    "b/c.py": b"if 1:\n\tz = '\x0c'\n\n\n",
    "b/long.py": b"s = '" + b"x" * 10_000 + b"'",  # no line feed at the end
    "b/latin.py": b"s = '\xe9'\n",
    "b/nul.py": b"a\0b\n",
    "b/blank.py": b" \n\t\n",
    "b/copy.py": b"if 1:\n\tz = '\x0c'\n\n\n",
    "Till.java": b"class Till {}\n",
    "notes.txt": b"no code\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, data in FILES.items():
        path = tmp_path / "mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return tmp_path / "mine"


def fetch(context: FetchContext, raw: Path, **options: object) -> dict[str, str]:
    source = create("code", "code_folder", options, where="sources.code")
    source.fetch(raw, context)
    assert source.verify(raw, context) == []
    return {file.path: file.text for file in source.code_files(raw)}


def test_files_are_whole_and_what_is_no_text_is_counted(folder: Path, tmp_path: Path, context: FetchContext) -> None:
    assert fetch(context, tmp_path / "raw", folder=str(folder)) == {
        "a.py": "x = 1\ny = 2\n",
        "b/c.py": "if 1:\n\tz = '\f'\n\n\n",
        "b/long.py": "s = '" + "x" * 10_000 + "'",
    }
    record = read_json(tmp_path / "raw/SOURCE.json")
    assert record["files_left_out"] == {"a copy of another file": 1, "blank": 1, "no UTF-8 text": 2}
    assert str(folder) not in (tmp_path / "raw/SOURCE.json").read_text(encoding="utf-8")


def test_the_digest_is_what_sha256sum_gives(folder: Path, tmp_path: Path, context: FetchContext) -> None:
    lines = f"{hashlib.sha256(FILES['a.py']).hexdigest()}  a.py\n"
    right = hashlib.sha256(lines.encode()).hexdigest()
    options = {"folder": str(folder), "pattern": "a.py"}
    assert fetch(context, tmp_path / "raw", sha256=right, **options)
    with refused(SourceError, "", "`sha256`", fix=f"sha256: {right}"):
        fetch(context, tmp_path / "other", sha256="0" * 64, **options)
    assert not (tmp_path / "other").exists()


def test_a_package_is_read_where_it_is_installed(tmp_path: Path, context: FetchContext) -> None:
    version = metadata.version("pydantic")
    found = fetch(context, tmp_path / "raw", package=f"pydantic=={version}", pattern="pydantic/*.py")
    assert "class BaseModel" in found["pydantic/main.py"]
    install = "pip install -c constraints.txt pydantic==0.1"
    with refused(UnavailableError, "", f"pydantic {version}", "0.1", fix=install):
        fetch(context, tmp_path / "other", package="pydantic==0.1")
