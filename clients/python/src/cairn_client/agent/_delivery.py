"""Sends what a success of a session made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import anyio

from cairn_client._deadline import within
from cairn_client.agent._offer import called
from cairn_client.agent._usage import Verdict, Vote
from cairn_client.errors import APIError, ValidationError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from cairn_client import AsyncCairn, Cairn
    from cairn_client.agent._collect import ChangedFile

T = TypeVar("T")

_MOST_OF_ONE = 5.0
_MOST_OF_ALL = 20.0
"""Seconds that one upload or vote, and all of a success, may hold up the session: who is slow is not waited for."""


@dataclass(frozen=True)
class Parcel:
    """What a success is to send."""

    task: str
    files: list[tuple[ChangedFile, str]]
    """Each with its execution logs."""
    verdicts: list[Verdict]
    public: bool
    """Whether everybody may find the files."""


@dataclass
class Delivered:
    """What arrived."""

    uploaded: list[str] = field(default_factory=list)
    votes: list[Vote] = field(default_factory=list)


async def deliver(client: Cairn | AsyncCairn, parcel: Parcel, warn: Callable[[str, Exception], None]) -> Delivered:
    """Sends a success's files, then its votes.

    What the service refuses says nothing of the next; when it does not answer, or takes nothing of this client's,
    nothing more is sent. Never fails: `warn` hears of trouble.
    """
    ends = anyio.current_time() + _MOST_OF_ALL
    # a thread that is no longer waited for must end, too
    hurried = {"timeout": _MOST_OF_ONE, "max_retries": 1}
    delivered = Delivered()
    closed = False

    async def send_each(what: str, those: Sequence[T], send: Callable[[T], Awaitable[None]]) -> None:
        nonlocal closed
        for one in those:
            if closed:
                return
            try:
                seconds = min(_MOST_OF_ONE, max(0.0, ends - anyio.current_time()))
                with anyio.fail_after(seconds), within(seconds):
                    await send(one)
            except Exception as error:  # noqa: BLE001 # whatever it is, the session must go on
                warn(what, error)
                closed = not isinstance(error, APIError | ValidationError)

    async def upload(one: tuple[ChangedFile, str]) -> None:
        file, logs = one
        await called(
            client.upload,
            parcel.task or file.path,
            {"path": file.path, "content": file.content},
            True,
            execution_logs=logs or None,
            public=parcel.public,
            **hurried,
        )
        delivered.uploaded.append(file.path)

    async def vote(verdict: Verdict) -> None:
        file, succeeded = verdict
        texts = (parcel.task, file.code_block_id, file.filename, file.description)
        await called(client.vote_code_snip, *texts, succeeded=succeeded, vote_source="ai", **hurried)
        delivered.votes.append(Vote(file.code_block_id, succeeded))

    await send_each("The session's files could not be uploaded", parcel.files, upload)
    await send_each("The session's votes could not be cast", parcel.verdicts, vote)
    return delivered
