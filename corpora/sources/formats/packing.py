"""Packed files (.gz, .bz2, .xz, .zst in any letter case), unpacked once at download: batches start at any byte of a file."""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from haymaker.core.errors import SourceError
from haymaker.core.files.disk import written

_CHUNK_BYTES = 1 << 12  # 4 KB of a bomb unpack to at most 128 MB
_READ = {
    "gz": rb"\x1f\x8b\x08",
    "bz2": rb"BZh[1-9](1AY&SY|\x17rE8P)",
    "xz": rb"\xfd7zXZ\0",
    "zst": rb"\x28\xb5\x2f\xfd",
}
_REFUSED = {  # suffix -> command that unpacks it, and its first bytes
    "zip": ("unzip", rb"PK\x03\x04"),
    "7z": ("7z x", rb"7z\xbc\xaf\x27\x1c"),
    "rar": ("unrar x", rb"Rar!\x1a\x07"),
    "lz4": ("lz4 -d", rb"\x04\x22\x4d\x18"),
    "br": ("brotli -d", rb"(?!)"),
    "tar": ("tar -xf", rb"(?!)"),
    "tgz": ("tar -xf", rb"(?!)"),
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


def unpack_file(path: Path, *, any_name: bool = False) -> None:
    """Replace a packed file by its content. The first bytes decide: a plain file with the suffix is only renamed.

    With `any_name` files without the suffix of a packing are checked too.
    """
    if not any_name and packing_of(path.name) not in _READ:
        return
    target = path.with_name(plain_name(path.name))
    if target != path and target.exists():
        what = f"has the same name as {target.name} when unpacked"
        raise SourceError(what, where=path.name, fix="remove one of them")
    with path.open("rb") as file:
        head = file.read(16)
    known = _READ | {kind: magic for kind, (_, magic) in _REFUSED.items()}
    kinds = [kind for kind, magic in known.items() if re.match(magic, head)]
    if not kinds:
        path.rename(target)
    elif kinds[0] in _REFUSED:
        raise _not_read(path.name, kinds[0])
    else:
        with written(target) as temporary, temporary.open("wb") as out, path.open("rb") as file:
            out.writelines(_blocks(file, kinds[0], path.name))
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

        return zstandard.ZstdDecompressor().decompressobj()
    return zlib.decompressobj(31) if kind == "gz" else {"bz2": bz2.BZ2Decompressor, "xz": lzma.LZMADecompressor}[kind]()


def _not_read(name: str, kind: str) -> SourceError:
    fix = f"unpack it first: {_REFUSED[kind][0]} {name}"
    return SourceError(f".{kind} files are not read (.gz, .bz2, .xz and .zst are)", where=name, fix=fix)
