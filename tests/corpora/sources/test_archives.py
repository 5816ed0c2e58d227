"""Archives that lie: each kind of trick is refused, and nothing is left behind."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from corpora.sources.transport.archives import extract
from haymaker.core.errors import SourceError


def run(archive: Path, tmp_path: Path, *, max_bytes: int = 1 << 20, max_files: int = 100) -> Path:
    target = tmp_path / "out"
    extract(archive, target, max_bytes=max_bytes, max_files=max_files)
    return target


def refused(archive: Path, tmp_path: Path, message: str, **limits: int) -> None:
    with pytest.raises(SourceError, match=message) as caught:
        run(archive, tmp_path, **limits)
    assert archive.name in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == [archive.name]


def zipped(tmp_path: Path, *members: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in members:
            out.writestr(name, data)
    return path


def tarred(tmp_path: Path, *members: tuple[tarfile.TarInfo, bytes], mode: str = "w:gz") -> Path:
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, mode) as out:
        for info, data in members:
            info.size = len(data)
            out.addfile(info, io.BytesIO(data))
    return path


def special(name: str, kind: bytes, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def test_zip_and_tar_unpack_alike(tmp_path):
    a = run(zipped(tmp_path, ("d/", b""), ("d/x.txt", b"hello"), ("y", b"")), tmp_path)
    assert (a / "d/x.txt").read_bytes() == b"hello" and (a / "y").read_bytes() == b""
    b = run(tarred(tmp_path, (special("d", tarfile.DIRTYPE), b""), (tarfile.TarInfo("./d/x.txt"), b"hi")), tmp_path)
    assert (b / "d/x.txt").read_bytes() == b"hi" and not (b / "y").exists()


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "C:/x", "C:x"])
def test_names_that_lead_outside(tmp_path, name):
    refused(zipped(tmp_path, ("ok", b"1"), (name, b"2")), tmp_path, "outside")
    (tmp_path / "a.zip").unlink()
    refused(tarred(tmp_path, (tarfile.TarInfo(name), b"2")), tmp_path, "outside")


def test_backslash(tmp_path):
    refused(zipped(tmp_path, ("..\\x", b"2")), tmp_path, "outside")
    (tmp_path / "a.zip").unlink()
    refused(tarred(tmp_path, (tarfile.TarInfo("..\\x"), b"2")), tmp_path, "outside")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_tar(tmp_path, kind):
    refused(tarred(tmp_path, (special("x", kind, "/etc/passwd"), b"")), tmp_path, "link, a device")


def test_link_in_zip(tmp_path):
    info = zipfile.ZipInfo("x")
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    refused(zipped(tmp_path, (info, b"/etc/passwd")), tmp_path, "link, a device")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_duplicate_names(tmp_path):
    refused(zipped(tmp_path, ("x", b"1"), ("x", b"2")), tmp_path, "twice")
    refused(zipped(tmp_path, ("x", b"1"), ("./x", b"2")), tmp_path, "twice")
    refused(zipped(tmp_path, ("x", b"1"), ("x/y", b"2")), tmp_path, "twice")
    refused(zipped(tmp_path, ("x/y", b"1"), ("x", b"2")), tmp_path, "twice")


def test_too_large_as_declared(tmp_path):
    refused(zipped(tmp_path, ("x", b"0" * 600), ("y", b"0" * 600)), tmp_path, "more than 1,000 bytes", max_bytes=1000)


def test_too_large_whatever_it_declares(tmp_path):
    path = zipped(tmp_path, ("x", b"0" * 5000))
    data = path.read_bytes().replace((5000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    path.write_bytes(data)
    refused(path, tmp_path, "more than|damaged", max_bytes=1000)


def test_too_many_members(tmp_path):
    refused(zipped(tmp_path, *((f"f{i}", b"") for i in range(6))), tmp_path, "more than 5 members", max_files=5)


def test_encrypted(tmp_path):
    path = zipped(tmp_path, ("x", b"1"))
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    refused(path, tmp_path, "encrypted")


def test_wrong_crc_names_the_member(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as out:
        out.writestr("dir/x.txt", b"abcdef")
    path.write_bytes(path.read_bytes().replace(b"abcdef", b"abcdeX"))
    refused(path, tmp_path, r"a\.zip: dir/x\.txt: damaged")


def test_cut_short(tmp_path):
    path = tarred(tmp_path, (tarfile.TarInfo("x"), bytes(range(256)) * 400))
    path.write_bytes(path.read_bytes()[:-200])
    refused(path, tmp_path, "damaged or cut short")
    path.unlink()
    path = zipped(tmp_path, ("x", b"1" * 1000))
    path.write_bytes(path.read_bytes()[:-10])
    refused(path, tmp_path, "not a zip or tar archive, or cut short")


def test_no_archive(tmp_path):
    path = tmp_path / "a.zip"
    path.write_text("<html>404</html>")
    refused(path, tmp_path, "not a zip or tar archive")
