"""The files below a session's folder, so that before and after can be compared."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_BYTES = 262_144
"""Bytes of a file that may be uploaded; longer ones are data."""

_MOST_ENTRIES = 100_000
_MOST_SECONDS = 2.0
"""What is looked at at most, and for how long: a session in a home folder must not wait for all of it."""

_MOST_HASHED = 5_000
_MOST_HASHED_BYTES = 33_554_432
"""Files and bytes whose content is noted, so that one that was only touched or moved counts as unchanged."""

_SKIPPED = frozenset(
    (
        ".git", ".hg", ".svn", "node_modules", "bower_components", "__pycache__", ".venv", "venv", ".tox",
        ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".cache", ".next", ".gradle", ".idea", ".vscode",
        ".claude",
    )
)  # fmt: skip
"""Folders that hold no work of a session."""


class _Fingerprint(NamedTuple):
    size: int
    # nanoseconds; the change time can't be set by a program, unlike the other
    mtime: int
    ctime: int
    digest: str | None


@dataclass(frozen=True)
class Manifest:
    """Paths relative to the folder, with `/`."""

    files: dict[str, _Fingerprint]
    whole: bool
    """Whether there was no more than could be looked at."""


def real(path: str | os.PathLike[str]) -> Path:
    """The path without links on its way, as far as it exists."""
    return Path(os.path.realpath(path))


def below(root: Path, path: Path) -> str | None:
    """A path below the folder as the manifest has it; `None` when it is not below, or in a skipped folder."""
    try:
        parts = path.relative_to(root).parts
    except ValueError:
        return None
    return None if not parts or ".." in parts or not _SKIPPED.isdisjoint(parts) else "/".join(parts)


def read_below(root: Path, path: str) -> bytes | None:
    """The bytes of a regular file of at most that size, at no link and below no link that leaves the folder."""
    try:
        return None if below(root, real(root / path)) is None else _read_file(root / path)
    except ValueError:
        return None


def _read_file(path: str | Path) -> bytes | None:
    # a pipe must not hold the session up
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(path, flags), "rb") as file:  # noqa: PTH123 # a descriptor
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
                return None
            content = file.read(MOST_BYTES + 1)
            return content if len(content) <= MOST_BYTES else None
    except (OSError, ValueError):
        return None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


class _Walk:
    """One look at all files, with what is left of its bounds."""

    def __init__(self, known: Manifest | None) -> None:
        self._known = {} if known is None else known.files
        self._ends = time.monotonic() + _MOST_SECONDS
        self._entries = self._hashed = self._bytes = 0

    def goes_on(self) -> bool:
        """Whether one more entry may be looked at."""
        self._entries += 1
        return self._entries <= _MOST_ENTRIES and time.monotonic() <= self._ends

    def fingerprint(self, name: str, path: str, status: os.stat_result) -> _Fingerprint:
        """What is known of a file that has not changed since is not read again."""
        now = _Fingerprint(status.st_size, status.st_mtime_ns, status.st_ctime_ns, None)
        before = self._known.get(name)
        if before is not None and before[:3] == now[:3]:
            return before
        size = status.st_size
        if size > MOST_BYTES or self._hashed >= _MOST_HASHED or self._bytes + size > _MOST_HASHED_BYTES:
            return now
        content = _read_file(path)
        self._hashed += 1
        self._bytes += len(content or b"")
        return now._replace(digest=None if content is None else _digest(content))


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            # a name that is no text can't be sent
            yield from [entry for entry in found if _is_text(entry.name)]
    except OSError:
        return


def manifest_of(root: Path, excluded: Path | None, known: Manifest | None = None) -> Manifest:
    """What lies below a folder, without links, skipped folders and the folder `excluded`. `root` is a real path."""
    files: dict[str, _Fingerprint] = {}
    walk = _Walk(known)
    without = None if excluded is None else str(excluded)
    folders = [""]
    while folders:
        folder = folders.pop()
        for entry in _entries(str(root / folder)):
            if not walk.goes_on():
                return Manifest(files, whole=False)
            name = f"{folder}{entry.name}"
            try:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in _SKIPPED and entry.path != without:
                        folders.append(f"{name}/")
                elif entry.is_file(follow_symlinks=False):
                    files[name] = walk.fingerprint(name, entry.path, entry.stat(follow_symlinks=False))
            except OSError:
                # gone meanwhile
                continue
    return Manifest(files, whole=True)


def remembered(manifest: Manifest) -> Manifest:
    """What the next look needs of one that has had its time: what it read, so that it is not read again.

    And no more of that than is read at once: a session at rest must not hold what a large folder takes.
    """
    read = [(name, file) for name, file in manifest.files.items() if file.digest is not None]
    return Manifest(dict(read[:_MOST_HASHED]), manifest.whole)


def _changed_at(file: _Fingerprint) -> float:
    """When a file was changed, in seconds since 1970. Windows has another time where others have that of the change."""
    return (file.mtime if os.name == "nt" else file.ctime) / 1e9


def changed_at(path: str) -> float | None:
    """When a file was changed, in seconds since 1970; `None` when there is none."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return _changed_at(_Fingerprint(status.st_size, status.st_mtime_ns, status.st_ctime_ns, None))


def digests_of(manifest: Manifest) -> frozenset[str]:
    """Of all contents that were noted."""
    return frozenset(file.digest for file in manifest.files.values() if file.digest is not None)


def digest_of(path: str) -> str | None:
    """Of a file's content, as a manifest has it; `None` when there is none, or too much."""
    content = _read_file(path)
    return None if content is None else _digest(content)


def changed_since(before: Manifest, after: Manifest, during: Callable[[float], bool]) -> list[str]:
    """The files that got another content at a time that `during` tells.

    Not those that were only touched, moved or copied; and without a whole manifest of before nobody can say.
    """
    if not before.whole:
        return []
    digests = digests_of(before)
    changed = []
    for path, now in after.files.items():
        if before.files.get(path) != now and now.digest not in digests and during(_changed_at(now)):
            changed.append(path)
    return changed
