"""What the published client raises, and when: the errors that its users catch."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest

from tests import service as services

if TYPE_CHECKING:
    from here import Here
    from tests.service import Service


def test_keys(here: Here) -> None:
    for key in (None, "cairn_live_wrong"):
        with pytest.raises(here.library.AuthenticationError):
            here.client_with(api_key=key).search("anything")


def test_bad_input_is_an_api_error_with_the_one_body(here: Here) -> None:
    for given in ({"task": ""}, {"task": "t", "top_k": 1000}, {"task": "t", "min_verdict_score": 2.0}):
        with pytest.raises(here.library.APIError) as refused:
            here.client.search(**given)
        assert refused.value.status_code == 400
        assert "expected" in str(refused.value)
    with pytest.raises(here.library.APIError) as missing:
        here.client.vote_code_snip("t", "00000000-0000-4000-8000-000000000000", "n", "d", True)
    assert missing.value.status_code == 404
    leak = here.library.FileWritten(path="a.py", content=f"token = 'ghp_{'a1B2' * 9}'\n")
    with pytest.raises(here.library.APIError) as leaked:
        here.client.upload(here.task, leak, public=True)
    assert leaked.value.status_code == 400
    assert "a1B2" not in str(leaked.value)


def test_nobody_answers(theirs: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    waits = waiting(monkeypatch)
    gone = theirs.client_with(base_url=f"http://127.0.0.1:{services.free_port()}", timeout=5)
    with pytest.raises(theirs.library.CacheUnavailableError):
        gone.search("anything")
    assert len(waits) == 2


def waiting(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits of the published client, noted instead of waited. (Those of ours: clients/python/tests.)"""
    waits: list[float] = []

    async def note(seconds: float, *_: object) -> None:
        waits.append(seconds)

    monkeypatch.setattr(time, "sleep", waits.append)
    monkeypatch.setattr(asyncio, "sleep", note)
    return waits


def test_too_many_requests(theirs: Here, modelled: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    waits = waiting(monkeypatch)
    busy = theirs.client_with(api_key=modelled.key, base_url=modelled.base_url)
    # it takes one deletion a minute, which may be another test's
    with pytest.raises(theirs.library.RaySurferError):
        busy.delete("nothing")
    waits.clear()
    with pytest.raises(theirs.library.RateLimitError) as limited:
        busy.delete("nothing")
    assert limited.value.retry_after >= 1
    assert len(waits) == 2
    assert all(seconds >= 1 and float(seconds).is_integer() for seconds in waits)
