"""The files below a session's folder, so that before and after can be compared."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

MOST_BYTES = 262_144
"""Bytes of a file that may be uploaded; longer ones are data."""

_MOST_ENTRIES = 20_000
"""Entries that are looked at: a session in a home folder must not wait for all of it."""

_MOST_HASHED = 2_000
"""Files whose content is noted, so that one that was only touched counts as unchanged."""

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
    mtime: int
    # can't be set by a program, unlike the other
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
        if below(root, real(root / path)) is None:
            return None
        # a pipe must not hold the session up
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with open(os.open(root / path, flags), "rb") as file:  # noqa: PTH123 # a descriptor
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
                return None
            content = file.read(MOST_BYTES + 1)
            return content if len(content) <= MOST_BYTES else None
    except (OSError, ValueError):
        return None


def manifest_of(root: Path, excluded: Path | None) -> Manifest:
    """What lies below a folder, without links, skipped folders and the folder `excluded`. `root` is a real path."""
    files: dict[str, _Fingerprint] = {}
    folders = [root]
    entries = hashed = 0
    while folders:
        try:
            found = list(os.scandir(folders.pop()))
        except OSError:
            continue
        for entry in found:
            entries += 1
            if entries > _MOST_ENTRIES:
                return Manifest(files, whole=False)
            path = Path(entry.path)
            try:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in _SKIPPED and path != excluded:
                        folders.append(path)
                    continue
                if not entry.is_file(follow_symlinks=False):
                    continue
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            name = path.relative_to(root).as_posix()
            content = None
            if status.st_size <= MOST_BYTES and hashed < _MOST_HASHED:
                hashed += 1
                content = read_below(root, name)
            digest = None if content is None else hashlib.sha256(content).hexdigest()
            files[name] = _Fingerprint(status.st_size, status.st_mtime_ns, status.st_ctime_ns, digest)
    return Manifest(files, whole=True)


def changed_since(before: Manifest, after: Manifest) -> list[str]:
    """The files that are new or have another content. Without a whole manifest of before nobody can say."""
    if not before.whole:
        return []
    changed = []
    for path, now in after.files.items():
        then = before.files.get(path)
        if then is None or (then != now and (then.digest is None or then.digest != now.digest)):
            changed.append(path)
    return changed


GENERATED = re.compile(
    r"(^|[-.])lock(\.\w+)?$|^(package-lock|npm-shrinkwrap)\.json$|^go\.sum$|\.(log|min\.js|map|pyc)$", re.IGNORECASE
)
"""Files that a tool makes and nobody wrote."""
