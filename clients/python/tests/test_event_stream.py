"""Events as they come, on the real service; what breaks off, on answers of the test's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from cairn_client import APIError, AuthenticationError, CacheUnavailableError
from cairn_client._sse import Message, MessageReader
from tests.answering import Answers, status
from tests.cutting import cutting
from tests.snippets import stored, unique

if TYPE_CHECKING:
    from cairn_client import Cairn
    from tests.kinds import Kind
    from tests.service import Service

# httpx2 leaves a generator of its own behind when a stream is not taken to its end, which trio reports
pytestmark = pytest.mark.filterwarnings("ignore:.*PoolByteStream:pytest.PytestUnraisableExceptionWarning")


def positions(stream: Any, count: int) -> list[str]:
    return [next(stream).position for _ in range(count)]


def test_what_is_there_and_then_what_comes(client: Cairn) -> None:
    snippet = stored(client, unique())
    of_snippet = f"snippet-{snippet}"
    there = list(client.events(stream=of_snippet))
    with client.event_stream(stream=of_snippet) as stream:
        events: Any = stream
        assert [next(events) for _ in there] == there
        for _ in range(3):
            client.vote_code_snip("read", snippet, succeeded=True)
            come = next(events)
            assert come.type == "VoteCast"
            there.append(come)
    assert list(client.events(stream=of_snippet)) == there


def test_filters(client: Cairn) -> None:
    snippet = stored(client, unique())
    for _ in range(2):
        client.vote_code_snip("read", snippet, succeeded=True)
    votes = [event.position for event in client.events(stream=f"snippet-{snippet}", type="VoteCast")]
    with client.event_stream(stream=f"snippet-{snippet}", type="VoteCast", after=votes[0]) as stream:
        assert positions(stream, 2) == votes[1:]


@pytest.mark.parametrize("how", ["before", "within"])
def test_a_cut_stream_goes_on_behind_the_last_event(kind: Kind, service: Service, client: Cairn, how: Any) -> None:
    snippet = stored(client, unique())
    with cutting(service.port, 2, how) as address:
        cut = kind.cairn(service.key, address, max_retries=2)
        with cut.event_stream(stream=f"snippet-{snippet}") as stream:
            events: Any = stream
            seen = [next(events)]
            for _ in range(3):
                client.vote_code_snip("read", snippet, succeeded=True)
            rest = list(client.events(stream=f"snippet-{snippet}", after=seen[0].position))
            assert [next(events) for _ in rest] == rest


def test_a_revoked_key_ends_it_and_members_get_none(client: Cairn) -> None:
    admin = client.keys.create(f"{unique()}@example.org", "admin", role="admin")
    last = [event.position for event in client.events(type="KeyCreated")][-1]
    with client.with_options(api_key=admin.key).event_stream(type="KeyCreated", after=last) as stream:
        client.keys.create(f"{unique()}@example.org", "one")
        assert int(positions(stream, 1)[0]) > int(last)
        client.keys.revoke(admin.id)
        with pytest.raises(AuthenticationError) as revoked:
            next(stream)
        assert revoked.value.code == "auth/invalid_api_key"
    member = client.keys.create(f"{unique()}@example.org", "member")
    with client.with_options(api_key=member.key).event_stream() as refused, pytest.raises(APIError) as error:
        next(refused)
    assert error.value.code == "permission/admin_key_required"


def event(position: str) -> str:
    actor: dict[str, None] = {}
    fields = {"position": position, "type": "X", "stream": "s", "revision": 0, "event_id": "e", "schema_version": 1}
    more = {"data": {}, "actor": actor, "command_id": "c", "correlation_id": "c", "recorded_at": "2026-11-21T12:00:00Z"}
    return f"id: {position}\nevent: X\ndata: {json.dumps(fields | more)}\n\n"


def sse(text: str) -> httpx2.Response:
    return httpx2.Response(200, content=text.encode(), headers={"content-type": "text/event-stream; charset=utf-8"})


def test_how_often_it_is_tried_again(kind: Kind) -> None:
    answers = Answers(
        httpx2.ConnectError,
        httpx2.Response(503),
        sse(f"retry: 1000\n\n{event('7')}"),
        httpx2.ConnectError,
        sse(": nothing new\n\n"),
        httpx2.Response(429),
        httpx2.ReadTimeout,
    )
    mocked = kind.mocked(answers)
    with mocked.client.event_stream(after="3") as stream:
        assert positions(stream, 1) == ["7"]
        with pytest.raises(CacheUnavailableError, match="ReadTimeout"):
            next(stream)
    assert [request.url.params["after"] for request in answers.requests] == ["3", "3", "3", "7", "7", "7", "7"]
    assert mocked.waits == [0.5, 1.0, 0.5, 1.0, 0.5, 1.0]
    assert answers.requests[0].extensions["timeout"]["read"] == 60
    assert answers.requests[0].headers["accept"] == "text/event-stream"


def test_a_long_wait_is_told_by_default(kind: Kind, caplog: pytest.LogCaptureFixture) -> None:
    answers = Answers(status(503, retry_after="10"), status(503, retry_after="11"), sse(event("7")))
    with kind.mocked(answers).client.event_stream() as stream:
        positions(stream, 1)
    told = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert told == ["GET /api/events/stream: 503; attempt 3 of 3 follows in 11.00 s"]


def test_a_short_timeout_is_no_silence(kind: Kind) -> None:
    answers = Answers(sse(event("1")))
    with kind.mocked(answers).client.event_stream(timeout=5) as stream:
        positions(stream, 1)
    assert answers.requests[0].extensions["timeout"] == {"connect": 5, "read": 45, "write": 5, "pool": 5}


@pytest.mark.parametrize("answer", [httpx2.Response(200, text="<html>"), sse("data: {}\n\n")])
def test_what_is_no_stream_and_no_event(kind: Kind, answer: httpx2.Response) -> None:
    answers = Answers(answer)
    with kind.mocked(answers).client.event_stream() as stream, pytest.raises(APIError):
        next(stream)
    assert len(answers.requests) == 1


def test_a_service_that_stops(kind: Kind) -> None:
    end = 'event: end\ndata: {"reason":"stopping","message":"The service is stopping."}\n\n'
    answers = Answers(sse(end))
    client = kind.mocked(answers, max_retries=1).client
    with client.event_stream() as stream, pytest.raises(CacheUnavailableError, match="stopping"):
        next(stream)
    assert len(answers.requests) == 2


def test_without_a_key_nothing_is_sent(kind: Kind, service: Service) -> None:
    with kind.cairn(None, service.base_url).event_stream() as stream, pytest.raises(AuthenticationError) as error:
        next(stream)
    assert error.value.code == "auth/missing_api_key"


def test_text_is_read_alike_however_it_is_cut() -> None:
    text = ": hello\r\n\r\nid: 1\rdata: a\rdata:b\r\revent: x\ndata: é\n\nid: 9\n\ndata\n\n".encode()
    whole = ["comment", Message("", "a\nb", "1"), Message("x", "é")]
    for size in range(1, len(text) + 1):
        reader = MessageReader()
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert [heard for piece in pieces for heard in reader.read(piece)] == whole
