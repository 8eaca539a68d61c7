"""Programs of somebody who has installed the package."""

from __future__ import annotations

PROGRAM = """
import cairn_client, cairn_client.agent, cairn_client.compat, cairn_client.compat.types, cairn_client.resources
import importlib.metadata as metadata
assert metadata.version("cairn-client") == cairn_client.__version__
assert "site-packages" in cairn_client.__file__
client = cairn_client.Cairn("k")
client.close()
print("fine")
"""

USE = """from __future__ import annotations

from datetime import datetime

from cairn_client import AsyncCairn, Cairn, FileWritten, LogFile, RateLimitError, ServiceError, ValidationError
from cairn_client.agent import CairnAgent, SessionReport, agent_function, cairn_hooks, publish_functions, query
from cairn_client.compat import AsyncRaySurfer, RaySurfer, agent_accessible, to_anthropic_tool
from cairn_client.types import CommitList, RecordedEvent


def use(client: Cairn, old: RaySurfer) -> datetime | None:
    try:
        stored = client.upload("t", FileWritten(path="a.py", content="x"), True, user_vote=1)
        client.upload("t", {"path": "a.py", "content": "x"}, True, timeout=5, idempotency_key="k")
        logs = [LogFile.of("a", b"b"), LogFile(path="b", content="c")]
        client.upload_bulk_code_snips(["p"], [{"path": "a", "content": "b"}], logs)
        client.upload_bulk_code_snips(["p"], [], [{"path": "a", "content": b"c"}])
    except ValidationError as error:
        print(error.field, [one.message for one in error.errors])
    except RateLimitError as error:
        print(error.retry_after)
    except ServiceError as error:
        print(error.code, error.status_code)
    else:
        print(stored.status_url)
    score: float = client.with_raw_response.search("a", top_k=3, timeout=2).parse().matches[0].score
    commits: CommitList = client.workspaces.commits("w", limit=3)
    for event in client.events(type="VoteCast"):
        print(event.recorded_at.year, score, commits.commits[0].sha)
    with client.with_options(timeout=None, workspace_id="w") as other:
        other.delete("x")
    return old.search("a").matches[0].code_block.created_at


async def use_async(client: AsyncCairn, old: AsyncRaySurfer) -> str:
    events: list[RecordedEvent] = [event async for event in client.events()]
    async for page in client.events().pages():
        events += page.events
    found = await client.with_raw_response.workspaces.file("w", "f")
    data: bytes = found.parse()
    reports: list[SessionReport] = []
    async with CairnAgent(workspace_id="w", on_report=reports.append) as agent:
        await agent.query("x")
        async for message in agent.receive_response():
            print(message, data)
    async for message in query("x", client=client):
        print(message)
    cairn_hooks(client)
    names: list[str] = await publish_functions(client, [double, triple])
    print(names, (await old.chat("q", user="u", org="o")).output)
    return (await client.keys.create("a@b.c", "laptop")).key


@agent_accessible("Doubles.")
def double(number: int) -> int:
    return number * 2


@agent_function("Triples.")
async def triple(number: int) -> int:
    return number * 3


print(to_anthropic_tool(double)["name"], double(2) + 1)
"""

MISUSE = """from cairn_client import AsyncCairn, Cairn
from cairn_client.compat import agent_accessible


@agent_accessible("Doubles.")
def double(number: int) -> int:
    return number * 2


wrong: str = double(1)
Cairn(nothing=1)
Cairn().search("a", retries=3)
Cairn().upload("a", {"path": "a"}, True)
text: str = Cairn().search("a").total_found
number: int = AsyncCairn().search("a")
"""

MISUSES = [10, 11, 12, 13, 14, 15]
"""The lines that a type checker refuses."""
