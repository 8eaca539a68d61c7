"""What the service has besides search, upload, vote and chat, against the real one."""

from __future__ import annotations

import io
import json
import uuid
import zipfile
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from cairn_client import AgentVerdict, APIError, AuthenticationError, ValidationError
from tests.answering import Answers
from tests.snippets import recent, unique

if TYPE_CHECKING:
    from collections.abc import Callable

    from cairn_client import Cairn
    from tests.kinds import Kind
    from tests.service import Service


def refused(call: Callable[..., object], *args: Any, **named: Any) -> APIError:
    with pytest.raises(APIError) as error:
        call(*args, **named)
    return error.value


def created(client: Cairn, word: str, **more: Any) -> str:
    source = f"def {word}(path):\n    return open(path).read().split()\n"
    answer = client.snippets.create(word, source, word, "python", description=f"Reads {word} files.", **more)
    assert answer.embedding_id == answer.code_block_id
    return answer.code_block_id


def test_a_described_snippet(client: Cairn) -> None:
    word = unique()
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    more = {"tags": ["rivers"], "dependencies": ["requests"], "example_queries": [f"how high is {word}"]}
    snippet = created(client, word, input_schema=schema, **more)
    comment = client.snippets.comment(snippet, "Works on lakes, too.").comment
    [match, *_] = client.search(f"how high is {word}").matches
    block = match.code_block
    assert (block.id, block.input_schema, block.tags) == (snippet, schema, ["rivers"])
    assert block.dependencies == {"requests": ""}
    assert match.comments == [comment]
    assert (comment.email, comment.text) == ("owner@cairn.local", "Works on lakes, too.")
    assert f"def {word}" in client.snippets.markdown(snippet)
    raw = client.with_raw_response.snippets.markdown(snippet)
    assert raw.request_id
    assert f"def {word}" in raw.parse()
    assert refused(client.snippets.markdown, str(uuid.uuid4())).code == "not_found/snippet"
    assert refused(client.snippets.comment, str(uuid.uuid4()), "?").code == "not_found/snippet"


def test_public_snippets_need_no_key(kind: Kind, service: Service, client: Cairn) -> None:
    word = unique()
    snippet = created(client, word, public=True)
    nobody = kind.cairn(None, service.base_url)
    newest = nobody.snippets.list_public(sort_by="recent", limit=1)
    assert (newest.snippets[0].id, newest.snippets[0].namespace) == (snippet, "community")
    assert newest.total >= 1
    assert recent(newest.snippets[0].created_at)
    found = nobody.snippets.search_public(word, language="python")
    assert (found.snippets[0].id, found.query) == (snippet, word)
    with pytest.raises(AuthenticationError):
        nobody.snippets.markdown(snippet)
    client.delete(snippet)


def test_a_repository(client: Cairn) -> None:
    word = unique()
    files = [
        {"path": "README.md", "content": f"# {word}\n\nMelts {word}."},
        {"path": "src/melt.py", "content": f"def melt_{word}(ice):\n    return 0\n"},
    ]
    stored = client.repos.upload(f"melt {word}", files, tags=["ice"])  # type: ignore[arg-type]
    match = client.search(f"melt {word}", result_type="repo").matches[0]
    assert (match.code_block.id, match.file_count) == (stored.repo_id, 2)
    repo = client.repos.get(str(match.download_url))
    assert [file.model_dump() for file in repo.files] == files
    assert client.repos.get(stored.repo_id) == repo
    client.delete(stored.repo_id)
    assert refused(client.repos.get, stored.repo_id).code == "not_found/repo"


def test_runs_become_patterns_and_examples(client: Cairn) -> None:
    word = unique()
    snippet = created(client, word)
    task, given = f"read the {word} of May", {"path": "may.csv"}
    run = client.executions.record(snippet, task, given, ["rain"], duration_ms=12, verdict=AgentVerdict.THUMBS_UP)
    assert run.pattern_updated
    client.executions.record(
        snippet, task, given, None, execution_state="errored", error_message="no file", error_type="OSError"
    )
    found = client.executions.list(code_block_id=snippet, verdict="thumbs_up", limit=5)
    assert found.total_found == 1
    [record] = found.executions
    assert (record.id, record.execution_state, record.duration_ms) == (run.execution_id, "completed", 12)
    assert (record.io.input_data, record.io.output_data, record.io.output_type) == (given, ["rain"], "array")
    assert recent(record.timestamp)
    assert {one.code_block_id for one in client.executions.list(task=task, limit=2).executions} == {snippet}

    # this service has no model
    review = client.executions.review(run.execution_id)
    assert (review.success, review.review.verdict) == (False, "pending")
    assert refused(client.executions.review, str(uuid.uuid4())).code == "not_found/execution"

    [pattern] = client.patterns.list(code_block_id=snippet, min_thumbs_up=1, top_k=3).patterns
    assert (pattern.task_pattern, pattern.code_block_name, pattern.thumbs_up) == (task, word, 1)
    assert recent(pattern.last_thumbs_up)
    [example] = client.patterns.examples(task, k=1).examples
    assert (example.input_sample, example.output_sample) == (given, ["rain"])


