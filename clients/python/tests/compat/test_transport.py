"""What goes over the wire of the existing clients, and the errors that come of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx2
import pytest

from cairn_client import CacheUnavailableError, ServiceError, ValidationError
from cairn_client.compat import APIError, RaySurferError
from tests.answering import Answers, status

if TYPE_CHECKING:
    from cairn_client.compat import RaySurfer
    from tests.kinds import Kind


def test_errors_are_caught_as_before(kind: Kind, raysurfer: RaySurfer) -> None:
    with pytest.raises(APIError) as refused:
        raysurfer.search("")
    assert isinstance(refused.value, ValidationError)
    assert (refused.value.status_code, refused.value.field) == (400, "task")
    failing = kind.raysurfer("k", "http://cairn.test", http_client=kind.http(Answers(status(500)))).for_tracking()
    with pytest.raises(APIError) as failed:
        failing.search("a")
    assert isinstance(failed.value, CacheUnavailableError)
    assert failed.value.status_code == 500
    gone = kind.raysurfer("k", "http://cairn.test", http_client=kind.http(Answers(httpx2.ConnectError))).for_tracking()
    with pytest.raises(CacheUnavailableError) as unreachable:
        gone.search("a")
    assert not isinstance(unreachable.value, APIError)
    assert RaySurferError is ServiceError


def test_a_heartbeat_goes_where_the_service_may_take_it(kind: Kind) -> None:
    answers = Answers(httpx2.Response(200, json={"alive": True}))
    client = kind.raysurfer("k", "http://cairn.test", http_client=kind.http(answers))
    assert client.heartbeat("agent-1", cpu_percent=1.5) == {"alive": True}
    assert answers.requests[0].url.path == "/api/agents/heartbeat"


def test_the_environment_of_both(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAYSURFER_API_KEY", "theirs")
    monkeypatch.setenv("RAYSURFER_BASE_URL", "http://theirs.test")
    answers = Answers(httpx2.Response(200, json={"matches": [], "total_found": 0}))
    kind.raysurfer(http_client=kind.http(answers)).search("a")
    assert (answers.requests[-1].url.host, answers.requests[-1].headers["authorization"]) == (
        "theirs.test",
        "Bearer theirs",
    )
    monkeypatch.setenv("CAIRN_BASE_URL", "http://ours.test")
    kind.raysurfer(http_client=kind.http(answers)).search("a")
    assert answers.requests[-1].url.host == "ours.test"
