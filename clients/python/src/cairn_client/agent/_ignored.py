"""What `.gitignore` rules leave out."""

from __future__ import annotations

import os
import re
import stat
import subprocess
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path


_UNREAD = re.compile(rb"(?:unable to access '|excessively large pattern file: )(?:(?!/).*\.gitignore|.*/info/exclude)")
"""What git says on stderr of a repository's rules that it did not read (also such as are a link), and goes on.

Of what they leave out nobody knows. A file of the user's own, which has an absolute path, may be out of reach.
"""


class _Rule(NamedTuple):
    form: re.Pattern[str]
    again: bool


def ignored_of(root: Path, paths: Sequence[str]) -> frozenset[str]:
    """Those of the paths (relative to `root`, with `/`) that are ignored; all where some rules can't be read.

    As git says, or by the rules without it.
    """
    if not paths:
        return frozenset()
    told = _by_git(root, paths)
    return _by_rules(root, paths) if told is None else told


def _by_git(root: Path, paths: Sequence[str]) -> frozenset[str] | None:
    """What git says; `None` where there is no git, or no repository."""
    # a file that is in the index and ignored is ignored here: rather one too few than one too many.
    # The repository is the session's: it must not name a program to run.
    command = ["git", "-c", "core.fsmonitor=false", "check-ignore", "--no-index", "-z", "--stdin"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # in English, whatever the user reads
    environment["LC_ALL"] = "C"
    given = b"".join(os.fsencode(path) + b"\0" for path in paths)
    try:
        done = subprocess.run(  # noqa: S603 # a fixed command; the paths go to its stdin
            command, cwd=root, env=environment, input=given, capture_output=True, timeout=10, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    if done.returncode not in (0, 1):
        return None
    return frozenset(paths if _UNREAD.search(done.stderr) else os.fsdecode(done.stdout).split("\0"))


def _by_rules(root: Path, paths: Sequence[str]) -> frozenset[str]:
    """The same for the rules that people write (`*`, `**`, `?`, `!`, `/`), of all folders on the way to a file."""

    @cache
    def rules_of(folder: str) -> tuple[_Rule, ...] | None:
        text = _text_at(root / folder / ".gitignore")
        return None if text is None else tuple(_rules(text.splitlines(), folder))

    ignored = set()
    for path in paths:
        parts = path.split("/")
        folders = ["".join(f"{part}/" for part in parts[:count]) for count in range(len(parts))]
        found = [rules_of(folder) for folder in folders]
        if None in found:
            return frozenset(paths)
        matching = [rule for rules in found for rule in rules or () if rule.form.fullmatch(path)]
        if matching and not matching[-1].again:
            ignored.add(path)
    return frozenset(ignored)


def _text_at(path: Path) -> str | None:
    """The text of a `.gitignore`, empty without one; `None` where it can't be read, or is no file, as for git."""
    try:
        mode = path.lstat().st_mode
        if stat.S_ISDIR(mode):
            return ""
        return path.read_text("utf-8", errors="replace") if stat.S_ISREG(mode) else None
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError:
        # such as without a free file descriptor
        return None


def _rules(lines: Iterable[str], folder: str) -> Iterator[_Rule]:
    """The rules of a `.gitignore` in `folder` (`""`, or ending in `/`)."""
    for line in lines:
        text = re.sub(r"(?<!\\)\s+$", "", line)
        pattern = text.removeprefix("!").rstrip("/")
        if not pattern or text.startswith("#"):
            continue
        anywhere = "" if "/" in pattern else "(?:.*/)?"
        source = "".join(map(_translated, re.split(r"(\\.|\*\*/|/\*\*$|\*|\?)", pattern.removeprefix("/"))))
        # what lies in an ignored folder is ignored, too
        form = re.compile(f"{re.escape(folder)}{anywhere}{source}(?:/.*)?", re.DOTALL)
        yield _Rule(form, text.startswith("!"))


def _translated(part: str) -> str:
    known = {"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}
    return known.get(part) or re.escape(part[1:] if part.startswith("\\") and len(part) == len("\\x") else part)
