"""One agent session: what it was asked and offered, what its tools did, and what came of it."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import anyio
import anyio.to_thread

from cairn_client._code_files import holds
from cairn_client._deadline import within
from cairn_client.agent._cache_folder import CacheFolder
from cairn_client.agent._collect import ChangedFile, LeftFile, collect
from cairn_client.agent._delivery import Parcel, deliver
from cairn_client.agent._events import file_of, is_asked
from cairn_client.agent._execution_log import logged, logs_of
from cairn_client.agent._happened import Happened, is_during, open_of, spans_of
from cairn_client.agent._manifest import (
    Manifest,
    below,
    changed_at,
    changed_since,
    digest_of,
    digests_of,
    manifest_of,
    real,
    remembered,
)
from cairn_client.agent._offer import offer
from cairn_client.agent._screen import redacted, storable
from cairn_client.agent._timeline import Timeline
from cairn_client.agent._usage import OfferedFile, Usage, Vote, is_copy

if TYPE_CHECKING:
    import logging
    import os
    from collections.abc import Callable, Iterator

    from cairn_client import AsyncCairn, Cairn
    from cairn_client.agent._events import HookEvent

_WRITERS = frozenset(("Write", "Edit", "MultiEdit", "NotebookEdit"))
_MOST_TASK = 4_000
_SEARCHING = 5.0
"""Seconds that a prompt waits for a search."""

_RESTING = 60.0
"""Seconds in which no prompt is searched for after one that was not answered in time."""


@dataclass(frozen=True)
class SessionReport:
    """What a success of a session led to."""

    session_id: str
    task: str
    """What was asked, since the last success."""
    offered: list[OfferedFile]
    """Snippets that the session was offered so far."""
    uploaded: list[str]
    """Paths relative to the session's folder; of an offered file that the session changed, its name."""
    left: list[LeftFile]
    """Changed files that were not uploaded, and why."""
    votes: list[Vote]


@dataclass(frozen=True)
class SessionSettings:
    """What all sessions of one agent share."""

    client: Cairn | AsyncCairn
    logger: logging.Logger
    cache_dir: str | os.PathLike[str] | None
    public: bool
    # values that must not leave the machine
    secrets: tuple[str, ...]
    # tells of trouble once
    warn: Callable[[str, Exception], None]


@dataclass(frozen=True)
class _Outcome:
    """What is to be delivered when the turn turns out to be a success."""

    of: Happened
    parcel: Parcel
    left: list[LeftFile]
    after: Manifest | None
    edited: list[ChangedFile]


def _needed(manifest: Manifest) -> Manifest:
    """What is needed of a manifest: of one that is not whole, only that it is not."""
    return manifest if manifest.whole else Manifest({}, whole=False)


