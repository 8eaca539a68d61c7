"""What became of the snippets that a session was offered."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cairn_client.agent._commands import files_run
from cairn_client.agent._events import file_of, text_of
from cairn_client.agent._manifest import real

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


def _lines(source: str) -> set[str]:
    """The lines of code that tell one file from another: no blank ones, braces and comments."""
    lines = map(str.strip, source.split("\n"))
    return {
        line for line in lines if len(line) >= _SHORTEST_LINE and re.search(r"\w", line) and not _COMMENT.match(line)
    }


def is_copy(content: str, source: str) -> bool:
    """The same, without a difference in blanks at the ends."""
    return content.strip() == source.strip()


def is_from(content: str, source: str) -> bool:
    """Whether a file was made from a snippet: it has at least half of its lines."""
    wanted = _lines(source)
    return len(wanted & _lines(content)) * 2 >= len(wanted) if wanted else is_copy(content, source)


class Usage:
    """Which of the offered snippets the session reads and runs."""

    def __init__(self) -> None:
        self._offered: dict[str, OfferedFile] = {}
        self._read: set[str] = set()
        # absolute paths that commands ran since the last success: how it ended last
        self._run: dict[str, bool] = {}

    def offer(self, files: Iterable[OfferedFile]) -> None:
        """Notes what is offered."""
        self._offered |= {file.path: file for file in files}

    @property
    def offered(self) -> list[OfferedFile]:
        """All that was offered."""
        return list(self._offered.values())

    def reads(self, event: HookEvent) -> OfferedFile | None:
        """The offered file that a tool reads, if it does."""
        path = file_of(event) if event.get("tool_name") == "Read" else None
        return None if path is None else self._offered.get(str(real(Path(event["cwd"], path))))

    def used(self, event: HookEvent, succeeded: bool) -> None:
        """A tool was used. Only files that were offered, or that a command runs, are noted."""
        read = self.reads(event)
        if read is not None and succeeded:
            self._read.add(read.path)
        command = text_of(event.get("tool_input"), "command") if event.get("tool_name") == "Bash" else None
        # what somebody stopped did not fail
        if command is None or (not succeeded and event.get("is_interrupt") is True):
            return
        for run in files_run(command, event["cwd"], succeeded):
            self._run[str(real(run.path))] = run.succeeded

    def verdicts(self, files: Sequence[ChangedFile]) -> list[tuple[OfferedFile, bool]]:
        """Offered snippets, each with whether it helped.

        One that was run, itself or as an unchanged copy: as the last run went. One that was read, and at least half of
        which is in a file of the session: it did. Of all others nothing is known.
        """
        known: list[tuple[OfferedFile, bool]] = []
        for file in self._offered.values():
            copies = [changed.absolute for changed in files if is_copy(changed.content, file.source)]
            runs = [self._run[path] for path in (file.path, *copies) if path in self._run]
            if runs:
                known.append((file, all(runs)))
            elif file.path in self._read and any(is_from(changed.content, file.source) for changed in files):
                known.append((file, True))
        return known

    def settled(self) -> None:
        """The next success counts what comes from here on; what was read stays read."""
        self._run.clear()
