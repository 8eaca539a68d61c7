"""What a session's hooks do for Cairn."""

from __future__ import annotations

import logging
import os
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from cairn_client._logs import NAME, default_logger
from cairn_client.agent._screen import secrets_of
from cairn_client.agent._sdk import require_sdk
from cairn_client.agent._session import Session, SessionReport, SessionSettings
from cairn_client.errors import ServiceError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from claude_agent_sdk import HookMatcher
    from claude_agent_sdk.types import HookEvent as HookName

    from cairn_client import AsyncCairn, Cairn
    from cairn_client.agent._events import HookEvent

_MOST_SESSIONS = 32
"""That are kept: the SDK doesn't tell hooks of each session's end.

Beyond that those at rest are forgotten, then those whose last turn failed, and begin anew when they speak again.
"""

_MOST_AT_ONCE = 1_000
"""The same of all, whatever they do: a turn that was left may never end."""

_LONGEST_SILENCE = 20
"""Minutes after which a turn without an event counts as left, if there are more sessions than are kept.

The model and a command have ten each, unless the user says otherwise.
"""

Hook: TypeAlias = "Callable[[HookEvent, str | None, object], Awaitable[dict[str, Any]]]"


def _logger(given: logging.Logger | None, debug: bool) -> logging.Logger:
    if given is not None:
        return given
    default_logger()
    logger = logging.getLogger(f"{NAME}.agent")
    if debug:
        logger.setLevel(logging.DEBUG)
        if not logger.hasHandlers():
            logger.addHandler(logging.StreamHandler(sys.stderr))
    return logger


def _reason(error: Exception) -> str:
    known = isinstance(error, ServiceError) and error.code
    return f"{type(error).__name__}: {known}" if known else f"{type(error).__name__}: {error}"


@dataclass(frozen=True)
class HookOptions:
    """What hooks may be told."""

    cache_dir: str | os.PathLike[str] | None = None
    public: bool = False
    logger: logging.Logger | None = None
    debug: bool = False
    env: Mapping[str, str] | None = None
    on_report: Callable[[SessionReport], object] | None = None


class Warnings:
    """Tells of trouble once; of more at debug level."""

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._given = False

    def __call__(self, what: str, error: Exception) -> None:
        level = logging.DEBUG if self._given else logging.WARNING
        self._given = True
        self._logger.log(level, "%s; the session goes on without (%s)", what, _reason(error))


