"""A program as users write it. It is only type-checked: each `type: ignore` stands where a mistake must be found."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING, Unpack, assert_type

import httpx2

from cairn_client import (
    AgentVerdict,
    APIError,
    AsyncCairn,
    Cairn,
    CallOptions,
    CodeFilesResponse,
    FileWritten,
    LogFile,
    RateLimitError,
    RawResponse,
    SearchMatch,
    SearchResponse,
    ServiceError,
    SnipsDesired,
    ValidationError,
    VoteSource,
)
from cairn_client.types import CreatedKey, EventsPage, RecordedEvent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

CSV = {"properties": {"path": {"type": "string"}}}


class Mine(Cairn):
    """Somebody's own client."""


def construction() -> None:
    timeout = httpx2.Timeout(60, connect=5)
    client = Cairn("k", httpx2.URL("http://cairn.test"), timeout=timeout, http_client=httpx2.Client())
    assert_type(client.with_options(timeout=5, snips_desired=SnipsDesired.COMPANY), Cairn)
    assert_type(Mine().with_options(snips_desired="client", workspace_id="w"), Mine)
    with Cairn() as opened:
        assert_type(opened, Cairn)
    Cairn(http_client=httpx2.AsyncClient())  # type: ignore[arg-type]
    Cairn(nothing=1)  # type: ignore[call-arg]
    client.with_options(retries=1)  # type: ignore[call-arg]


def results(client: Cairn) -> None:
    found = client.search("a", 5, 0.3, prefer_complete=True, input_schema=CSV, timeout=2, max_retries=None)
    assert_type(found, SearchResponse)
    assert_type(found.matches, list[SearchMatch])
    assert_type(found.matches[0].code_block.created_at, datetime | None)
    assert_type(found.request_id, str | None)
    assert_type(client.get_code_files("a", cache_dir=".cairn"), CodeFilesResponse)
    assert_type(client.get_code_files("a").files[0].path, str | None)
    assert_type(client.workspaces.file("w", "a.py"), bytes)
    assert_type(client.uploads.status("i").votes[0].verdict, AgentVerdict | None)
    found.matches[0].code_block.created_at.year  # type: ignore[union-attr] # noqa: B018


def raw(client: Cairn) -> None:
    answer = client.with_raw_response.search("a", top_k=3)
    assert_type(answer, RawResponse[SearchResponse])
    assert_type(answer.parse().matches[0].score, float)
    assert_type(answer.headers, httpx2.Headers)
    assert_type(client.with_raw_response.keys.create("a@b.c", "laptop").parse(), CreatedKey)
    client.with_raw_response.search("a", topk=3)  # type: ignore[call-arg]


def pages(client: Cairn) -> None:
    for event in client.events(type="VoteCast"):
        assert_type(event, RecordedEvent)
    events: Iterator[RecordedEvent] = iter(client.events())
    assert_type(next(events), RecordedEvent)
    assert_type(next(client.events().pages()), EventsPage)


def uploads(client: Cairn) -> None:
    file = FileWritten(path="a.py", content="x = 1")
    client.upload("t", file, True, user_vote=1, vote_source=VoteSource.HUMAN)
    client.upload("t", {"path": "a.py", "content": "x = 1"}, succeeded=False, vote_source="ai")
    client.upload_bulk_code_snips(["t"], [file], [{"path": "a", "content": b"x"}, LogFile.of("b", b"x")])
    client.upload("t", {"path": "a.py"}, True)  # type: ignore[arg-type]
    client.upload("t", file, True, user_vote=2)  # type: ignore[arg-type]
    client.upload_bulk_code_snips(["t"], [file], user_votes={"a.py": 2})  # type: ignore[dict-item]


def wrapped(client: Cairn, task: str, **options: Unpack[CallOptions]) -> SearchResponse:
    return client.search(task, **options)


def mistakes(client: Cairn, asynchronous: AsyncCairn) -> None:
    client.search("a", topk=3)  # type: ignore[call-arg]
    client.search("a", timeout="3")  # type: ignore[arg-type]
    client.search(top_k=3)  # type: ignore[call-arg]
    client.chat("a", "u", "o")  # type: ignore[call-arg]
    client.keys.create("a@b.c", "laptop", role="owner")  # type: ignore[arg-type]
    client.search("a").matchs  # type: ignore[attr-defined] # noqa: B018
    asynchronous.search("a").matches  # type: ignore[attr-defined] # noqa: B018


def errors(client: Cairn) -> None:
    try:
        client.delete("a")
    except RateLimitError as error:
        assert_type(error.retry_after, int | None)
    except APIError as error:
        assert_type(error.status_code, int)
    except ValidationError as error:
        assert_type(error.field, str | None)
    except ServiceError as error:
        assert_type(error.status_code, int | None)
        assert_type(error.code, str | None)


async def asynchronously() -> None:
    async with AsyncCairn(http_client=httpx2.AsyncClient()) as client:
        assert_type(client, AsyncCairn)
        assert_type(await client.search("a", timeout=None), SearchResponse)
        assert_type(await client.with_raw_response.search("a"), RawResponse[SearchResponse])
        async for event in client.events():
            assert_type(event, RecordedEvent)
        async for page in client.events().pages():
            assert_type(page, EventsPage)
        events: AsyncIterator[RecordedEvent] = aiter(client.events())
        assert_type(await anext(events), RecordedEvent)
        found, answer = await asyncio.gather(client.search("a"), client.chat("b", user="u", org="o"))
        assert_type(found, SearchResponse)
        assert_type(answer.changed_files, list[str])
