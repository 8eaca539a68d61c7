"""Arguments that are wrong are named, before anything is sent."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from cairn_client import AsyncCairn, Cairn, ValidationError
from tests.answering import Answers, status
from tests.test_options import Recorder

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.kinds import Kind

HALF = "\ud800"
FILE = {"path": "a.py", "content": "x = 1"}


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda client: client.search("a", topk=50), "topk"),
        (lambda client: client.chat("a", user="u", org="o", max_turn=3), "max_turn"),
        (lambda client: client.upload("a", FILE, True, vote=1), "vote"),
        (lambda client: client.get_code_files("a", cachedir="b"), "cachedir"),
        (lambda client: client.keys.list(retries=1), "retries"),
        (lambda client: list(client.events(since="1")), "since"),
        (lambda client: client.with_options(retries=1), "retries"),
    ],
)
def test_a_name_that_no_method_has_is_no_option(kind: Kind, call: Callable[[Any], Any], name: str) -> None:
    recorder = Recorder(events=[], next_after="0")
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        call(kind.mocked(recorder).client)
    assert recorder.last.url.host == "none.test"


def test_none_is_the_clients_own(kind: Kind) -> None:
    answers = Answers(status(500))
    client = kind.mocked(answers, max_retries=3).client
    with pytest.raises(Exception, match="It went wrong"):
        client.search("a", max_retries=None, idempotency_key=None, extra_headers=None)
    assert len(answers.requests) == 4
    keys = {request.headers["idempotency-key"] for request in answers.requests}
    assert len(keys) == 1
    assert uuid.UUID(keys.pop())


WRONG: list[tuple[Callable[[Any], Any], str]] = [
    (lambda client: client.upload("a", "a.py", True), "file_written"),
    (lambda client: client.upload("a", None, True), "file_written"),
    (lambda client: client.upload("a", FILE, True, tags="text"), "tags"),
    (lambda client: client.upload("a", FILE, True, dependencies=["requests"]), "dependencies"),
    (lambda client: client.upload("a", FILE, True, cached_code_blocks=["id"]), "cached_code_blocks.0"),
    (lambda client: client.upload("a", FILE, True, cached_code_blocks={"code_block_id": "id"}), "cached_code_blocks"),
    (lambda client: client.upload_bulk_code_snips("a prompt", [FILE]), "prompts"),
    (lambda client: client.upload_bulk_code_snips(["a"], FILE), "files_written"),
    (lambda client: client.upload_bulk_code_snips(["a"], 7), "files_written"),
    (lambda client: client.upload_bulk_code_snips(["a"], [FILE], {"path": "a", "content": b""}), "log_files"),
    (lambda client: client.upload_bulk_code_snips(["a"], [FILE], user_votes=[1]), "user_votes"),
    (lambda client: client.search("a", input_schema="path"), "input_schema"),
    (lambda client: client.search("a", workspace_id=uuid.uuid4()), "workspace_id"),
    (lambda client: client.search("a", idempotency_key=7), "idempotency_key"),
    (lambda client: client.search("a", extra_headers={"X-Trace": 7}), "extra_headers"),
    (lambda client: client.workspaces.tree(uuid.uuid4()), "id"),
    (lambda client: client.workspaces.tree(HALF), "id"),
    (lambda client: client.workspaces.tree("w", at=HALF), "at"),
    (lambda client: client.workspaces.file("w", f"lib/{HALF}.py"), "path"),
    (lambda client: client.workspaces.file("w", 7), "path"),
    (lambda client: client.uploads.status(HALF), "id"),
    (lambda client: client.get_code_files("a", cache_dir=HALF), "cache_dir"),
    (lambda client: client.get_code_files("a", cache_dir="a\0b"), "cache_dir"),
    (lambda client: client.with_options(max_retries=1.5), "max_retries"),
    (lambda client: client.with_options(max_retries="2"), "max_retries"),
    (lambda client: client.with_options(max_retries=None), "max_retries"),
    (lambda client: client.with_options(timeout="5"), "timeout"),
    (lambda client: client.with_options(base_url=7), "base_url"),
    (lambda client: client.with_options(api_key=7), "api_key"),
]


@pytest.mark.parametrize(("call", "field"), WRONG)
def test_a_value_of_another_kind_is_refused(kind: Kind, call: Callable[[Any], Any], field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        call(kind.mocked(Recorder()).client)
    assert refused.value.field == field


def test_what_a_request_may_be_made_of(kind: Kind) -> None:
    recorder = Recorder(success=True, code_blocks_stored=1, votes_queued=0, message="")
    client = kind.mocked(recorder, base_url=httpx2.URL("http://cairn.test/prefix/")).client
    client.upload_bulk_code_snips((prompt for prompt in ["a", "b"]), iter([FILE]), ())  # type: ignore[arg-type]
    assert (recorder.sent()["prompts"], recorder.sent()["files_written"]) == (["a", "b"], [FILE])
    assert str(recorder.last.url) == "http://cairn.test/prefix/api/store/bulk-execution-result"
    client.search(f"half a pair: {HALF}")
    assert recorder.sent()["task"] == f"half a pair: {HALF}"


def test_connections_of_the_other_client_are_refused() -> None:
    wrong: list[tuple[Any, Any, str]] = [
        (Cairn, httpx2.AsyncClient(), "AsyncClient; expected an httpx2.Client"),
        (AsyncCairn, httpx2.Client(), "Client; expected an httpx2.AsyncClient"),
        (Cairn, "http://127.0.0.1", "builtins.str; expected an httpx2.Client"),
    ]
    for client, http, message in wrong:
        with pytest.raises(TypeError, match=message):
            client(http_client=http)
        with pytest.raises(TypeError, match=message):
            client("k").with_options(http_client=http)


def test_a_missing_key_is_said_before_anything_is_sent(kind: Kind) -> None:
    with pytest.raises(Exception, match="CAIRN_API_KEY") as raised:
        kind.cairn(base_url="http://127.0.0.1:9").search("a")
    assert type(raised.value).__name__ == "AuthenticationError"
    # who has connections of their own may have the key in these
    recorder = Recorder()
    kind.mocked(recorder, api_key=None).client.search("a")
    assert "authorization" not in recorder.last.headers
