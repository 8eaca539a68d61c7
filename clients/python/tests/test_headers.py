"""Headers of one's own, with every request or with one; and what a gateway says of retries."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from cairn_client import AuthenticationError, ServiceError, ValidationError
from tests.answering import Answers, ok, status
from tests.test_options import KEY, Recorder

if TYPE_CHECKING:
    from tests.kinds import Kind


def test_those_of_the_client_those_of_a_call_and_none(kind: Kind) -> None:
    recorder = Recorder()
    client = kind.mocked(recorder, default_headers={"X-Gateway": "a", "user-agent": "mine", "X-Trace": "1"}).client

    def sent(*names: str) -> list[str | None]:
        return [recorder.last.headers.get(name) for name in names]

    client.search("a")
    assert sent("x-gateway", "user-agent", "x-trace") == ["a", "mine", "1"]
    client.search("a", extra_headers={"X-TRACE": "2", "x-gateway": None})
    assert sent("x-gateway", "x-trace") == [None, "2"]
    client.with_options(timeout=5).search("a")
    assert sent("x-gateway", "x-trace") == ["a", "1"]
    client.with_options(default_headers={"X-Trace": "3"}).search("a")
    assert sent("x-gateway", "x-trace") == [None, "3"]


def test_a_key_that_is_taken_away_is_missing(kind: Kind) -> None:
    client = kind.cairn(KEY, "http://127.0.0.1:9")
    with pytest.raises(AuthenticationError, match="CAIRN_API_KEY"):
        client.search("a", extra_headers={"Authorization": None})


@pytest.mark.parametrize(
    "headers", [{"X-A": "two\nlines"}, {"X-A": "é"}, {"X\r\nA": "1"}, {"X A": "1"}, {"": "1"}, {"X": 1}]
)
def test_what_no_header_can_carry(kind: Kind, headers: Any) -> None:
    with pytest.raises(ValidationError) as refused:
        kind.cairn(default_headers=headers)
    assert refused.value.field == "default_headers"
    with pytest.raises(ValidationError) as refused:
        kind.mocked(Recorder()).client.search("a", extra_headers=headers)
    assert refused.value.field == "extra_headers"


def test_they_are_not_shown(kind: Kind, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client = kind.mocked(Recorder(), default_headers={"X-Gateway": "gateway-secret"}).client
    client.search("a", extra_headers={"X-Mine": "call-secret"})
    assert "'x-mine': '***'" in caplog.text
    for secret in ("gateway-secret", "call-secret"):
        assert secret not in caplog.text + repr(client) + repr(vars(client._transport))


@pytest.mark.parametrize(
    ("code", "says", "attempts"), [(503, "false", 1), (429, "false", 1), (400, "true", 3), (503, "perhaps", 3)]
)
def test_an_answer_that_says_whether_to_try_again(kind: Kind, code: int, says: str, attempts: int) -> None:
    answers = Answers(status(code, x_should_retry=says))
    with pytest.raises(ServiceError):
        kind.mocked(answers).client.search("a")
    assert len(answers.requests) == attempts
    answers = Answers(status(code, x_should_retry="true"), ok())
    assert kind.mocked(answers).client.search("a").total_found == 0


def test_names_go_out_as_utf_8(kind: Kind) -> None:
    recorder = Recorder()
    client = kind.mocked(recorder, workspace_id="顧客", agent_id="Müller").client
    client.search("a")
    sent = dict(recorder.last.headers.raw)
    raw = {name.lower(): value for name, value in sent.items()}
    assert raw[b"x-cairn-workspace-id"] == "顧客".encode()
    assert raw[b"x-cairn-agent-id"] == "Müller".encode()
