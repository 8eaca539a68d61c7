"""Answers that can't be read, and answers that take long."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from cairn_client import APIError, AsyncCairn, CacheUnavailableError, Cairn, ValidationError
from cairn_client.compat import AsyncRaySurfer, RaySurfer
from tests.answering import Answers, ok

if TYPE_CHECKING:
    from tests.kinds import Kind


@pytest.mark.parametrize(
    "content",
    [b"", b"<html>", b"[]", b"null", b"{", b'{"matches": null, "total_found": 0, "cache_hit": false}', b"\xff", b'"'],
)
def test_an_answer_that_can_not_be_read(kind: Kind, content: bytes) -> None:
    answers = Answers(httpx2.Response(200, content=content, headers={"x-request-id": "r-9"}))
    mocked = kind.mocked(answers)
    with pytest.raises(APIError, match="POST /api/retrieve/search was answered with what is no") as raised:
        mocked.client.search("a")
    assert (raised.value.status_code, raised.value.request_id) == (200, "r-9")
    assert len(answers.requests) == 1


@pytest.mark.parametrize("content", [b"", b"<html>Bad gateway</html>", b"[1]", b'{"message": 7, "errors": 7}'])
def test_an_error_whose_body_can_not_be_read(kind: Kind, content: bytes) -> None:
    mocked = kind.mocked(Answers(httpx2.Response(502, content=content)), max_retries=0)
    with pytest.raises(CacheUnavailableError) as raised:
        mocked.client.search("a")
    assert raised.value.message == "POST /api/retrieve/search was answered with 502 Bad Gateway"
    assert raised.value.code is None


def test_timeouts(kind: Kind) -> None:
    chat = {"success": True, "output": "", "changed_files": [], "workspace_files": [], "duration_ms": 1}
    answers = Answers(ok(**chat, session_id="s", workspace_id="w", commit="c"))
    client = kind.mocked(answers).client

    def timeouts() -> tuple[float | None, float | None]:
        found = answers.requests[-1].extensions["timeout"]
        return found["connect"], found["read"]

    client.search("a")
    assert timeouts() == (10.0, 60.0)
    client.search("a", timeout=2.5)
    assert timeouts() == (2.5, 2.5)
    client.search("a", timeout=None)
    assert timeouts() == (None, None)
    client.chat("a", user="u", org="o")
    assert timeouts() == (10.0, 600.0)
    client.chat("a", user="u", org="o", timeout=30)
    assert timeouts() == (10.0, 30)
    client.with_options(timeout=5).chat("a", user="u", org="o")
    assert timeouts() == (5, 5)
    client.with_options(timeout=900).chat("a", user="u", org="o")
    assert timeouts() == (10.0, 900)
    client.with_options(timeout=None).chat("a", user="u", org="o")
    assert timeouts() == (None, None)
    client.with_options(timeout=httpx2.Timeout(7, connect=3)).search("a")
    assert timeouts() == (3, 7)
    client.search("a", timeout=httpx2.Timeout(7, connect=3))
    assert timeouts() == (3, 7)
    wrong: list[Any] = [0, -1, float("nan"), float("inf"), 1e10, "5"]
    for bad in wrong:
        with pytest.raises(ValidationError) as refused:
            client.search("a", timeout=bad)
        assert refused.value.field == "timeout"


def test_a_timeout_that_is_given_holds_also_where_it_is_the_usual_one(kind: Kind) -> None:
    chat = {"success": True, "output": "", "changed_files": [], "workspace_files": [], "duration_ms": 1}
    answers = Answers(ok(**chat, session_id="s", workspace_id="w", commit="c"))

    def waits(client: Any) -> float | None:
        client.chat("a", user="u", org="o")
        read: float | None = answers.requests[-1].extensions["timeout"]["read"]
        return read

    usual = kind.mocked(answers).client
    for given in (60, 60.0):
        client = kind.mocked(answers, timeout=given).client
        assert waits(client) == 60
        assert waits(client.with_options(workspace_id="w")) == 60
        assert waits(usual.with_options(timeout=given)) == 60
    # what is given besides gives no timeout
    assert waits(usual.with_options(workspace_id="w")) == 600
    http = {"http_client": kind.http(answers)}
    assert waits(kind.raysurfer("k", "http://cairn.test", **http)) == 600
    assert waits(kind.raysurfer("k", "http://cairn.test", timeout=60.0, **http)) == 60


def test_the_usual_timeout_reads_as_a_number() -> None:
    for client in (Cairn, AsyncCairn, RaySurfer, AsyncRaySurfer):
        default = inspect.signature(client).parameters["timeout"].default
        assert (default, repr(default)) == (60.0, "60.0")
