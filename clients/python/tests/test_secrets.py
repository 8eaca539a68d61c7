"""A key and what callers typed are in nothing that is said: errors, logs, the values of a traceback's frames."""

from __future__ import annotations

import io
import logging
import traceback
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from cairn_client import ServiceError
from tests.answering import Answers, status
from tests.test_options import KEY

if TYPE_CHECKING:
    from tests.kinds import Kind

TYPED = "what a caller typed"


def locals_of(error: BaseException | None) -> str:
    """As a report of errors shows them, with those of the errors that it comes from."""
    said = ""
    while error is not None:
        for frame, _ in traceback.walk_tb(error.__traceback__):
            if "cairn_client" in frame.f_code.co_filename:
                said += "".join(f"{name} = {value!r}\n" for name, value in frame.f_locals.items())
        error = error.__cause__
    return said


FAILURES: list[Any] = [httpx2.ConnectError, httpx2.ReadTimeout, status(500), status(401), status(404)]
FAILURES += [httpx2.Response(200, text=f"<html>{TYPED} {KEY}</html>"), httpx2.Response(200, json={"matches": KEY})]


@pytest.mark.parametrize("failure", FAILURES)
def test_errors_and_logs(kind: Kind, failure: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client = kind.mocked(Answers(failure), api_key=KEY).client
    with pytest.raises(ServiceError) as raised:
        client.search("a")
    error = raised.value
    printed = io.StringIO()
    traceback.print_exception(error, file=printed)
    said = f"{error} {error!r} {vars(error)} {printed.getvalue()} {caplog.text}"
    for secret in (KEY, TYPED):
        assert secret not in said
    assert KEY not in locals_of(error)


def test_what_is_on_its_way_does_not_show_itself(kind: Kind) -> None:
    client = kind.mocked(Answers(status(500)), api_key=KEY).client
    with pytest.raises(ServiceError) as raised:
        client.upload(TYPED, {"path": "a.py", "content": "x = 1"}, True)
    within = [line for line in locals_of(raised.value).splitlines() if line.startswith(("prepared", "request "))]
    assert within
    for line in within:
        assert TYPED not in line
        assert KEY not in line
