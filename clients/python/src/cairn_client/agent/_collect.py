"""What a session made, as far as it may be uploaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from cairn_client.agent._ignored import ignored_of
from cairn_client.agent._manifest import GENERATED, Manifest, changed_since, read_below
from cairn_client.agent._screen import has_secret, has_secret_name, text_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MOST_FILES = 20
_MOST_CHARACTERS = 2_097_152
"""Of all files of one success."""

Reason = Literal["ignored", "secret", "too large or no regular file", "binary", "empty", "generated", "too many"]


@dataclass(frozen=True)
class ChangedFile:
    """A file that the session created or changed."""

    path: str
    """Relative to the session's folder, with `/`."""
    absolute: str
    content: str


@dataclass(frozen=True)
class LeftFile:
    """A changed file that stays where it is."""

    path: str
    reason: Reason


def collect(
    root: Path, named: Iterable[str], before: Manifest | None, after: Manifest | None, secrets: Sequence[str]
) -> tuple[list[ChangedFile], list[LeftFile]]:
    """The files that the session's tools named, and those that others made (a command, a server)."""
    made = changed_since(before, after) if before and after else []
    paths = list(dict.fromkeys([*named, *made]))
    ignored = ignored_of(root, paths)
    files: list[ChangedFile] = []
    left: list[LeftFile] = []
    characters = 0
    for path in paths:
        read = "ignored" if path in ignored else _read(root, path, secrets)
        if not isinstance(read, ChangedFile):
            left.append(LeftFile(path, read))
        elif len(files) >= _MOST_FILES or characters + len(read.content) > _MOST_CHARACTERS:
            left.append(LeftFile(path, "too many"))
        else:
            characters += len(read.content)
            files.append(read)
    return files, left


def _read(root: Path, path: str, secrets: Sequence[str]) -> ChangedFile | Reason:
    name = Path(path).name
    if has_secret_name(name):
        return "secret"
    if GENERATED.search(name):
        return "generated"
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
