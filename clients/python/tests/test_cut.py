"""Connections that end, to the real service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pytest

from cairn_client import CacheUnavailableError
from tests.cutting import cutting
from tests.kinds import Blocking, timed
from tests.service import free_port
from tests.snippets import source, stored, unique

if TYPE_CHECKING:
    from cairn_client import Cairn
    from tests.kinds import Kind
    from tests.service import Service


def hasty(kind: Kind, key: str, address: str) -> tuple[Cairn, list[float]]:
    """A client that notes its waits and does not wait."""
    client = kind.cairn(key, address)
    waits: list[float] = []
    inner: Any = client._inner if isinstance(client, Blocking) else client
    inner._begin(timed(client, waits), owned=True)
    return client, waits


@pytest.mark.parametrize("how", ["before", "within"])
def test_a_chat_that_is_sent_again_runs_once(
    kind: Kind, service: Service, client: Cairn, how: Literal["before", "within"]
) -> None:
    word, user = unique(), unique()
    stored(client, word)
    with cutting(service.port, 2, how) as address:
        cut, waits = hasty(kind, service.key, address)
        answer = cut.chat(f"read a {word} file", user=user, org="acme", model="local")
    assert len(waits) == 2
    assert answer.changed_files == [f"{word}.py"]
    workspace = str(answer.workspace_id)
    assert [commit.sha for commit in client.workspaces.commits(workspace).commits] == [answer.commit]
    types = [event.type for event in client.events(stream=f"chat-{answer.session_id}")]
    assert types.count("ChatRequested") == 1
    runs = [event.type for event in client.events(stream=f"workspace-{workspace}")]
    assert runs.count("ChatCompleted") == 1


def test_a_chat_that_is_sent_again_after_a_timeout_runs_once(kind: Kind, service: Service, client: Cairn) -> None:
    word, user = unique(), unique()
    stored(client, word)
    with cutting(service.port, 1, "silent") as address:
        cut, waits = hasty(kind, service.key, address)
        answer = cut.chat(f"read a {word} file", user=user, org="acme", model="local", timeout=0.5, max_retries=100)
    assert waits
    assert [commit.sha for commit in client.workspaces.commits(str(answer.workspace_id)).commits] == [answer.commit]


@pytest.mark.parametrize("how", ["before", "within"])
def test_an_upload_that_is_sent_again_votes_once(
    kind: Kind, service: Service, client: Cairn, how: Literal["before", "within"]
) -> None:
    word = unique()
    with cutting(service.port, 1, how) as address:
        cut, waits = hasty(kind, service.key, address)
        answer = cut.upload(f"read {word}", {"path": f"{word}.py", "content": source(word)}, True, user_vote=1)
    assert (len(waits), answer.code_blocks_stored) == (1, 1)
    assert client.search(f"read {word}").matches[0].thumbs_up == 1


def test_a_wire_that_is_always_cut(kind: Kind, service: Service) -> None:
    with cutting(service.port, 99, "within") as address:
        cut, waits = hasty(kind, service.key, address)
        with pytest.raises(CacheUnavailableError, match="3 times"):
            cut.search("anything")
    assert len(waits) == 2


def test_nobody_listens(kind: Kind) -> None:
    client, waits = hasty(kind, "cairn_live_x", f"http://127.0.0.1:{free_port()}")
    with pytest.raises(CacheUnavailableError, match="Check base_url"):
        client.search("anything")
    assert len(waits) == 2
