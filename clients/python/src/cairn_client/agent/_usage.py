"""What became of the snippets that a session was offered."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cairn_client._code_files import holds
from cairn_client.agent._commands import files_named, files_run
from cairn_client.agent._events import command_of, end_of, file_of
from cairn_client.agent._manifest import real

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cairn_client.agent._collect import ChangedFile
    from cairn_client.agent._events import HookEvent

_SHORTEST_LINE = 8
_COMMENT = re.compile(r"#(?!include)|//|\*|/\*|\"\"\"")


@dataclass(frozen=True)
class OfferedFile:
    """A snippet that the session was offered, at its place in the cache folder."""

    code_block_id: str
    filename: str
    path: str
    """Absolute and real."""
    source: str
    description: str


@dataclass(frozen=True)
class Vote:
    """What a session found out about an offered snippet."""

    code_block_id: str
    succeeded: bool


class Verdict(NamedTuple):
    """What became of an offered snippet."""

    file: OfferedFile
    succeeded: bool


def _lines(source: str) -> set[str]:
    """The lines of code that tell one file from another: no blank ones, braces and comments."""
    lines = map(str.strip, source.split("\n"))
    return {
        line for line in lines if len(line) >= _SHORTEST_LINE and re.search(r"\w", line) and not _COMMENT.match(line)
    }


def is_copy(content: str, source: str) -> bool:
    """The same, without a difference in blanks at the ends."""
    return content.strip() == source.strip()


def _is_from(content: str, source: str) -> bool:
    """Whether a file was made from a snippet: it has at least half of its lines."""
    wanted = _lines(source)
    return len(wanted & _lines(content)) * 2 >= len(wanted) if wanted else is_copy(content, source)


class Usage:
    """Which of the offered snippets the session reads and runs, and what that says of them."""

    def __init__(self) -> None:
        # by path: a snippet of the same name takes an earlier one's place
        self._offered: dict[str, OfferedFile] = {}
        self._read: set[str] = set()
        self._voted: set[str] = set()

    def offer(self, files: Iterable[OfferedFile]) -> None:
        """Notes what is offered."""
        self._offered |= {file.path: file for file in files}

    @property
    def offered(self) -> list[OfferedFile]:
        """All that are offered."""
        return list(self._offered.values())

    def _at(self, path: str | Path) -> OfferedFile | None:
        return self._offered.get(str(real(path)))

    def edited(self) -> list[OfferedFile]:
        """Those whose files are no longer what was offered."""
        return [file for file in self._offered.values() if not holds(file.path, file.source)]

    def reads(self, event: HookEvent) -> OfferedFile | None:
        """The offered file that a tool reads, if it does."""
        path = file_of(event) if event.get("tool_name") == "Read" else None
        return None if path is None else self._at(Path(event["cwd"], path))

    def used(self, event: HookEvent, cwd: str, succeeded: bool) -> dict[str, bool]:
        """A tool was used, its command from the folder `cwd`.

        Notes what it read, and returns what it ran and how that ended: by a snippet's id, or by the path of what may be
        a copy of one. An offered file that was changed is the session's, and no longer the snippet.
        """
        command = command_of(event)
        if succeeded:
            seen = [self.reads(event), *map(self._at, files_named(command or "", cwd))]
            self._read |= {file.code_block_id for file in seen if file is not None and holds(file.path, file.source)}
        end = end_of(event, succeeded)
        if command is None or end == "unknown":
            return {}
        runs = {}
        for run in files_run(command, cwd, end == "worked"):
            offered = self._at(run.path)
            is_snippet = offered is not None and holds(offered.path, offered.source)
            runs[offered.code_block_id if offered and is_snippet else str(real(run.path))] = run.succeeded
        return runs

    def verdicts(self, files: Sequence[ChangedFile], runs: Mapping[str, bool]) -> list[Verdict]:
        """Offered snippets, each with whether it helped.

        One that was run, itself or as an unchanged copy: as the last run went. One that was read, and at least half of
        which is in a file of the session: it did. Of all others nothing is known.
        """
        known: list[Verdict] = []
        for file in self._offered.values():
            # that the file itself was changed, if only in its blanks, makes it no copy
            others = [changed for changed in files if changed.absolute != file.path]
            copies = [changed.absolute for changed in others if is_copy(changed.content, file.source)]
            ends = [runs[key] for key in (file.code_block_id, *copies) if key in runs]
            if ends:
                known.append(Verdict(file, all(ends)))
            elif file.code_block_id in self._read and any(_is_from(one.content, file.source) for one in files):
                known.append(Verdict(file, True))
        return known

    def take(self, verdicts: Iterable[Verdict]) -> list[Verdict]:
        """Those that may be voted on now: a session has one vote on each snippet."""
        first = []
        for verdict in verdicts:
            # one that was changed may be offered again, under another name
            if verdict.file.code_block_id not in self._voted:
                self._voted.add(verdict.file.code_block_id)
                first.append(verdict)
        return first