def test_logs_and_functions(client: Cairn) -> None:
    word = unique()
    client.upload(
        f"measure {word}",
        {"path": f"{word}.py", "content": f"def depth_{word}(cm):\n    return cm / 100\n"},
        True,
        use_service_ai_voting=False,
        per_function_reputation=True,
        execution_logs=f"the {word} was measured",
    )
    logs = client.logs.search(word, language="python")
    assert logs.total_found >= 1
    match = logs.matches[0]
    assert (match.triggering_query, recent(match.created_at)) == (f"measure {word}", True)
    assert f"the {word} was measured" in match.preview
    functions = client.search(f"measure {word}", per_function_reputation=True).matches[0].functions
    assert functions is not None
    assert f"depth_{word}" in client.functions.history(functions[0].fingerprint)
    assert refused(client.functions.history, "fn_0").code == "not_found/function"


def test_files_come_into_a_workspace_that_no_chat_has_opened(client: Cairn) -> None:
    word = unique()
    opened = client.workspaces.open(org="acme", user=word)
    workspace = opened.workspace_id
    assert client.workspaces.open(org="acme", user=word) == opened
    path = "in put/ü.txt"
    put = client.workspaces.put_file(workspace, path, "one", if_none_match="*")
    failure = refused(client.workspaces.put_file, workspace, path, "two", if_none_match="*")
    assert failure.code == "precondition/failed"
    assert client.workspaces.file(workspace, path) == b"one"
    again = client.workspaces.put_file(workspace, path, b"\x00\xff", if_match=put.sha)
    assert again.commit != put.commit
    assert client.workspaces.delete_file(workspace, path, if_match=again.sha).success
    with pytest.raises(ValidationError) as no_archive:
        client.workspaces.unpack(workspace, b"nothing")
    assert no_archive.value.code == "validation/invalid_archive"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", "one")
    unpacked = client.workspaces.unpack(workspace, packed.getvalue(), path="d", replace=True)
    assert (unpacked.success, unpacked.created, unpacked.deleted) == (True, 1, 0)
    assert [file.path for file in client.workspaces.tree(workspace).files] == ["d/a.txt"]


def test_a_workspace_is_erased(client: Cairn) -> None:
    word = unique()
    workspace = str(client.chat("say something", user=word, org="acme", model="local").workspace_id)
    before = client.workspaces.commits(workspace).commits
    key = f"erase-{word}"
    erased = client.workspaces.delete(workspace, idempotency_key=key)
    assert (erased.success, erased.erased.commits, erased.erased.chats) == (True, len(before), 1)
    assert erased.position.isdigit()
    assert client.workspaces.delete(workspace, idempotency_key=key) == erased
    assert refused(client.workspaces.delete, workspace).code == "not_found/workspace"


def test_a_user_is_erased(client: Cairn) -> None:
    email = f"{unique()}@example.org"
    key = client.keys.create(email, "laptop").key
    users = {listed.user_email: listed.user_id for listed in client.keys.list().keys}
    erased = client.users.erase(users[email])
    assert (erased.success, erased.erased.users, erased.erased.keys) == (True, 1, 1)
    with pytest.raises(AuthenticationError):
        client.with_options(api_key=key).search("anything")
    assert refused(client.users.erase, users[email]).code == "not_found/user"
    owner = refused(client.users.erase, users["owner@cairn.local"])
    assert (owner.status_code, owner.code) == (409, "conflict/owner_stays")


def test_how_the_service_is(kind: Kind, service: Service) -> None:
    nobody = kind.cairn(None, service.base_url)
    assert nobody.health().status == "healthy"
    ready = nobody.ready()
    assert (ready.status, ready.read_models["snippet_index"]) == ("ready", "ok")
    assert "# Cairn" in nobody.skill()


def test_a_service_that_starts_says_so(kind: Kind) -> None:
    report = {"status": "starting", "read_models": {"snippets_v2": "behind"}}
    starting = kind.mocked(Answers(httpx2.Response(503, json=report)))
    assert starting.client.ready().read_models == {"snippets_v2": "behind"}
    assert starting.waits == []
    # a proxy's 503 is tried again
    answers = Answers(
        httpx2.Response(503, text="No backend."), httpx2.Response(200, json={**report, "status": "ready"})
    )
    behind = kind.mocked(answers)
    assert behind.client.ready().status == "ready"
    assert len(behind.waits) == 1


def test_a_write_without_body_has_one_identity(kind: Kind) -> None:
    answers = Answers(httpx2.Response(503), httpx2.Response(200, content=json.dumps({"success": True}).encode()))
    client = kind.mocked(answers).client
    with pytest.raises(APIError):  # what this answers is too little
        client.workspaces.delete("w")
    first, second = answers.requests
    assert (first.method, first.content) == ("DELETE", b"")
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
