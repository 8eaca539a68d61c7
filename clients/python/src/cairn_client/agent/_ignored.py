"""What `.gitignore` rules leave out."""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path


class _Rule(NamedTuple):
    form: re.Pattern[str]
    again: bool


def ignored_of(root: Path, paths: Sequence[str]) -> frozenset[str]:
    """Those of the paths (relative to `root`, with `/`) that are ignored: as git says, or by the rules without it."""
    if not paths:
        return frozenset()
    told = _by_git(root, paths)
    return _by_rules(root, paths) if told is None else told


def _by_git(root: Path, paths: Iterable[str]) -> frozenset[str] | None:
    """What git says; `None` where there is no git, or no repository."""
    # a file that is in the index and ignored is ignored here: rather one too few than one too many.
    # The repository is the session's: it must not name a program to run.
    command = ["git", "-c", "core.fsmonitor=false", "check-ignore", "--no-index", "-z", "--stdin"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    given = b"".join(os.fsencode(path) + b"\0" for path in paths)
    try:
        done = subprocess.run(  # noqa: S603 # a fixed command; the paths go to its stdin
            command, cwd=root, env=environment, input=given, capture_output=True, timeout=10, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return frozenset(os.fsdecode(done.stdout).split("\0")) if done.returncode in (0, 1) else None


def _by_rules(root: Path, paths: Iterable[str]) -> frozenset[str]:
    """The same for the rules that people write (`*`, `**`, `?`, `!`, `/`), of all folders on the way to a file."""

    @cache
    def rules_of(folder: str) -> tuple[_Rule, ...]:
        try:
            text = (root / folder / ".gitignore").read_text("utf-8", errors="replace")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return ()
        except OSError:
            # such as without a free file descriptor: nobody knows what it leaves out
            text = "*"
        return tuple(_rules(text.splitlines(), folder))

    ignored = set()
    for path in paths:
        parts = path.split("/")
        folders = ["".join(f"{part}/" for part in parts[:count]) for count in range(len(parts))]
        matching = [rule for folder in folders for rule in rules_of(folder) if rule.form.fullmatch(path)]
        if matching and not matching[-1].again:
            ignored.add(path)
    return frozenset(ignored)


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
