"""One agent session: what it was asked and offered, what its tools did, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread

from cairn_client.agent._collect import ChangedFile, LeftFile, collect
from cairn_client.agent._events import file_of
from cairn_client.agent._execution_log import ExecutionLog
from cairn_client.agent._manifest import Manifest, below, manifest_of, real
from cairn_client.agent._offer import CacheFolder, called, offer
from cairn_client.agent._screen import redacted
from cairn_client.agent._usage import OfferedFile, Usage, Vote, is_copy
from cairn_client.errors import CacheUnavailableError, ServiceError

if TYPE_CHECKING:
    import logging
    import os
    from collections.abc import Awaitable, Callable, Iterable

    from cairn_client import AsyncCairn, Cairn
    from cairn_client.agent._events import HookEvent

Given = TypeVar("Given")
Sent = TypeVar("Sent")

_NAMES_ITS_FILE = frozenset(
    (
        "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LS", "TodoWrite", "WebFetch",
        "WebSearch", "AskUserQuestion", "ExitPlanMode", "ToolSearch", "Skill",
    )
)  # fmt: skip
"""Tools that change no file, or name the one that they change. What else runs may change anything."""

_WRITERS = frozenset(("Write", "Edit", "MultiEdit", "NotebookEdit"))
_MOST_TASK = 4_000
_SECONDS = 30.0
"""For each upload and vote."""


@dataclass(frozen=True)
class SessionReport:
    """What a success of a session led to."""

    session_id: str
    task: str
    """What was asked, since the last success."""
    offered: list[OfferedFile]
    """Snippets that the session was offered so far."""
    uploaded: list[str]
    """Paths relative to the session's folder."""
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

    task: str
    files: list[ChangedFile]
    left: list[LeftFile]
    verdicts: list[tuple[OfferedFile, bool]]
    logs: str
    after: Manifest


class Session:
    """What the hooks of one session id write to."""

    def __init__(self, session_id: str, settings: SessionSettings) -> None:
        self.cache = CacheFolder(settings.cache_dir)
        self._id = session_id
        self._settings = settings
        self._usage = Usage()
        self._log = ExecutionLog()
        self._root: Path | None = None
        self._before: Manifest | None = None
        self._outcome: _Outcome | None = None
        # since the last success: a turn that fails may be taken up by the next
        self._prompts: list[str] = []
        self._named: dict[Path, None] = {}
        self._anything = False

    async def prompted(self, event: HookEvent) -> str:
        """A prompt was sent. Returns what the model may start from; `""` when there is nothing."""
        prompt = str(event.get("prompt", ""))
        if self._root is None:
            self._root = real(event["cwd"])
        begins = not self._prompts
        self._prompts.append(prompt)
        if begins:
            self._before = await anyio.to_thread.run_sync(manifest_of, self._root, self.cache.real)
        # not the machine's own turns, such as that a task in the background ended
        if event.get("source") not in (None, "user", "sdk"):
            return ""
        try:
            context, files = await offer(self._settings.client, self.cache, prompt)
        except Exception as error:  # noqa: BLE001 # whatever it is, the session must go on
            self._settings.warn("No snippets could be offered", error)
            return ""
        self._usage.offer(files)
        self._settings.logger.debug("Session offered %d snippets", len(files))
        return context

    def may_read(self, event: HookEvent) -> bool:
        """Whether a tool asks to read an offered file, which it may."""
        return self._usage.reads(event) is not None

    def used(self, event: HookEvent, succeeded: bool) -> None:
        """A tool was used."""
        name = event.get("tool_name")
        self._usage.used(event, succeeded)
        self._log.add(event, succeeded)
        self._anything = self._anything or name not in _NAMES_ITS_FILE
        path = file_of(event) if succeeded and name in _WRITERS else None
        if path is not None:
            self._named[Path(event["cwd"], path)] = None

    async def stopped(self) -> None:
        """The turn ended: what it made is read now, before the next one changes it. Nothing is sent."""
        if self._root is not None:
            self._outcome = await anyio.to_thread.run_sync(self._read, self._root)

    def _read(self, root: Path) -> _Outcome:
        cache = self.cache.real
        after = manifest_of(root, cache)
        wrote = [real(path) for path in self._named]
        named = [below(root, path) for path in wrote if cache is None or not path.is_relative_to(cache)]
        before = self._before if self._anything else None
        secrets = self._settings.secrets
        files, left = collect(root, [name for name in named if name is not None], before, after, secrets)
        sources = [offered.source for offered in self._usage.offered]
        return _Outcome(
            task=redacted("\n".join(self._prompts).strip(), secrets)[:_MOST_TASK],
            files=[file for file in files if not any(is_copy(file.content, source) for source in sources)],
            left=left,
            verdicts=self._usage.verdicts(files),
            logs=redacted(self._log.text, secrets),
            after=after,
        )

    def failed(self) -> None:
        """The turn failed: nothing of it is sent, and the next success counts from the last."""
        self._outcome = None

    async def succeeded(self) -> SessionReport | None:
        """The turn that stopped last was a success: its files and votes are sent. What can't be is warned of."""
        outcome = self._outcome
        if outcome is None:
            return None
        self._outcome = None
        self._prompts = []
        self._named = {}
        self._anything = False
        self._before = outcome.after
        self._log.clear()
        self._usage.settled()

        async def upload(file: ChangedFile) -> str:
            await called(
                self._settings.client.upload,
                outcome.task or file.path,
                {"path": file.path, "content": file.content},
                True,
                execution_logs=outcome.logs or None,
                public=self._settings.public,
                timeout=_SECONDS,
            )
            return file.path

        async def vote(verdict: tuple[OfferedFile, bool]) -> Vote:
            file, helped = verdict
            cast = self._settings.client.vote_code_snip
            texts = (outcome.task, file.code_block_id, file.filename, file.description)
            await called(cast, *texts, succeeded=helped, timeout=_SECONDS)
            return Vote(file.code_block_id, helped)

        uploaded = await self._each("The session's files could not be uploaded", outcome.files, upload)
        votes = await self._each("The session's votes could not be cast", outcome.verdicts, vote)
        counts = (len(uploaded), len(outcome.left), len(votes))
        self._settings.logger.debug("Session delivered: %d files uploaded, %d left, %d votes", *counts)
        return SessionReport(self._id, outcome.task, self._usage.offered, uploaded, outcome.left, votes)

    async def _each(self, what: str, given: Iterable[Given], send: Callable[[Given], Awaitable[Sent]]) -> list[Sent]:
        """One that is refused says nothing of the next; a service that does not answer does."""
        sent: list[Sent] = []
        for one in given:
            try:
                sent.append(await send(one))
            except Exception as error:  # noqa: BLE001 # whatever it is, the session must go on
                self._settings.warn(what, error)
                if not isinstance(error, ServiceError) or isinstance(error, CacheUnavailableError):
                    break
        return sent
