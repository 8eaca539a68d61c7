"""Which files a shell command runs."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_INTERPRETERS = re.compile(
    r"python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|tsx|ts-node|ruby|perl|php|bash|sh|zsh|dash|ksh|fish|Rscript|julia"
    r"|lua|luajit|java|groovy|go|swift|elixir|pwsh|source|\."
)
"""Programs that run the file that is named first behind them."""

_NO_FILE = re.compile(r"-(c|m|e|p|-eval|-print|)")
"""Options behind which stands code or a module, and no file."""

_WRAPPERS = re.compile(
    r"env|time|sudo|nice|nohup|timeout|exec|command|uv|uvx|npx|pnpm|poetry|pipenv|run|\w+=.*|-.*|\d+(\.\d+)?[smhd]?",
    re.DOTALL,
)
"""Programs that run another, or set something for it."""

_PREPARING = frozenset(("cd", "echo", "export", "mkdir", "printf", "pwd", "set", "true", ":"))
"""Programs that go before others, and don't fail where those would not."""

_UNKNOWABLE = re.compile(r"\|\||\$\(|`|(^|[\s;&|(])(!|if|while|until|for|case|trap|eval)\s")
"""Where an exit code says little of the parts: one is only run if another fails, or stands inside of another."""

_DOCUMENT = re.compile(r"<<-?\s*([\"']?)(\w+)\1([^\n]*)\n[\s\S]*?(?:\n[ \t]*\2[ \t]*(?=\n|\Z)|\Z)")
"""A document that stands inside of a command: its lines are no commands. What follows on its first line is."""

_QUOTED_OR_REDIRECTED = re.compile(
    r"(\"[^\"]*\"|'[^']*')|(?:&>>?|\d*>>?)\s*(?:&\d+|[^\s;&|()<>\"']+)|<\s*[^\s;&|()<>\"']+"
)
"""Quoted text, which is kept, or where input and output go: `2>&1`, `>log.txt`, `&>/dev/null`, `<in.csv`."""

_TOKEN = re.compile(r"(?P<between>&&|[|;&\n()]+)|(?:\"[^\"]*\"|'[^']*'|[^\s\"'|;&()])+")
_QUOTED = re.compile(r"\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'")
_IN_A_PATH = re.compile(r"[./\\]")


class FileRun(NamedTuple):
    """A file that a command ran, and how that ended. The path is absolute, as the command would find it."""

    path: str
    succeeded: bool


class _Part(NamedTuple):
    # what its program was told, which is the first
    words: list[str]
    # what stands between it and the next; "" at the end
    after: str


def _parts(command: str) -> list[_Part]:
    """Not a shell's reading of a command, but that of a plain one. Without what only runs another program."""
    plain = _QUOTED_OR_REDIRECTED.sub(lambda found: found[1] or " ", _DOCUMENT.sub(r"\3", command))
    parts: list[_Part] = []
    words: list[str] = []
    for token in _TOKEN.finditer(plain.strip()):
        if token["between"] is None:
            words.append(_QUOTED.sub(lambda found: found["double"] or found["single"] or "", token[0]))
        else:
            parts.append(_Part(words, token["between"].strip()))
            words = []
    told = [(_told(part.words), part.after) for part in [*parts, _Part(words, "")] if part.words]
    return [_Part(words, after) for words, after in told]


def _told(words: list[str]) -> list[str]:
    begin = next((at for at, word in enumerate(words) if not _WRAPPERS.fullmatch(word)), len(words))
    return words[begin:]


def _with_folders(command: str, cwd: str) -> Iterator[tuple[int, _Part, str]]:
    """The parts that have a program, each with its number and the folder that it runs in."""
    folder = cwd
    for number, part in enumerate(_parts(command)):
        if not part.words:
            continue
        if part.words[0] == "cd":
            folder = _joined(folder, part.words[1] if len(part.words) > 1 else ".")
        yield number, part, folder


def _joined(folder: str, path: str) -> str:
    return os.path.normpath(Path(folder, path))


def _file_run_by(program: str, told: Sequence[str]) -> str | None:
    """The file that a program runs: itself, or what it was told first."""
    if not _INTERPRETERS.fullmatch(os.path.basename(program)):  # noqa: PTH119 # `Path` drops a single dot
        return program if _IN_A_PATH.search(program) else None
    for word in told:
        if _NO_FILE.fullmatch(word):
            return None
        if not word.startswith("-") and _IN_A_PATH.search(word):
            return word
    return None


def files_run(command: str, cwd: str, succeeded: bool) -> list[FileRun]:
    """The files that a command runs, directly or by an interpreter, as far as its exit code tells how each ended.

    Not what stands before a pipe or `;`, and after a failure only the last part, if no other program came before it.
    """
    if _UNKNOWABLE.search(command):
        return []
    runs: list[FileRun] = []
    last = len(_parts(command)) - 1
    programs = 0
    for number, (words, after), folder in _with_folders(command, cwd):
        program, *told = words
        if program in _PREPARING:
            continue
        programs += 1
        ends = number == last and after in ("", ";", ")")
        known = ends or after == "&&" if succeeded else ends and programs == 1
        path = _file_run_by(program, told) if known else None
        if path is not None:
            runs.append(FileRun(_joined(folder, path), succeeded))
    return runs


def files_named(command: str, cwd: str) -> list[str]:
    """The files that a command names, run or not, as absolute paths."""
    parts = _with_folders(command, cwd)
    return [_joined(folder, word) for _, part, folder in parts for word in part.words[1:] if _IN_A_PATH.search(word)]


def only_git(command: str) -> bool:
    """Whether a command only fetches or restores what others wrote."""
    programs = {part.words[0] for part in _parts(command) if part.words}
    return "git" in programs and programs <= {"git", *_PREPARING}