class Session:
    """What the hooks of one session id write to."""

    def __init__(self, session_id: str, settings: SessionSettings) -> None:
        self.cache = CacheFolder(settings.cache_dir)
        # when its last event came, by the monotonic clock
        self.heard = time.monotonic()
        self._id = session_id
        self._settings = settings
        self._usage = Usage()
        self._timeline = Timeline()
        self._happened = Happened()
        self._task = ""
        self._root: Path | None = None
        # the folder of the first event that was no prompt
        self._begun: str | None = None
        self._before: Manifest | None = None
        # by path, what the last success made of offered files
        self._edits: dict[str, str] = {}
        self._outcome: _Outcome | None = None
        self._rests_until = 0.0
        # how the last turn ended, unless something happened since
        self._turn: Literal["under way", "ended", "failed"] = "ended"
        # ends of turns that are being read or delivered
        self._ending = 0

    @property
    def rests(self) -> bool:
        """Whether nothing is lost with it but what it was offered.

        All its turns have ended and were delivered, and none goes on.
        """
        return self._turn != "under way" and self._is_taken and self._happened.nothing

    @property
    def has_failed(self) -> bool:
        """Whether its last turn failed, and none goes on: what it did is lost with it, unless the next one succeeds."""
        return self._turn == "failed" and self._is_taken

    @property
    def _is_taken(self) -> bool:
        """Whether all turns that have ended were taken up."""
        return self._ending == 0 and self._outcome is None

    @contextmanager
    def _ends(self) -> Iterator[None]:
        self._ending += 1
        try:
            yield
        finally:
            self._ending -= 1

    async def prompted(self, event: HookEvent) -> str:
        """A prompt was sent. Returns what the model may start from; `""` when there is nothing."""
        self._turn = "under way"
        self._timeline.passed(event)
        if self._root is None:
            self._root = real(event["cwd"])
        root, begins = self._root, self._happened.nothing and self._outcome is None
        context = ""

        async def ask() -> None:
            nonlocal context
            context = await self._asked(str(event.get("prompt", "")), root) if is_asked(event) else ""

        async with anyio.create_task_group() as both:
            if begins:
                both.start_soon(self._note_files, root)
            both.start_soon(ask)
        return context

    async def _asked(self, prompt: str, root: Path) -> str:
        settings = self._settings
        task = storable(redacted(prompt, settings.secrets))
        self._happened = Happened(prompts=[task]).after(self._happened)
        if time.monotonic() < self._rests_until:
            return ""
        try:
            with anyio.fail_after(_SEARCHING), within(_SEARCHING):
                context, files = await offer(settings.client, settings.logger, self.cache, root, task, _SEARCHING)
        except Exception as error:  # noqa: BLE001 # whatever it is, the session must go on
            if isinstance(error, TimeoutError):
                self._rests_until = time.monotonic() + _RESTING
            settings.warn("No snippets could be offered", error)
            return ""
        self._usage.offer(files)
        settings.logger.debug("Session offered %d snippets", len(files))
        return context

    async def _note_files(self, root: Path) -> None:
        # what could not be looked through in time once is not again: each prompt would wait for it
        if self._before is not None and not self._before.whole:
            return
        self._before = _needed(await anyio.to_thread.run_sync(manifest_of, root, self.cache.real, self._before))
        if not self._before.whole:
            self._settings.logger.debug("Session in a folder too large to look through: %s", root)

    def may_read(self, event: HookEvent) -> bool:
        """Whether a tool asks to read an offered file, which it may."""
        self._turn = "under way"
        return self._usage.reads(event) is not None

    def used(self, event: HookEvent, succeeded: bool) -> None:
        """A tool was used."""
        self._turn = "under way"
        self._begun = self._begun or str(event["cwd"])
        moment = self._timeline.passed(event)
        path = file_of(event) if succeeded and event.get("tool_name") in _WRITERS else None
        self._happened = Happened(
            named=[] if path is None else [str(Path(moment.folder, path))],
            spans=spans_of(event, moment),
            runs=self._usage.used(event, moment.folder, succeeded),
        ).after(self._happened)
        self._happened.log = logged(self._happened.log, event, succeeded, self._settings.secrets)

    async def stopped(self, event: HookEvent) -> None:
        """The turn ended: what it made is read now, before the next one changes it. Nothing is sent."""
        self._turn = "ended"
        self._take_back()
        root = self._root or real(self._begun or event["cwd"])
        happened, self._happened = self._happened, Happened(spans=open_of(self._happened.spans, event))
        # a turn of the machine's own, such as when a subagent ends, goes on with what was asked before
        if happened.prompts:
            self._task = storable("\n".join(happened.prompts).strip()[:_MOST_TASK])
        with self._ends():
            self._outcome = await anyio.to_thread.run_sync(self._read, root, happened, self._before)

    def _read(self, root: Path, happened: Happened, before: Manifest | None) -> _Outcome:
        cache = self.cache.real
        after = None
        made: list[str] = []
        if before is not None and before.whole and happened.spans:
            after = manifest_of(root, cache, before)
            made = changed_since(before, after, partial(is_during, happened.spans))
        edited = self._edited(happened, before)
        files, left = collect(root, self._below(root, happened.named), made, self._settings.secrets, edited)
        sources = [offered.source for offered in self._usage.offered]
        paths = [file.path for file in files]
        own = [file for file in files if not any(is_copy(file.content, source) for source in sources)]
        parcel = Parcel(
            task=self._task,
            files=[(file, logs_of(happened.log, file.path, paths)) for file in own],
            verdicts=self._usage.verdicts(files, happened.runs),
            public=self._settings.public,
        )
        edits = [file for file in files if Path(file.absolute) in edited]
        return _Outcome(happened, parcel, left, None if after is None else _needed(after), edits)

    def _edited(self, happened: Happened, before: Manifest | None) -> list[Path]:
        """Offered files that tools or commands of the session changed. In a folder of the caller's others may, too."""
        wrote = {str(real(path)) for path in happened.named}
        edited = self._usage.edited()
        # a file that was there before, or was sent, and was only copied over one is none of the session's works
        known = digests_of(before) if edited and before is not None else frozenset()

        def is_made(path: str) -> bool:
            at = changed_at(path)
            if at is None or not is_during(happened.spans, at) or digest_of(path) in known:
                return False
            return not any(holds(path, sent) for sent in self._edits.values())

        return [Path(file.path) for file in edited if file.path in wrote or is_made(file.path)]

    def _below(self, root: Path, paths: list[str]) -> list[str]:
        """Files that tools named, without those outside of the session's folder, and in the cache folder."""
        cache = self.cache.real
        wrote = [real(path) for path in dict.fromkeys(paths)]
        names = [below(root, path) for path in wrote if cache is None or not path.is_relative_to(cache)]
        return [name for name in dict.fromkeys(names) if name is not None]

    def failed(self) -> None:
        """The turn that stopped last failed: nothing of it is sent before the next success."""
        # a turn that has begun since is another one
        if self._outcome is None or self._turn != "under way":
            self._turn = "failed"
        self._take_back()

    def _take_back(self) -> None:
        if self._outcome is not None:
            self._happened = self._happened.after(self._outcome.of)
        self._outcome = None

    async def succeeded(self) -> SessionReport | None:
        """The turn that stopped last was a success: its files and votes are sent. What can't be is warned of."""
        outcome, self._outcome = self._outcome, None
        if outcome is None:
            return None
        self._before = outcome.after or self._before
        # the next prompt looks anew, unless something goes on
        if self._before is not None and self._happened.nothing:
            self._before = remembered(self._before)
        self._edits |= {file.absolute: file.content for file in outcome.edited}
        parcel = outcome.parcel
        parcel.verdicts[:] = self._usage.take(parcel.verdicts)
        with self._ends():
            delivered = await deliver(self._settings.client, parcel, self._settings.warn)
        counts = (len(delivered.uploaded), len(outcome.left), len(delivered.votes))
        self._settings.logger.debug("Session delivered: %d files uploaded, %d left, %d votes", *counts)
        offered = self._usage.offered
        return SessionReport(self._id, parcel.task, offered, delivered.uploaded, outcome.left, delivered.votes)
