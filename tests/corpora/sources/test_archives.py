"""Malicious and damaged archives are refused, and no file is left."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from corpora.sources.transport.archives import extract
from haymaker.core.errors import SourceError
from tests.errors import refused

Member = tuple[str | zipfile.ZipInfo | tarfile.TarInfo, bytes]


def run(archive: Path, tmp_path: Path, *, max_bytes: int = 1 << 20, max_files: int = 100) -> Path:
    target = tmp_path / "out"
    extract(archive, target, max_bytes=max_bytes, max_files=max_files)
    return target


def refuse(archive: Path, tmp_path: Path, *values: object, member: str = "", **limits: int) -> Path:
    with refused(SourceError, f"{archive.name}: {member}" if member else archive.name, *values):
        run(archive, tmp_path, **limits)
    assert sorted(path.name for path in tmp_path.iterdir()) == [archive.name]
    return archive


def zipped(tmp_path: Path, *members: Member, compression: int = zipfile.ZIP_DEFLATED) -> Path:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", compression) as out:
        for name, data in members:
            out.writestr(name, data)
    return path


def tarred(tmp_path: Path, *members: Member) -> Path:
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz") as out:
        for name, data in members:
            info = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.size = len(data)
            out.addfile(info, io.BytesIO(data))
    return path


def special(name: str, kind: bytes, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def link_in_zip() -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("x")
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return info


BAD_NAMES = ["/etc/x", "../x", "a/../../x", "C:/x", "C:x", "..\\x"]
TWICE = [("x", "x"), ("x", "./x"), ("x", "x/y"), ("x/y", "x")]
SPECIAL = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_that_lead_outside_or_come_twice_links_and_devices(tmp_path):
    for pack in (zipped, tarred):
        for name in BAD_NAMES:
            refuse(pack(tmp_path, ("ok", b"1"), (name, b"2")), tmp_path, repr(name)).unlink()
        for names in TWICE:
            refuse(pack(tmp_path, *((name, b"1") for name in names)), tmp_path, repr(names[1])).unlink()
    for kind in SPECIAL:
        refuse(tarred(tmp_path, (special("x", kind, "/etc/passwd"), b"")), tmp_path, "'x'", "link").unlink()
    refuse(zipped(tmp_path, (link_in_zip(), b"/etc/passwd")), tmp_path, "'x'", "link")


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_too_large_or_too_many(tmp_path, pack):
    refuse(pack(tmp_path, ("x", b"0" * 600), ("y", b"0" * 600)), tmp_path, "'y'", "1,000", max_bytes=1000)
    refuse(pack(tmp_path, *((f"f{i}", b"") for i in range(6))), tmp_path, "'f5'", 5, max_files=5)


def test_larger_than_declared(tmp_path):
    path = zipped(tmp_path, ("x", b"0" * 5000))
    path.write_bytes(path.read_bytes().replace((5000).to_bytes(4, "little"), (10).to_bytes(4, "little")))
    refuse(path, tmp_path, member="x", max_bytes=1000)


def test_an_encrypted_member_and_one_of_another_checksum_are_named(tmp_path):
    path = zipped(tmp_path, ("dir/x.txt", b"abcdef"), compression=zipfile.ZIP_STORED)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"abcdef", b"abcdeX"))
    refuse(path, tmp_path, member="dir/x.txt")
    data = bytearray(whole)
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    refuse(path, tmp_path, "encrypted", member="dir/x.txt")


def test_cut_short_and_no_archive(tmp_path):
    path = tarred(tmp_path, ("x", bytes(range(256)) * 400))
    path.write_bytes(path.read_bytes()[:-200])
    refuse(path, tmp_path, member="x").unlink()
    path = zipped(tmp_path, ("x", b"1" * 1000))
    path.write_bytes(path.read_bytes()[:-10])
    refuse(path, tmp_path)
    path.write_text("<html>404</html>")
    refuse(path, tmp_path)
