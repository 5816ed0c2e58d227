"""Atomic writes, hashes and locks of files.

Files are written under a temporary name in the same folder, synced to disk, then renamed.
Temporary names end in `.<process id>.haymaker.tmp`, so that `sweep` can find files of dead processes.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from haymaker.core.errors import EnvironmentProblem


def sha256_file(path: Path) -> str:
    """Return the hex SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_hashed: dict[Path, tuple[tuple[int, int, int], str]] = {}


def sha256_once(path: Path) -> str:
    """Return the hex SHA-256 of a file, cached by inode, size and ctime (programs cannot set it); "" without a file."""
    try:
        stat = path.stat()
        mark = (stat.st_ino, stat.st_size, stat.st_ctime_ns)
        if path not in _hashed or _hashed[path][0] != mark:
            _hashed[path] = (mark, sha256_file(path))
        return _hashed[path][1]
    except OSError:
        return ""


def first_bytes(path: Path, count: int) -> bytes:
    """Return the first bytes of a file."""
    with path.open("rb") as file:
        return file.read(count)


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Convert disk errors to one clear line.

    Raises:
        EnvironmentProblem: the disk is full, read-only, failing, or not writable for this user.
    """
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise EnvironmentProblem(
                "the disk is full; nothing half-written was kept", where=str(path), fix="free space, then run again"
            ) from None
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            raise EnvironmentProblem(
                f"cannot write here ({os.strerror(error.errno)})",
                where=str(path),
                fix="check owner and mount of the folder",
            ) from None
        if error.errno in (errno.EIO, errno.EFBIG, errno.ENOTDIR, errno.EISDIR):
            raise EnvironmentProblem(os.strerror(error.errno), where=str(path)) from None
        raise


def temporary_name(path: Path) -> Path:
    """Return this process's temporary name for `path`, in the same folder."""
    return path.with_name(f".{path.name}.{os.getpid()}.haymaker.tmp")


def alive(pid: int) -> bool:
    """Check whether a process is running; False for zombies (common in containers), True if unknown."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
    except OSError:  # for example too many open files: a live run must not be treated as dead
        return True


def sweep(folder: Path) -> None:
    """Remove temporary files and folders of dead processes, at any depth."""
    for path in sorted(folder.rglob(".*.haymaker.tmp"), reverse=True):
        pid = path.name.split(".")[-3]
        if pid.isdecimal() and not alive(int(pid)):
            remove(path)


def remove(path: Path) -> None:
    """Remove a file, or a folder with its contents; a missing path is not an error."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def written(path: Path) -> Iterator[Path]:
    """Provide a temporary path to write: renamed to `path` on success, removed on failure.

    The temporary name contains the process id, so two attempts never share a file.
    """
    temporary = temporary_name(path)
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield temporary
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a small text file atomically, as UTF-8 with LF line ends."""
    with written(path) as temporary:
        temporary.write_bytes(text.encode())


def json_text(value: Any) -> str:
    """Return deterministic JSON with sorted keys and a final newline."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON in the form of `json_text`."""
    write_text(path, json_text(value))


def read_json(path: Path, *keys: str) -> Any:
    """Read a JSON file written by Haymaker.

    Args:
        path: JSON file.
        keys: required top-level keys.

    Raises:
        EnvironmentProblem: the file is missing or damaged.
    """
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise EnvironmentProblem("is missing", where=str(path), fix="haymaker run builds it again") from None
    except (ValueError, RecursionError) as error:
        raise EnvironmentProblem(f"damaged: {error}", where=str(path), fix="haymaker run builds it again") from None
    lacking = [key for key in keys if not isinstance(value, dict) or key not in value]
    if lacking:
        raise EnvironmentProblem(f"damaged: has no {lacking[0]!r}", where=str(path), fix="haymaker run builds it again")
    return value


def link_or_copy(source: Path, target: Path) -> None:
    """Hard-link a finished file to a second name, or copy it if the disk has no hard links."""
    with disk_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        try:
            os.link(source, target)
        except OSError:
            with written(target) as temporary:
                shutil.copyfile(source, temporary)


def distrust(path: Path) -> None:
    """Make a damaged file writable and update its time, so that DVC does not trust it (it may link to DVC's cache)."""
    with contextlib.suppress(OSError):
        path.chmod(path.stat().st_mode | stat.S_IWUSR)
        os.utime(path)


@contextlib.contextmanager
def locked(folder: Path, *, owner: str = "", patience_s: float = 2.0) -> Iterator[None]:
    """Hold an exclusive lock on a folder; the lock ends with the process.

    Args:
        folder: folder to lock; created if missing.
        owner: name of the holder, shown to waiting processes; default: the process id.
        patience_s: seconds to wait for another process (a child of a killed process ends shortly after it).

    Raises:
        EnvironmentProblem: another process still holds the lock; the error names it.
    """
    handle = _open_lock(folder)
    try:
        while True:
            if not take_lock(handle, patience_s):
                holder = os.read(handle, 1024).decode(errors="replace").strip() or "unknown process"
                raise EnvironmentProblem(
                    f"another run ({holder}) is using this folder", where=str(folder), fix="wait for it, or stop it"
                )
            if is_open_at(handle, folder / ".lock"):
                break
            os.close(handle)  # the previous owner removed the folder: create it again
            handle = _open_lock(folder)
        with disk_errors(folder):
            os.ftruncate(handle, 0)
            os.pwrite(handle, (owner or f"process {os.getpid()}").encode(), 0)
        yield
    finally:
        os.close(handle)


def _open_lock(folder: Path) -> int:
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        return os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)


def is_open_at(handle: int, path: Path) -> bool:
    """Return whether an open file still has this path; the previous owner of a lock may have removed it."""
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(handle), path.stat())
    return False


def take_lock(handle: int, patience_s: float = 0.0) -> bool:
    """Lock an open file; return False if another process still holds the lock after `patience_s` seconds."""
    deadline = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        else:
            return True


def replace_folder(stage: Path, target: Path) -> None:
    """Move a finished folder to its place; an older one is removed only when the new one is complete."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_name(target)
    shutil.rmtree(temporary, ignore_errors=True)
    shutil.move(stage, temporary)
    shutil.rmtree(target, ignore_errors=True)
    temporary.replace(target)
