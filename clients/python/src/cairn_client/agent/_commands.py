"""Which files a shell command runs."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

_READERS = frozenset(
    (
        "cat", "less", "more", "head", "tail", "bat", "cp", "mv", "rm", "ln", "ls", "stat", "file", "wc",
        "diff", "cmp", "grep", "rg", "sed", "awk", "sort", "uniq", "cut", "tr", "tee", "find", "touch", "mkdir",
        "chmod", "chown", "echo", "printf", "test", "[", "git", "md5sum", "sha256sum", "nl", "od", "xxd", "vi",
        "vim", "nano", "tar",
    )
)  # fmt: skip
"""Programs that look at a file, or move it, and don't run it."""

_WRAPPER = re.compile(r"env|time|sudo|nice|nohup|timeout|exec|command|\w+=.*|-.*|\d+[smh]?")
"""Programs that run another, or set something for it."""

_REDIRECTION = re.compile(r"\d*>&\d+|&?\d*>>?\s*[^\s;&|]+")
_TOKEN = re.compile(r"(?P<between>&&|\|\||[|;&\n()]+)|\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|[^\s\"'|;&()]+")


class FileRun(NamedTuple):
    """A file that a command ran, and how that ended. The path is absolute, as the command would find it."""

    path: str
    succeeded: bool


class _Part(NamedTuple):
    words: list[str]
    # what stands between it and the next; "" at the end
    after: str


def _parts(command: str) -> list[_Part]:
    """Not a shell's reading of it, but that of a plain command."""
    parts: list[_Part] = []
    words: list[str] = []
    for token in _TOKEN.finditer(_REDIRECTION.sub(" ", command.strip())):
        if token["between"] is None:
            quoted = token["double"] if token["double"] is not None else token["single"]
            words.append(token[0] if quoted is None else quoted)
        else:
            parts.append(_Part(words, token["between"]))
            words = []
    return [part for part in [*parts, _Part(words, "")] if part.words]


def files_run(command: str, cwd: str, succeeded: bool) -> list[FileRun]:
    """The files that a command runs, directly or by an interpreter, as far as its exit code tells how each ended.

    Not what stands before a pipe, `;` or `||`, and after a failure only the last part, if no program came before it.
    """
    runs: list[FileRun] = []
    folder = cwd
    programs = 0
    parts = _parts(command)
    for number, part in enumerate(parts):
        begin = next((at for at, word in enumerate(part.words) if not _WRAPPER.fullmatch(word)), None)
        if begin is None:
            continue
        program, *rest = part.words[begin:]
        if program == "cd":
            folder = os.path.normpath(Path(folder, rest[0] if rest else "."))
            continue
        if Path(program).name in _READERS:
            continue
        programs += 1
        last = number == len(parts) - 1
        if (last or part.after == "&&") if succeeded else (last and programs == 1):
            paths = [word for word in (program, *rest) if re.search(r"[./\\]", word)]
            runs += [FileRun(os.path.normpath(Path(folder, path)), succeeded) for path in paths]
    return runs
