"""The hooks in sessions that are started with the agent SDK itself, and by `query`."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import anyio
import pytest

from cairn_client import AsyncCairn, Cairn
from cairn_client.agent import CairnAgent, Vote, cairn_hooks, query
from tests.agent.session.world import SEARCH, TASK, World, drained, sdk, succeeded
from tests.agent.stand_in import DONE, Model, calls, model, offered_path, shown
from tests.long import at_night


@pytest.mark.parametrize("kind", [Cairn, AsyncCairn])
def test_the_hooks_do_the_same_in_a_client_of_ones_own(world: World, kind: type) -> None:
    block = world.store()
    (world.folder / "a.txt").write_text("one two three\n")
    seen: list[str] = []

    async def own(event: Any, *_: object) -> dict[str, Any]:
        seen.append(event["tool_name"])
        return {}

    async def session(api: Model) -> bool:
        client = kind(world.service.key, world.service.base_url, workspace_id=world.workspace, snips_desired="client")
        hooks = cairn_hooks(client, on_report=world.reports.append)
        hooks["PostToolUse"] = [sdk.HookMatcher(hooks=[own]), *hooks["PostToolUse"]]
        async with sdk.ClaudeSDKClient(world.options(api, hooks=hooks)) as agent:
            await agent.query(TASK)
            messages = await drained(agent.receive_response())
        closed = client.close()
        if closed is not None:
            await closed
        return succeeded(messages)

    with model(
        lambda body: calls("Bash", command=f"python3 {offered_path(body, 'count_words.py')} a.txt"),
        calls("Write", file_path=str(world.folder / "new.py"), content="print('a new thing of this session')\n"),
    ) as api:
        assert anyio.run(session, api, backend=world.backend)
    [report] = world.reports
    assert (report.uploaded, report.votes) == (["new.py"], [Vote(block, True)])
    assert seen == ["Bash", "Write"]
    gc.collect()
    assert not Path(report.offered[0].path).parent.exists(), "the cache folder goes with the hooks"


@pytest.mark.parametrize(
    ("second", "more"), [({"status": 401}, {}), pytest.param(DONE, {"max_turns": 1}, marks=at_night)]
)
def test_the_hooks_leave_nothing_of_a_failed_turn(world: World, second: Any, more: Any) -> None:
    world.store()

    async def session(api: Model) -> bool:
        client = world.client()
        hooks = cairn_hooks(client, on_report=world.reports.append)
        messages = await drained(sdk.query(prompt=TASK, options=world.options(api, hooks=hooks, **more)))
        await client._transport.http.aclose()
        return succeeded(messages)

    with model(lambda body: calls("Bash", command=f"python3 {offered_path(body, 'count_words.py')}"), second) as api:
        assert not anyio.run(session, api, backend=world.backend)
    assert world.sent == [SEARCH]
    assert world.reports == []


def test_query_is_one_session(world: World) -> None:
    world.store()
    client = world.client()

    async def session(api: Model) -> bool:
        messages = await drained(query(TASK, world.options(api), client=client, on_report=world.reports.append))
        await client._transport.http.aclose()
        return succeeded(messages)

    with model(
        calls("Write", file_path=str(world.folder / "new.py"), content="print('a new thing of a query')\n")
    ) as api:
        assert anyio.run(session, api, backend=world.backend)
        assert "count_words.py" in shown(api.requests[0])
    [report] = world.reports
    assert report.uploaded == ["new.py"]
    assert not Path(report.offered[0].path).parent.exists()


@pytest.mark.parametrize(
    ("started", "given"),
    [
        ("agent", False),
        ("query", True),
        pytest.param("agent", True, marks=at_night),
        pytest.param("query", False, marks=at_night),
    ],
)
def test_a_session_is_of_the_workspace_that_it_is_given(
    world: World, monkeypatch: pytest.MonkeyPatch, started: str, given: bool
) -> None:
    """Instead of its client's, and of none where it has no client of the caller's."""
    monkeypatch.setenv("CAIRN_API_KEY", world.service.key)
    monkeypatch.setenv("CAIRN_BASE_URL", world.service.base_url)
    customer = f"{world.workspace}-customer"
    source = f"def of_the_customer():\n    return {started!r}, {given}\n"

    async def session(api: Model) -> bool:
        client = world.client() if given else None
        if started == "query":
            messages = await drained(query(TASK, world.options(api), workspace_id=customer, client=client))
        else:
            async with CairnAgent(world.options(api), customer, client=client) as agent:
                await agent.query(TASK)
                messages = await drained(agent.receive_response())
        if client is not None:
            await client._transport.http.aclose()
        return succeeded(messages)

    def found(workspace: str) -> list[str]:
        with Cairn(world.service.key, world.service.base_url, workspace_id=workspace, snips_desired="client") as client:
            return [match.code_block.source for match in client.search(TASK, 20, 0.0).matches]

    with model(calls("Write", file_path=str(world.folder / "new.py"), content=source)) as api:
        assert anyio.run(session, api, backend=world.backend)
    assert found(customer) == [source]
    assert found(world.workspace) == []