class Observer:
    """Follows sessions by their hooks.

    `deliver`: at a turn's normal end, or only when its result is known, which hooks can't see.
    """

    def __init__(self, client: Cairn | AsyncCairn, options: HookOptions, deliver: Literal["stop", "result"]) -> None:
        logger = _logger(options.logger, options.debug)
        self._warn = Warnings(logger)
        self._on_report = options.on_report
        self._deliver = deliver
        self._sessions: dict[str, Session] = {}
        self._crowded = False
        self._settings = SessionSettings(
            client=client,
            logger=logger,
            cache_dir=options.cache_dir,
            public=options.public,
            secrets=secrets_of({**os.environ, **(options.env or {})}),
            warn=self._warn,
        )

    def _session(self, event: HookEvent) -> Session:
        name = str(event["session_id"])
        # the one that was longest without an event comes first
        session = self._sessions.pop(name, None)
        if session is None:
            self._make_room()
            session = Session(name, self._settings)
        session.heard = time.monotonic()
        self._sessions[name] = session
        return session

    def _make_room(self) -> None:
        if len(self._sessions) < _MOST_SESSIONS:
            return
        resting = [name for name, session in self._sessions.items() if session.rests]
        failed = [name for name, session in self._sessions.items() if session.has_failed and not session.rests]
        for name in [*resting, *failed][: self._too_many]:
            self._sessions.pop(name).cache.close()
        since = time.monotonic() - _LONGEST_SILENCE * 60
        left = [name for name, session in self._sessions.items() if session.heard <= since]
        for name in left[: self._too_many]:
            self._give_up(name, _MOST_SESSIONS, f"one without an event for {_LONGEST_SILENCE} minutes")
        if len(self._sessions) >= _MOST_AT_ONCE:
            self._give_up(next(iter(self._sessions)), _MOST_AT_ONCE, "the one longest without an event")

    @property
    def _too_many(self) -> int:
        return max(0, len(self._sessions) - _MOST_SESSIONS + 1)

    def _give_up(self, name: str, most: int, which: str) -> None:
        line = "More than %d sessions are under way; %s is given up"
        self._settings.logger.log(logging.DEBUG if self._crowded else logging.WARNING, line, most, which)
        self._crowded = True
        self._sessions.pop(name).cache.close()

    async def _prompted(self, event: HookEvent) -> dict[str, Any]:
        context = await self._session(event).prompted(event)
        if not context:
            return {}
        return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}

    async def _asked(self, event: HookEvent) -> dict[str, Any]:
        # the cache folder lies outside of the session's own, where reading has to be allowed
        if not self._session(event).may_read(event):
            return {}
        leave = {
            "permissionDecision": "allow",
            "permissionDecisionReason": "a snippet that was offered to this session",
        }
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **leave}}

    async def _used(self, event: HookEvent) -> dict[str, Any]:
        self._session(event).used(event, event["hook_event_name"] == "PostToolUse")
        return {}

    async def _stopped(self, event: HookEvent) -> dict[str, Any]:
        session = self._session(event)
        await session.stopped(event)
        if self._deliver == "stop":
            await self._delivered(session)
        return {}

    async def _failed(self, event: HookEvent) -> dict[str, Any]:
        # the result of an earlier turn may not have been taken up yet
        if self._deliver == "stop":
            self._session(event).failed()
        return {}

    async def _ended(self, event: HookEvent) -> dict[str, Any]:
        # a session whose results decide ends with them: the last one may not have been heard yet
        session = self._sessions.pop(str(event["session_id"]), None) if self._deliver == "stop" else None
        if session is not None:
            session.cache.close()
        return {}

    async def _delivered(self, session: Session) -> None:
        report = await session.succeeded()
        if report is not None and self._on_report is not None:
            self._on_report(report)

    async def result(self, session_id: str, succeeded: bool) -> None:
        """The result of a turn."""
        session = self._sessions.get(session_id)
        if session is None:
            return
        try:
            if succeeded:
                await self._delivered(session)
            else:
                session.failed()
        except Exception as error:  # noqa: BLE001 # whatever it is, the session must go on
            self._warn("The session's result could not be taken up", error)

    def close(self) -> None:
        """Forgets all sessions."""
        for session in self._sessions.values():
            session.cache.close()
        self._sessions.clear()

    def callbacks(self) -> dict[str, tuple[str | None, Hook]]:
        """Event to the tool that it is about, if only one, and what is done then, which raises nothing."""

        def contained(run: Callable[[HookEvent], Awaitable[dict[str, Any]]]) -> Hook:
            async def hook(event: HookEvent, _tool_use_id: str | None, _context: object) -> dict[str, Any]:
                try:
                    return await run(event)
                except Exception as error:  # noqa: BLE001 # whatever it is, it must not reach the agent
                    self._warn("A hook of the session failed", error)
                    return {}

            return hook

        return {
            "UserPromptSubmit": (None, contained(self._prompted)),
            "PreToolUse": ("Read", contained(self._asked)),
            "PostToolUse": (None, contained(self._used)),
            "PostToolUseFailure": (None, contained(self._used)),
            "Stop": (None, contained(self._stopped)),
            # the program knows these, and the SDK passes them on, though its types don't name them
            "StopFailure": (None, contained(self._failed)),
            "SessionEnd": (None, contained(self._ended)),
        }

    def hooks(self) -> dict[HookName, list[HookMatcher]]:
        """For the option `hooks` of `ClaudeAgentOptions`."""
        require_sdk()
        from claude_agent_sdk import HookMatcher

        return cast(
            "dict[HookName, list[HookMatcher]]",
            {
                event: [HookMatcher(matcher=tool, hooks=[cast("Any", hook)])]
                for event, (tool, hook) in self.callbacks().items()
            },
        )


def cairn_hooks(
    client: Cairn | AsyncCairn,
    *,
    cache_dir: str | os.PathLike[str] | None = None,
    public: bool = False,
    logger: logging.Logger | None = None,
    debug: bool = False,
    env: Mapping[str, str] | None = None,
    on_report: Callable[[SessionReport], object] | None = None,
) -> dict[HookName, list[HookMatcher]]:
    """Hooks that give an agent session of your own what `CairnAgent` gives: `ClaudeAgentOptions(hooks=cairn_hooks(…))`.

    Each prompt is searched for and what is found offered to the model; at the normal end of each turn the files that it
    made are uploaded, and the snippets that it used are voted on. Nothing that fails here reaches the session: the
    first trouble is a warning, more of it is logged at debug level.

    Args:
        client: searches, uploads and votes. An `AsyncCairn`, or a `Cairn`, which then works in threads.
        cache_dir: the folder for offered files. Unless given, a new temporary one for each session, removed with it, or
            with the hooks or the program, since the SDK doesn't tell hooks of each session's end. 32 sessions are kept,
            and more while their turns are under way or to be taken up: when another begins, those at rest make room,
            then those whose last turn failed, each time the one longest without an event first. Its folder goes, and it
            begins anew if it goes on. So do, with one warning, those that were without an event for twenty minutes, and
            of more than 1,000 the one longest without, whatever it does. In a folder of yours only files that the
            session wrote are replaced.
        public: whether everybody may find what is uploaded; the service refuses files with secrets.
        logger: where warnings go, else `cairn_client.agent`.
        debug: logs what is offered and delivered too, to stderr unless logging is set up.
        env: the session's own variables; values of secret ones are never sent, nor are the process's.
        on_report: hears of each success, after its files and votes were sent.

    Raises:
        ImportError: `claude-agent-sdk` is not installed.

    """
    return Observer(client, HookOptions(cache_dir, public, logger, debug, env, on_report), "stop").hooks()
