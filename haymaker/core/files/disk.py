"""Files: written whole or not at all, hashed, locked.

Nothing appears under its final name before it is complete and on disk: write to a temporary name beside it, then rename.
Temporary names end in `.<process id>.haymaker.tmp`, so that `sweep` can tell what a dead process left.
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
    """Hex SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_hashed: dict[Path, tuple[tuple[int, int, int], str]] = {}


def sha256_once(path: Path) -> str:
    """Hex SHA-256 of a file, remembered in this process while inode, size and ctime stay (no program can set a ctime back); empty for no file."""
    try:
        stat = path.stat()
        mark = (stat.st_ino, stat.st_size, stat.st_ctime_ns)
        if path not in _hashed or _hashed[path][0] != mark:
            _hashed[path] = (mark, sha256_file(path))
        return _hashed[path][1]
    except OSError:
        return ""


def first_bytes(path: Path, count: int) -> bytes:
    """What a file begins with."""
    with path.open("rb") as file:
        return file.read(count)


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn what the disk refuses into one clear line.

    Raises:
        EnvironmentProblem: the disk is full, read-only, or not ours to write.
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
    """The name beside `path` under which this process writes it."""
    return path.with_name(f".{path.name}.{os.getpid()}.haymaker.tmp")


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and was never collected (common in containers) does not. Where nobody can tell, it does."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
    except OSError:  # no further file may be opened, say: a run that lives would end as an orphan
        return True


def sweep(folder: Path) -> None:
    """Remove temporary files and folders, at any depth, whose process is dead."""
    for path in sorted(folder.rglob(".*.haymaker.tmp"), reverse=True):
        pid = path.name.split(".")[-3]
        if pid.isdecimal() and not alive(int(pid)):
            remove(path)


def remove(path: Path) -> None:
    """Remove a file or a folder with all it holds; what is not there is no error."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def written(path: Path) -> Iterator[Path]:
    """A temporary path to write; on success it becomes `path`, on failure it is gone.

    The temporary name holds the process id, so two attempts never share a file.
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
    """Write a small text file whole, UTF-8, LF line ends."""
    with written(path) as temporary:
        temporary.write_bytes(text.encode())


def json_text(value: Any) -> str:
    """JSON with sorted keys and a final newline: the same value gives the same bytes."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def write_json(path: Path, value: Any) -> None:
    """Write JSON as `json_text` makes it."""
    write_text(path, json_text(value))


def read_json(path: Path, *keys: str) -> Any:
    """What one of our own JSON files holds.

    Args:
        path: the file.
        keys: what its top level must have.

    Raises:
        EnvironmentProblem: missing or damaged.
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
    """Give a finished file a second name: a hard link where the disk allows it, else a copy."""
    with disk_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        try:
            os.link(source, target)
        except OSError:
            with written(target) as temporary:
                shutil.copyfile(source, temporary)


def distrust(path: Path) -> None:
    """Make a damaged file writable and new: it may be a hard link into DVC's cache, where DVC trusts what is read-only or has its old time."""
    with contextlib.suppress(OSError):
        path.chmod(path.stat().st_mode | stat.S_IWUSR)
        os.utime(path)


@contextlib.contextmanager
def locked(folder: Path, *, owner: str = "", patience_s: float = 2.0) -> Iterator[None]:
    """Hold a work folder alone; the lock ends with the process, however it dies.

    Args:
        folder: made if it is not there.
        owner: who holds it, for whoever must wait; the process id when empty.
        patience_s: how long to wait for another process: one whose parent was killed ends within a moment of it.

    Raises:
        EnvironmentProblem: another live process holds it, and still does after that time; says which.
    """
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not _take(handle, patience_s):
            holder = os.read(handle, 1024).decode(errors="replace").strip() or "unknown process"
            raise EnvironmentProblem(
                f"another run ({holder}) is working here", where=str(folder), fix="wait for it, or stop it"
            )
        with disk_errors(folder):
            os.ftruncate(handle, 0)
            os.pwrite(handle, (owner or f"process {os.getpid()}").encode(), 0)
        yield
    finally:
        os.close(handle)


def _take(handle: int, patience_s: float) -> bool:
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
    """Move a finished folder to its place; an older one goes only when the new one is complete."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_name(target)
    shutil.rmtree(temporary, ignore_errors=True)
    shutil.move(stage, temporary)
    shutil.rmtree(target, ignore_errors=True)
    temporary.replace(target)
