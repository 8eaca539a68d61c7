"""When requests are sent again: every row, without waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from cairn_client import (
    APIError,
    AuthenticationError,
    CacheUnavailableError,
    ConflictError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServiceError,
    ValidationError,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.kinds import Kind

from tests.answering import Answers, ok, status

TRANSIENT = [408, 409, 429, 500, 501, 502, 503, 504, 529]


@pytest.mark.parametrize("code", TRANSIENT)
def test_a_passing_status_is_tried_again(kind: Kind, code: int) -> None:
    answers = Answers(status(code), ok())
    mocked = kind.mocked(answers)
    assert mocked.client.search("a").request_id == "r-1"
    assert mocked.waits == [0.5]
    assert len(answers.requests) == 2


FINAL: dict[int, type[ServiceError]] = {
    408: APIError,
    409: ConflictError,
    429: RateLimitError,
    500: CacheUnavailableError,
    501: CacheUnavailableError,
    502: CacheUnavailableError,
    503: CacheUnavailableError,
    504: CacheUnavailableError,
    529: CacheUnavailableError,
}


@pytest.mark.parametrize("code", TRANSIENT)
def test_a_lasting_status_is_raised_after_the_retries(kind: Kind, code: int) -> None:
    answers = Answers(status(code))
    mocked = kind.mocked(answers)
    with pytest.raises(ServiceError) as raised:
        mocked.client.search("a")
    assert type(raised.value) is FINAL[code]
    assert (raised.value.status_code, raised.value.code, raised.value.request_id) == (code, "some/problem", "r-0")
    assert raised.value.message == "It went wrong."
    assert mocked.waits == [0.5, 1.0]
    assert len(answers.requests) == 3


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (status(400, "validation/invalid_field"), ValidationError),
        (status(400), APIError),
        (status(401, "auth/invalid_api_key"), AuthenticationError),
        (status(403, "permission/tier_required"), PermissionDeniedError),
        (status(404, "not_found/snippet"), NotFoundError),
        (status(405), APIError),
        (status(413, "body/too_large"), APIError),
        (status(415), APIError),
        (status(422), APIError),
        (status(302, location="http://elsewhere.test/"), APIError),
    ],
)
def test_what_a_retry_can_not_help_is_raised_at_once(
    kind: Kind, answer: httpx2.Response, error: type[ServiceError]
) -> None:
    answers = Answers(answer)
    mocked = kind.mocked(answers)
    with pytest.raises(ServiceError) as raised:
        mocked.client.search("a")
    assert type(raised.value) is error
    assert raised.value.status_code == answer.status_code
    assert (mocked.waits, len(answers.requests)) == ([], 1)


PASSING = [
    httpx2.ConnectError,
    httpx2.ReadError,
    httpx2.WriteError,
    httpx2.CloseError,
    httpx2.RemoteProtocolError,
    httpx2.ProxyError,
    httpx2.ConnectTimeout,
    httpx2.ReadTimeout,
    httpx2.WriteTimeout,
    httpx2.PoolTimeout,
]


@pytest.mark.parametrize("failure", PASSING)
def test_no_answer_is_tried_again(kind: Kind, failure: type[httpx2.RequestError]) -> None:
    mocked = kind.mocked(Answers(failure, ok()))
    assert mocked.client.search("a").total_found == 0
    assert mocked.waits == [0.5]

    lasting = Answers(failure)
    mocked = kind.mocked(lasting)
    with pytest.raises(CacheUnavailableError, match=r"3 times to reach Cairn at http://cairn\.test") as raised:
        mocked.client.search("a")
    assert isinstance(raised.value.__cause__, failure)
    assert (raised.value.status_code, raised.value.code, raised.value.request_id) == (None, None, None)
    assert (mocked.waits, len(lasting.requests)) == ([0.5, 1.0], 3)


@pytest.mark.parametrize(
    "failure",
    [httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.DecodingError, httpx2.TooManyRedirects],
)
def test_what_can_not_be_sent_is_not_tried_again(kind: Kind, failure: type[httpx2.RequestError]) -> None:
    answers = Answers(failure)
    mocked = kind.mocked(answers)
    with pytest.raises(CacheUnavailableError):
        mocked.client.search("a")
    assert len(answers.requests) == 1


def test_waits_double_up_to_eight_seconds(kind: Kind) -> None:
    mocked = kind.mocked(Answers(status(503)), max_retries=7)
    with pytest.raises(CacheUnavailableError):
        mocked.client.search("a")
    assert mocked.waits == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]


def test_chance_takes_up_to_a_quarter(kind: Kind) -> None:
    mocked = kind.mocked(Answers(status(503), status(503), ok()), chance=1.0)
    mocked.client.search("a")
    assert mocked.waits == [0.375, 0.75]


def test_the_number_of_retries(kind: Kind) -> None:
    def attempts(call: Callable[[Any], Any], **options: Any) -> int:
        answers = Answers(status(500))
        with pytest.raises(CacheUnavailableError):
            call(kind.mocked(answers, **options).client)
        return len(answers.requests)

    assert attempts(lambda client: client.search("a")) == 3
    assert attempts(lambda client: client.search("a"), max_retries=0) == 1
    assert attempts(lambda client: client.search("a", max_retries=4)) == 5
    assert attempts(lambda client: client.search("a", max_retries=0), max_retries=5) == 1
    assert attempts(lambda client: client.with_options(max_retries=1).search("a")) == 2
    assert attempts(lambda client: client.workspaces.list(max_retries=1)) == 2
    assert attempts(lambda client: client.with_raw_response.search("a", max_retries=1)) == 2
    with pytest.raises(ValidationError):
        kind.cairn(max_retries=-1)


def test_one_idempotency_key_a_post(kind: Kind) -> None:
    answers = Answers(status(500), httpx2.ReadTimeout, ok())
    client = kind.mocked(answers).client
    client.search("a")
    first = {request.headers["idempotency-key"] for request in answers.requests}
    assert len(first) == 1
    assert len({request.content for request in answers.requests}) == 1
    client.search("a")
    assert answers.requests[-1].headers["idempotency-key"] not in first
    client.search("a", idempotency_key="my own")
    assert answers.requests[-1].headers["idempotency-key"] == "my own"
    for bad in ("", " ", "x" * 256, "two\nlines", "café"):
        with pytest.raises(ValidationError) as refused:
            client.search("a", idempotency_key=bad)
        assert refused.value.field == "idempotency_key"


def test_a_get_has_no_idempotency_key(kind: Kind) -> None:
    answers = Answers(httpx2.Response(200, json={"workspaces": []}))
    kind.mocked(answers).client.workspaces.list()
    assert "idempotency-key" not in answers.requests[0].headers
    assert "content-type" not in answers.requests[0].headers
