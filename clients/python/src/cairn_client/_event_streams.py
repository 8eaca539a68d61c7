"""What the messages of an event stream mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx2
import pydantic_core

from cairn_client._answers import request_id_of
from cairn_client.errors import APIError, AuthenticationError, CacheUnavailableError, ServiceError

if TYPE_CHECKING:
    from cairn_client._request import Prepared

SHORTEST_TIMEOUT = 45.0
"""Seconds. The service says every 15 s that it is there, so a shorter silence tells nothing."""


class Cut(Exception):  # noqa: N818 # the end of a connection, which need not be that of the stream
    """Why no more comes over a connection, and the seconds before the next one; `None` when there should be none."""

    def __init__(self, problem: ServiceError, wait: float | None) -> None:
        super().__init__(problem.message)
        self.problem = problem
        self.wait = wait

    @property
    def why(self) -> str:
        """The same for the log, without the service's own words."""
        if self.problem.status_code is not None:
            return str(self.problem.status_code)
        return "cut" if self.__cause__ is None else type(self.__cause__).__name__


def patient(prepared: Prepared) -> httpx2.Timeout:
    """The timeout of a stream: as the call says, but for silence."""
    read = prepared.timeout.read
    steps = prepared.timeout.as_dict()
    return httpx2.Timeout(**{**steps, "read": None if read is None else max(read, SHORTEST_TIMEOUT)})


def refuse_other(response: httpx2.Response, what: str) -> None:
    """Raises when a successful answer is no stream of events."""
    if not response.headers.get("content-type", "").startswith("text/event-stream"):
        raise Cut(unreadable(response, what, "what is no stream of events"), None)


def unreadable(response: httpx2.Response, what: str, found: str) -> APIError:
    """The error of an answer that is none of this service; `what` was sent."""
    message = f"{what} was answered with {found}. Is base_url (CAIRN_BASE_URL) the service's?"
    return APIError(message, response.status_code, request_id=request_id_of(response))


def ended(what: str, data: str, wait: float) -> Cut:
    """What the service's last message says: why nothing more comes over this connection."""
    try:
        said = pydantic_core.from_json(data)
        reason, message = said["reason"], str(said["message"])
    except (ValueError, TypeError, KeyError):
        reason, message = None, f"{what} was ended by the service"
    if reason == "revoked":
        return Cut(AuthenticationError(message, code="auth/invalid_api_key"), None)
    return Cut(CacheUnavailableError(message), wait)


def cut_off(what: str) -> CacheUnavailableError:
    """The error of a stream that just ended."""
    return CacheUnavailableError(f"{what} was cut. Check that the service runs")
