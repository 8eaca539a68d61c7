"""What `Retry-After` does: every form of it, without waiting."""

from __future__ import annotations

from email.utils import formatdate
from typing import TYPE_CHECKING

import pytest

from cairn_client import CacheUnavailableError, RateLimitError
from cairn_client._deadline import within
from tests.answering import Answers, ok, status
from tests.kinds import NOW

if TYPE_CHECKING:
    from tests.kinds import Kind


def date(seconds: float) -> str:
    return formatdate(NOW + seconds, usegmt=True)


@pytest.mark.parametrize("code", [429, 503])
@pytest.mark.parametrize(
    ("header", "waits"),
    [
        ("7", 7.0),
        ("0.25", 0.25),
        ("60", 60.0),
        (date(30), 30.0),
        (date(30).replace("GMT", "+0000"), 30.0),
        # nothing that says anything: the usual wait
        ("0", 0.5),
        (date(-30), 0.5),
        ("soon", 0.5),
        ("", 0.5),
        ("-5", 0.5),
        ("nan", 0.5),
        ("inf", 0.5),
        ("1e3", 0.5),
    ],
)
def test_retry_after(kind: Kind, code: int, header: str, waits: float) -> None:
    answer = status(code)
    answer.headers["retry-after"] = header
    mocked = kind.mocked(Answers(answer, ok()))
    mocked.client.search("a")
    assert mocked.waits == [waits]


def test_a_long_wait_is_told_by_default(kind: Kind, caplog: pytest.LogCaptureFixture) -> None:
    kind.mocked(Answers(status(429, retry_after="10"), status(429, retry_after="11"), ok())).client.search("a")
    told = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert told == ["POST /api/retrieve/search: 429; attempt 3 of 3 follows in 11.00 s"]


def test_no_wait_that_ends_behind_the_call_s_deadline(kind: Kind, caplog: pytest.LogCaptureFixture) -> None:
    mocked = kind.mocked(Answers(status(503, retry_after="30"), status(503, retry_after="30"), ok()))
    with within(29), pytest.raises(CacheUnavailableError) as raised:
        mocked.client.search("a")
    assert (raised.value.status_code, mocked.waits, caplog.messages) == (503, [], [])
    with within(31):
        mocked.client.search("a")
    assert mocked.waits == [30.0]


@pytest.mark.parametrize(("header", "after"), [("61", 61), ("3600", 3600), (date(3600), 3600), ("60.5", 61)])
@pytest.mark.parametrize(("code", "error"), [(429, RateLimitError), (503, CacheUnavailableError)])
def test_more_than_a_minute_is_told_at_once(
    kind: Kind, header: str, after: int, code: int, error: type[RateLimitError | CacheUnavailableError]
) -> None:
    answers = Answers(status(code, retry_after=header))
    mocked = kind.mocked(answers)
    with pytest.raises(error) as raised:
        mocked.client.search("a")
    assert vars(raised.value)["retry_after"] == after
    assert (mocked.waits, len(answers.requests)) == ([], 1)


@pytest.mark.parametrize(("headers", "after"), [({}, None), ({"retry_after": "0"}, 0), ({"retry_after": "2"}, 2)])
def test_a_rate_limit_after_the_retries(kind: Kind, headers: dict[str, str], after: int | None) -> None:
    mocked = kind.mocked(Answers(status(429, **headers)))
    with pytest.raises(RateLimitError) as raised:
        mocked.client.search("a")
    assert raised.value.retry_after == after
    assert len(mocked.waits) == 2
