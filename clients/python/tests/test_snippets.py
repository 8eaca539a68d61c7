"""Snippets: stored, found, voted on and deleted, against the real service."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import pytest

from cairn_client import (
    AgentVerdict,
    APIError,
    FileWritten,
    LogFile,
    SnipsDesired,
    ValidationError,
    VoteSource,
)

if TYPE_CHECKING:
    from cairn_client import Cairn
    from tests.kinds import Kind
    from tests.service import Service

from tests.snippets import recent, source, stored, unique


def test_an_upload_is_found_as_typed_results(client: Cairn) -> None:
    word = unique()
    answer = client.upload(
        f"read a {word} file",
        FileWritten(path=f"lib/{word}.py", content=source(word)),
        True,
        user_vote=1,
        vote_source=VoteSource.HUMAN,
        vote_count=3,
        execution_logs="read 40 rows",
        dependencies={"requests": "2.32"},
        tags=["files"],
        per_function_reputation=True,
    )
    assert (answer.success, answer.code_blocks_stored, answer.snippet_name) == (True, 1, word)
    assert answer.request_id
    found = client.search(f"read a {word} file", per_function_reputation=True)
    match = found.matches[0]
    assert found.request_id != answer.request_id
    assert (match.filename, match.entrypoint, match.language) == (f"{word}.py", word, "python")
    assert (match.thumbs_up, match.thumbs_down, match.dependencies) == (3, 0, {"requests": "2.32"})
    assert 0 < match.score <= 1
    assert match.functions is not None
    assert match.functions[0].function_name == word
    block = match.code_block
    assert recent(block.created_at)
    assert (block.language_version, block.tags) == (None, ["files"])
    assert block.input_schema["properties"] == {"path": {"type": "string"}}


def test_search_filters(client: Cairn) -> None:
    word = unique()
    stored(client, word)
    task = f"read a {word} file"

    def names(**options: Any) -> list[str]:
        return [match.code_block.name for match in client.search(task, 100, **options).matches]

    assert word in names(input_schema={"type": "object", "properties": {"path": {"type": "string"}}})
    assert word not in names(input_schema={"type": "object", "properties": {"elsewhere": {"type": "integer"}}})
    assert word not in names(result_type="repo")
    assert word not in names(min_human_upvotes=2)
    assert client.search(task, min_verdict_score=0.99).matches == []
    assert len(client.search("read a file", 1).matches) == 1
    assert client.search(task).matches[0].functions is None


def test_votes_count(client: Cairn) -> None:
    word = unique()
    snippet = stored(client, word)
    answer = client.vote_code_snip(f"read a {word} file", snippet, succeeded=False)
    # it may be applied already
    assert (answer.success, type(answer.vote_pending)) == (True, bool)
    match = client.search(f"read a {word} file").matches[0]
    assert (match.thumbs_up, match.thumbs_down) == (1, 1)


def test_used_snippets_get_the_vote_of_the_run(client: Cairn) -> None:
    word = unique()
    snippet = stored(client, word)
    other = unique()
    client.upload(
        "something else",
        {"path": f"{other}.py", "content": source(other)},
        succeeded=True,
        use_service_ai_voting=False,
        cached_code_blocks=[{"code_block_id": snippet}],
    )
    assert client.search(f"read a {word} file").matches[0].thumbs_up == 2


def test_delete_by_name_and_not_twice(client: Cairn) -> None:
    word = unique()
    stored(client, word)
    assert client.delete(word).deleted_count == 1
    with pytest.raises(APIError) as refused:
        client.delete(word)
    assert (refused.value.status_code, refused.value.code) == (404, "not_found/snippet")
    assert refused.value.request_id
    assert refused.value.request_id in str(refused.value)


def test_bulk_upload_and_its_gradings(client: Cairn) -> None:
    first, second = unique(), unique()
    answer = client.upload_bulk_code_snips(
        ["read two files"],
        [FileWritten(path=f"{first}.py", content=source(first)), {"path": f"{second}.py", "content": source(second)}],
        [LogFile.of("run.bin", b"\x00\xff read 3 rows"), {"path": "run.log", "content": "read 3 rows"}],
    )
    assert (answer.code_blocks_stored, answer.votes_queued) == (2, 2)
    assert answer.status_url is not None
    status = client.uploads.status(answer.status_url)
    assert status.status == "pending"
    assert {vote.filename: vote.verdict for vote in status.votes} == {
        f"{first}.py": AgentVerdict.PENDING,
        f"{second}.py": AgentVerdict.PENDING,
    }
    assert client.uploads.status(status.id) == status


def test_bulk_upload_with_votes(client: Cairn) -> None:
    word = unique()
    files: list[FileWritten] = [FileWritten(path=f"lib/{word}.py", content=source(word))]
    answer = client.upload_bulk_code_snips(["read"], files, user_votes={f"{word}.py": -1}, vote_count=2)
    assert (answer.votes_queued, answer.status_url) == (0, None)
    assert client.search(f"read a {word} file", min_verdict_score=0).matches[0].thumbs_down == 2
    with pytest.raises(ValidationError) as refused:
        client.upload_bulk_code_snips(["read"], files, user_votes={"other.py": 1})
    assert refused.value.field == "user_votes.other.py"


def test_a_workspace_keeps_its_snippets(kind: Kind, service: Service, client: Cairn) -> None:
    word = unique()
    customer = client.with_options(workspace_id="customer-1")
    stored(customer, word)
    task = f"read a {word} file"
    only = customer.with_options(snips_desired=SnipsDesired.CLIENT)
    company = customer.with_options(snips_desired="company")
    assert [match.code_block.name for match in only.search(task).matches][:1] == [word]
    assert word not in [match.code_block.name for match in client.search(task).matches]
    assert word not in [match.code_block.name for match in company.search(task).matches]
    assert client.search(task, workspace_id="customer-1").matches[0].code_block.name == word
    with pytest.raises(APIError) as missing:
        client.delete(word)
    assert missing.value.status_code == 404
    assert client.delete(word, workspace_id="customer-1").success


def test_an_agents_snippets(client: Cairn) -> None:
    word = unique()
    agent = client.with_options(agent_id=f"agent-{word}")
    stored(agent, word)
    assert agent.search(f"read a {word} file").matches[0].agent_id == f"agent-{word}"
    other = client.with_options(agent_id="another-agent").search(f"read a {word} file")
    assert word not in [match.code_block.name for match in other.matches]


def test_an_idempotency_key_repeats_the_answer(client: Cairn) -> None:
    word = unique()
    snippet = stored(client, word)
    key = str(uuid.uuid4())
    for _ in range(3):
        client.vote_code_snip("read", snippet, succeeded=True, idempotency_key=key)
    assert client.search(f"read a {word} file").matches[0].thumbs_up == 2
    with pytest.raises(APIError) as reused:
        client.vote_code_snip("write", snippet, succeeded=True, idempotency_key=key, max_retries=0)
    assert (reused.value.status_code, reused.value.code) == (409, "conflict/idempotency_key_reused")


def test_raw_responses(client: Cairn) -> None:
    word = unique()
    raw = client.with_raw_response
    upload = raw.upload("read", {"path": f"{word}.py", "content": source(word)}, True, user_vote=1)
    assert int(upload.headers["cairn-position"]) > 0
    assert upload.status_code == 200
    assert upload.request_id == upload.parse().request_id
    assert upload.http_response.json()["snippet_name"] == upload.parse().snippet_name == word
    chat = raw.chat(f"read a {word} file", user=word, org="acme", model="local").parse()
    workspace = str(chat.workspace_id)
    assert raw.workspaces.file(workspace, f"{word}.py").headers["x-content-type-options"] == "nosniff"
    assert raw.keys.list().parse().keys
    assert raw.get_code_files(f"read a {word} file").parse().files[0].filename == f"{word}.py"


def test_public_snippets(client: Cairn) -> None:
    word = unique()
    stored(client, word, public=True)
    assert "public" in client.with_options(public_snips=True).search(f"read a {word} file").search_namespaces
    assert "public" not in client.search(f"read a {word} file").search_namespaces
