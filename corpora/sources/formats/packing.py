"""Packed files (.gz, .bz2, .xz, .zst in any letter case), unpacked once at download: batches start at any byte of a file."""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from haymaker.core.errors import SourceError
from haymaker.core.files.disk import written

_CHUNK_BYTES = 1 << 12  # 4 KB of a bomb unpack to at most 128 MB
_WINDOW_BYTES = 1 << 31  # files of `zstd --long=31`, as dumps of forums are
_HEAD_BYTES = 512
_READ = {
    "gz": rb"\x1f\x8b\x08",
    "bz2": rb"BZh[1-9](1AY&SY|\x17rE8P)",
    "xz": rb"\xfd7zXZ\0",
    "zst": rb"\x28\xb5\x2f\xfd",
}
_REFUSED_MAGIC = {
    "zip": rb"PK\x03\x04",
    "7z": rb"7z\xbc\xaf\x27\x1c",
    "rar": rb"Rar!\x1a\x07",
    "lz4": rb"\x04\x22\x4d\x18",
    "lzma": rb"\x5d\0\0",
    "z": rb"\x1f\x9d",
    "tar": rb"(?s).{257}ustar",
}
_REFUSED = {
    "zip": "unzip",
    "7z": "7z x",
    "rar": "unrar x",
    "lz4": "lz4 -d",
    "br": "brotli -d",
    "lzma": "unlzma",
    "z": "gunzip",
    "tar": "tar -xf",
    "tgz": "tar -xf",
}
_SUFFIX = re.compile(rf"\.({'|'.join([*_READ, *_REFUSED])})$", re.IGNORECASE)
_TAR = re.compile(r"\.tar\.\w+$", re.IGNORECASE)


def packing_of(name: str) -> str:
    """Return the suffix of a packed file in lower case without its dot, or an empty string."""
    if _TAR.search(name):
        return "tar"
    found = _SUFFIX.search(name)
    return found[1].lower() if found else ""


def plain_name(name: str) -> str:
    """Return the name of a file after unpacking."""
    return _SUFFIX.sub("", name)


def refuse_packing(name: str) -> None:
    """Raise SourceError for a name of an archive or of a packing that is not read."""
    if (kind := packing_of(name)) in _REFUSED:
        raise _not_read(name, kind)


def refuse_twins(names: Iterable[str]) -> None:
    """Raise SourceError if two files of a folder have the same name when unpacked: one is a copy of the other."""
    seen: dict[str, str] = {}
    for name in sorted(names):
        if (other := seen.setdefault(plain_name(name), name)) != name:
            raise _twin(name, other)


def unpack_file(path: Path, *, any_name: bool = False) -> None:
    """Replace a packed file by its content. The first bytes decide: a plain file with the suffix is only renamed.

    With `any_name` files without the suffix of a packing are checked too.
    """
    if not any_name and packing_of(path.name) not in _READ:
        return
    target = path.with_name(plain_name(path.name))
    if target != path and target.exists():
        raise _twin(path.name, target.name)
    kind = _kind_of(path)
    if not kind:
        path.rename(target)
    elif kind in _REFUSED:
        raise _not_read(path.name, kind)
    else:
        _unpack(path, target, kind)


def _kind_of(path: Path) -> str:
    """Return the packing of a file by its first bytes, or an empty string."""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    return next((kind for kind, magic in (_READ | _REFUSED_MAGIC).items() if re.match(magic, head)), "")


def _unpack(path: Path, target: Path, kind: str) -> None:
    with written(target) as temporary:
        with temporary.open("wb") as out, path.open("rb") as file:
            for block in _blocks(file, kind, path.name):
                out.write(block)
        if inner := _kind_of(temporary):
            what = f"is packed twice (.{inner} in .{kind})"
            raise SourceError(what, where=path.name, fix="unpack it first, and name the unpacked files")
    if target != path:
        path.unlink()


def _blocks(file: IO[bytes], kind: str, name: str) -> Iterator[bytes]:
    """Yield the content of all streams of a packed file; zero bytes may pad their ends."""
    fix, held = f"copy or download {name} again", file.read(_CHUNK_BYTES)
    while held:
        stream = _decompressor(kind)
        while not stream.eof:
            if not held:
                raise SourceError("cut short: it ends inside the packed data", where=name, fix=fix)
            try:
                yield stream.decompress(held)
            except Exception as error:  # each library has its own errors
                raise SourceError(f"damaged ({error})", where=name, fix=fix) from None
            held = stream.unused_data if stream.eof else file.read(_CHUNK_BYTES)
        held = held.lstrip(b"\0") or file.read(_CHUNK_BYTES).lstrip(b"\0")


def _decompressor(kind: str) -> Any:
    if kind == "zst":
        import zstandard

        return zstandard.ZstdDecompressor(max_window_size=_WINDOW_BYTES).decompressobj()
    return zlib.decompressobj(31) if kind == "gz" else {"bz2": bz2.BZ2Decompressor, "xz": lzma.LZMADecompressor}[kind]()


def _twin(name: str, other: str) -> SourceError:
    what = f"has the same name as {Path(other).name} when unpacked"
    return SourceError(what, where=name, fix="remove one of them")


def _not_read(name: str, kind: str) -> SourceError:
    fix = f"unpack it first: {_REFUSED[kind]} {name}"
    return SourceError(f".{kind} files are not supported (.gz, .bz2, .xz and .zst are)", where=name, fix=fix)
