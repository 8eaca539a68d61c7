"""What the messages of an event stream mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx2
import pydantic
import pydantic_core

from cairn_client._answers import request_id_of
from cairn_client.errors import APIError, AuthenticationError, CacheUnavailableError, ServiceError
from cairn_client.types.events import RecordedEvent

if TYPE_CHECKING:
    from cairn_client._request import Prepared

PATH = "/api/events/stream"
SHORTEST_TIMEOUT = 45.0
"""Seconds. The service says every 15 s that it is there, so a shorter silence tells nothing."""


class Cut(Exception):  # noqa: N818 # the end of a connection, which need not be that of the stream
    """Why no more comes over a connection, and the seconds before the next one; `None` when there should be none."""

    def __init__(self, problem: ServiceError, wait: float | None) -> None:
        super().__init__(problem.message)
        self.problem = problem
        self.wait = wait


def patient(prepared: Prepared) -> httpx2.Timeout:
    """The timeout of a stream: as the call says, but for silence."""
    read = prepared.timeout.read
    steps = prepared.timeout.as_dict()
    return httpx2.Timeout(**{**steps, "read": None if read is None else max(read, SHORTEST_TIMEOUT)})


def event_of(data: str, response: httpx2.Response) -> RecordedEvent:
    """An event off its message."""
    try:
        return RecordedEvent.model_validate_json(data)
    except pydantic.ValidationError:
        raise Cut(_unreadable(response, "an event that can't be read"), None) from None


def refuse_other(response: httpx2.Response) -> None:
    """Raises when a successful answer is no stream of events."""
    if not response.headers.get("content-type", "").startswith("text/event-stream"):
        raise Cut(_unreadable(response, "what is no stream of events"), None)


def _unreadable(response: httpx2.Response, found: str) -> APIError:
    message = f"GET {PATH} was answered with {found}. Is base_url (CAIRN_BASE_URL) the service's?"
    return APIError(message, response.status_code, request_id=request_id_of(response))


def ended(data: str, wait: float) -> Cut:
    """What the service's last message says: why nothing more comes over this connection."""
    try:
        said = pydantic_core.from_json(data)
        reason, message = said["reason"], str(said["message"])
    except (ValueError, TypeError, KeyError):
        reason, message = None, f"GET {PATH} was ended by the service"
    if reason == "revoked":
        return Cut(AuthenticationError(message, code="auth/invalid_api_key"), None)
    return Cut(CacheUnavailableError(message), wait)


def cut_off() -> CacheUnavailableError:
    """The error of a stream that just ended."""
    return CacheUnavailableError(f"GET {PATH} was cut. Check that the service runs")
