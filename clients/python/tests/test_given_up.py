"""Calls that their caller gives up, and many at once, in each kind of loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import httpx2
import pytest

from cairn_client import AsyncCairn, FileWritten
from tests.answering import FOUND, status
from tests.cutting import cutting
from tests.snippets import source, unique

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.service import Service

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def client(service: Service) -> AsyncIterator[AsyncCairn]:
    async with AsyncCairn(service.key, service.base_url) as opened:
        yield opened


async def test_an_upload_that_is_given_up_and_sent_again_votes_once(service: Service, client: AsyncCairn) -> None:
    word = unique()

    async def names(word: str) -> list[str]:
        return [match.code_block.name for match in (await client.search(f"read {word}")).matches]

    with cutting(service.port, 1, "silent") as address:
        async with AsyncCairn(service.key, address) as deaf:

            async def upload() -> None:
                file = FileWritten(path=f"{word}.py", content=source(word))
                await deaf.upload(f"read {word}", file, True, user_vote=1, idempotency_key=word)

            with anyio.fail_after(60):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(upload)
                    while word not in await names(word):
                        pass
                    # it is stored, and its answer is lost on the way
                    tasks.cancel_scope.cancel()
            await upload()
    assert (await client.search(f"read {word}")).matches[0].thumbs_up == 1


async def test_a_chat_that_is_given_up_goes_on_and_can_be_asked_again(service: Service, client: AsyncCairn) -> None:
    word = unique()
    await client.upload(f"read {word}", FileWritten(path=f"{word}.py", content=source(word)), True, user_vote=1)

    async def chat(asked: AsyncCairn) -> str | None:
        answer = await asked.chat(f"read {word}", user=word, org="acme", model="local", idempotency_key=word)
        return answer.commit

    async def commits() -> list[str]:
        for workspace in (await client.workspaces.list()).workspaces:
            if workspace.user_id == word:
                return [commit.sha for commit in (await client.workspaces.commits(workspace.workspace_id)).commits]
        return []

    with cutting(service.port, 1, "silent") as address:
        async with AsyncCairn(service.key, address) as deaf:
            with anyio.fail_after(60):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(chat, deaf)
                    while not await commits():
                        pass
                    tasks.cancel_scope.cancel()
            assert [await chat(deaf)] == await commits()


async def test_a_wait_before_the_next_attempt_ends_with_its_caller() -> None:
    asked = anyio.Event()
    answers = [status(503, retry_after="60"), httpx2.Response(200, json=FOUND)]

    def answer(_: httpx2.Request) -> httpx2.Response:
        asked.set()
        return answers.pop(0)

    http = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    async with http, AsyncCairn("k", "http://cairn.test", http_client=http) as waiting:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(waiting.search, "a")
            await asked.wait()
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()
        assert len(answers) == 1
        assert (await waiting.search("a")).total_found == 0


async def test_many_at_once_each_have_their_own_answer(client: AsyncCairn) -> None:
    seen: dict[str, str | None] = {}

    async def vote(word: str) -> None:
        file = FileWritten(path=f"{word}.py", content=source(word))
        answer = await client.with_raw_response.upload(f"read {word}", file, True, user_vote=1)
        assert answer.parse().snippet_name == word
        assert answer.request_id == answer.parse().request_id
        seen[word] = answer.request_id

    words = [unique() for _ in range(20)]
    async with anyio.create_task_group() as tasks:
        for word in words:
            tasks.start_soon(vote, word)
    assert set(seen) == set(words)
    assert len(set(seen.values())) == len(words)


async def test_a_loop_over_events_may_be_left(client: AsyncCairn) -> None:
    word = unique()
    await client.upload(f"read {word}", FileWritten(path=f"{word}.py", content=source(word)), True)
    snippet = (await client.search(f"read {word}")).matches[0].code_block.id
    for _ in range(3):
        await client.vote_code_snip(f"read {word}", snippet, succeeded=True)
    of_snippet = f"snippet-{snippet}"
    first, *rest = [event.position async for event in client.events(stream=of_snippet, limit=2)]
    assert len(rest) > 2, "several pages"
    async for event in client.events(stream=of_snippet, limit=1):
        assert event.position == first
        break
    async for page in client.events(stream=of_snippet, limit=1).pages():
        assert [event.position for event in page.events] == [first]
        break
