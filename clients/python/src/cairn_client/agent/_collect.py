"""What a session made, as far as it may be uploaded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal

from cairn_client.agent._ignored import ignored_of
from cairn_client.agent._manifest import read_below
from cairn_client.agent._screen import has_secret, has_secret_name, text_file

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

_MOST_FILES = 20
_MOST_CHARACTERS = 2_097_152
"""Of all files of one success."""

_GENERATED = re.compile(
    r"(^|[-.])lock(\.\w+)?$|^(package-lock|npm-shrinkwrap)\.json$|^go\.sum$|\.(log|min\.js|map|pyc)$", re.IGNORECASE
)
"""Files that a tool makes and nobody wrote."""

Reason = Literal["ignored", "secret", "too large or no regular file", "binary", "empty", "generated", "too many"]


@dataclass(frozen=True)
class ChangedFile:
    """A file that the session created or changed."""

    path: str
    """Relative to the session's folder, with `/`; of an offered file its name."""
    absolute: str
    content: str


@dataclass(frozen=True)
class LeftFile:
    """A changed file that stays where it is."""

    path: str
    reason: Reason


def collect(
    root: Path, named: Collection[str], made: Sequence[str], secrets: Sequence[str], offered: Sequence[Path] = ()
) -> tuple[list[ChangedFile], list[LeftFile]]:
    """The files that the session's tools named, and those that commands made.

    When these are more than could be sent, something was unpacked or generated, and which of them were a work of the
    session can't be told: none is sent.

    `offered`: those files of the cache folder that the session changed. Each has its name for a path.
    """
    # which files a command made is a guess, unlike the others
    places = [(root, path, path not in named) for path in dict.fromkeys([*named, *made])]
    places += [(file.parent, file.name, False) for file in offered]
    ignored = {
        (folder, path)
        for folder in dict.fromkeys(folder for folder, *_ in places)
        for path in ignored_of(folder, [path for other, path, _ in places if other == folder])
    }
    files: list[ChangedFile] = []
    left: list[LeftFile] = []
    fit: list[tuple[Path, str, bool]] = []
    for folder, path, guessed in places:
        reason = "ignored" if (folder, path) in ignored else _reason(path)
        if reason is None:
            fit.append((folder, path, guessed))
        else:
            left.append(LeftFile(path, reason))
    unpacked = sum(guessed for *_, guessed in fit) > _MOST_FILES
    characters = 0
    for folder, path, guessed in fit:
        if len(files) >= _MOST_FILES or (unpacked and guessed):
            left.append(LeftFile(path, "too many"))
            continue
        # what a tool wrote, another may have removed
        if not (folder / path).is_symlink() and not (folder / path).exists():
            continue
        read = _read(folder, path, secrets)
        if not isinstance(read, ChangedFile):
            left.append(LeftFile(path, read))
        elif characters + len(read.content) > _MOST_CHARACTERS:
            left.append(LeftFile(path, "too many"))
        else:
            characters += len(read.content)
            files.append(read)
    return files, left


def _reason(path: str) -> Reason | None:
    """Why a file stays, as far as its name tells."""
    name = PurePosixPath(path).name
    if has_secret_name(name):
        return "secret"
    return "generated" if _GENERATED.search(name) else None


def _read(root: Path, path: str, secrets: Sequence[str]) -> ChangedFile | Reason:
    content = read_below(root, path)
    if content is None:
        return "too large or no regular file"
    text = text_file(content)
    # a name that is no UTF-8 can't be sent either
    if text is None or path.encode(errors="replace").decode() != path:
        return "binary"
    if not text.strip():
        return "empty"
    return "secret" if has_secret(text, secrets) else ChangedFile(path, str(root / path), text)
