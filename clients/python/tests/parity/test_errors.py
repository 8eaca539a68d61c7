"""Errors, and what they are raised for: those of `clients/parity.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx2
import pytest

import cairn_client
from cairn_client import ServiceError
from tests.answering import Answers
from tests.parity.table import names, needed, rows, title

if TYPE_CHECKING:
    from tests.kinds import Kind

pytestmark = needed

errors = {row["name"]: row for row in rows("errors")}


def properties(name: str) -> set[str]:
    """Those of an error and of the errors above it."""
    row = errors[name]
    return {*row["properties"], *(properties(row["extends"]) if row["extends"] else ())}


@pytest.mark.parametrize("error", rows("errors"), ids=title)
def test_error(error: dict[str, Any]) -> None:
    kind = getattr(cairn_client, error["name"])
    parent = Exception if error["extends"] is None else getattr(cairn_client, error["extends"])
    assert kind.__base__ is parent


def test_there_are_no_others() -> None:
    public = {name: getattr(cairn_client, name) for name in cairn_client.__all__}
    kinds = {name for name, one in public.items() if isinstance(one, type) and issubclass(one, BaseException)}
    assert kinds == names("errors")


@pytest.mark.parametrize("failure", rows("failures"), ids=lambda row: f"{row['status']} {row['code']}")
def test_failure(kind: Kind, failure: dict[str, Any]) -> None:
    code, status = failure["code"], failure["status"]
    body = {"code": code, "message": "m", "detail": "m", "error": code, "field": "f", "errors": [], "request_id": "r"}
    if status is None:
        answers = Answers(httpx2.ConnectError)
    elif status == 200 or code is None:
        answers = Answers(httpx2.Response(status, text=code or ""))
    else:
        answers = Answers(httpx2.Response(status, json=body))
    with pytest.raises(ServiceError) as caught:
        kind.mocked(answers, max_retries=1).client.keys.list()
    assert type(caught.value).__name__ == failure["error"]
    assert caught.value.status_code == status
    assert len(answers.requests) == (2 if failure["again"] else 1)
    assert set(vars(caught.value)) - {"__notes__"} == properties(failure["error"])
