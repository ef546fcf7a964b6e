"""Files and directories written so that a kill at any moment leaves the old or the new, whole, and never neither."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from levelgen.errors import Malformed, SystemFailed

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def sync(path: Path) -> None:
    """Wait until a file's bytes, or a directory's entries, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_file(path: Path, most: int, subject: str) -> bytes:
    """The bytes of a plain file, no more than `most`; never waits for a pipe but one the shell made (`<(command)`).

    Raises:
        Malformed: there is no such file, it is none, or it is longer; the code begins with `subject`.
    """
    handed_over = str(path).startswith(("/dev/fd/", "/proc/self/fd/", "/dev/stdin"))
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | (0 if handed_over else os.O_NONBLOCK))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise Malformed.of(f"{subject}/missing", "does not exist", str(path), "check the path") from None
    try:
        kind = os.fstat(descriptor).st_mode
        if not (stat.S_ISREG(kind) or (stat.S_ISFIFO(kind) and handed_over)):
            raise Malformed.of(f"{subject}/not-a-file", "is not an ordinary file", str(path), "name a file")
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(most + 1)
    finally:
        os.close(descriptor)
    if len(data) > most:
        raise Malformed.of(f"{subject}/too-long", f"has more than {most} bytes", str(path))
    return data


def refuse_device(path: Path) -> None:
    """Refuse to put a file in the place of what is none: renamed over `/dev/null`, it would be gone for everybody.

    Raises:
        Malformed: `path` is there and neither a file nor a folder.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise Malformed.of("output/not-a-file", "is a pipe or a device, not a file", str(path), "name a file")


def write_file(path: Path, data: bytes, *, mode: int = 0o644, replace: bool = True) -> None:
    """Write `data` to `path`: into a sibling first, then renamed into place.

    Raises:
        FileExistsError: `path` exists and `replace` is off.
        Malformed: `path` is a device or a pipe.
        OSError: as the system says; `path` is then as it was.
    """
    with new_file(path, mode=mode, replace=replace) as draft:
        draft.write_bytes(data)


@contextlib.contextmanager
def new_file(path: Path, *, mode: int = 0o644, replace: bool = True) -> Iterator[Path]:
    """A draft beside `path` to be filled; renamed into place when the block ends well, removed when it does not.

    Raises:
        FileExistsError: `path` exists and `replace` is off.
        Malformed: `path` is a device or a pipe.
    """
    refuse_device(path)
    draft = path.with_name(f".{path.name}.draft-{os.getpid()}")
    draft.unlink(missing_ok=True)
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
    try:
        yield draft
        sync(draft)
        if replace:
            os.replace(draft, path)
        else:
            os.link(draft, path)
        sync(path.parent)
    finally:
        draft.unlink(missing_ok=True)


@contextlib.contextmanager
def new_directory(path: Path, keep: Callable[[str], bool] = lambda name: False) -> Iterator[Path]:
    """A draft directory beside `path` to be filled; takes its place, whole, when the block ends well.

    What `path` held before is gone afterwards, except the entries whose name `keep` accepts: they are carried over.

    Raises:
        SystemFailed: `path` is a mount point, which nothing can take the place of.
        OSError: as the system says; `path` is then as it was.
    """
    path = path.absolute()
    if path.is_mount():
        fix = "name a folder inside it"
        raise SystemFailed.of("system/mount-point", "is a mount point, no folder can take its place", str(path), fix)
    path.parent.mkdir(parents=True, exist_ok=True)
    recover(path)
    draft = path.with_name(f".{path.name}.draft-{os.getpid()}")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    try:
        yield draft
        for entry in sorted(path.iterdir()) if path.is_dir() else ():
            if keep(entry.name):
                _copy(entry, draft / entry.name)
        for folder, _, files in os.walk(draft):
            for name in files:
                if not (Path(folder) / name).is_symlink():
                    sync(Path(folder) / name)
            sync(Path(folder))
        _put_in_place(draft, path)
        sync(path.parent)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


@contextlib.contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Whoever is in the block is the only one to write to `path`; a process that dies has let go of it.

    Raises:
        SystemFailed: somebody else writes to it.
    """
    path = path.absolute()
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.with_name(f".{path.name}.lock")
    while True:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise SystemFailed.of(
                "system/claimed",
                "is being written by another process",
                str(path),
                "wait until it is done, or choose another -o",
            ) from None
        if _is_at(descriptor, lock):
            break
        os.close(descriptor)  # removed by the one before between our two steps
    try:
        yield
    finally:
        if _is_at(descriptor, lock):
            lock.unlink()
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _copy(entry: Path, target: Path) -> None:
    if entry.is_dir() and not entry.is_symlink():
        shutil.copytree(entry, target, symlinks=True)
    else:
        shutil.copy2(entry, target, follow_symlinks=False)


def recover(path: Path) -> None:
    """Clear away what killed writers left beside `path`, and undo a replacement that was killed half-way.

    Half-way happens only on a system without an atomic exchange of directories; readers then use `standing`.
    """
    spare = _spare(path)
    if spare.exists() and not path.exists():
        os.rename(spare, path)
    shutil.rmtree(spare, ignore_errors=True)
    for draft in path.parent.glob(f".{path.name}.draft-*"):
        if not _is_alive(draft.name.rpartition("-")[2]):
            shutil.rmtree(draft, ignore_errors=True)


def _is_alive(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError, ValueError):
        return False
    return True


def standing(path: Path) -> Path:
    """Where the directory that belongs at `path` stands: there, or for a moment of its replacement beside it."""
    if path.exists() or not path.name:  # a folder named `.` or `/` cannot be replaced
        return path
    spare = _spare(path)
    return spare if spare.is_dir() and not path.exists() else path


def _spare(path: Path) -> Path:
    return path.with_name(f".{path.name}.old")


def _put_in_place(draft: Path, path: Path) -> None:
    """`draft` becomes `path`; an old `path` ends up as `draft`, or is removed."""
    if not path.exists():
        os.rename(draft, path)
        return
    if _exchange(draft, path):
        return
    spare = _spare(path)
    shutil.rmtree(spare, ignore_errors=True)
    os.rename(path, spare)
    try:
        os.rename(draft, path)
    except OSError:
        os.rename(spare, path)
        raise
    shutil.rmtree(spare, ignore_errors=True)


def _exchange(first: Path, second: Path) -> bool:
    """Exchange two directories in one step; False where the system cannot."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    if rename(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.ENOSYS, errno.EINVAL):
        return False
    raise OSError(code, os.strerror(code), str(first), None, str(second))
