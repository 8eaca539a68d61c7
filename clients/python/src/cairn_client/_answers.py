"""What the service's answers mean: a result, or an error."""

from __future__ import annotations

import math
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar

import httpx2
import pydantic
import pydantic_core

from cairn_client._retries import retry_after
from cairn_client.errors import (
    APIError,
    AuthenticationError,
    CacheUnavailableError,
    ConflictError,
    FieldError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServiceError,
    ValidationError,
)
from cairn_client.types.model import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

R = TypeVar("R", bound=Result)

_REFUSALS = {403: PermissionDeniedError, 404: NotFoundError, 409: ConflictError}

_seen: ContextVar[list[httpx2.Response] | None] = ContextVar("cairn_client_answers", default=None)


@contextmanager
def remembered() -> Iterator[list[httpx2.Response]]:
    """Collects the answers that calls in this block get."""
    answers: list[httpx2.Response] = []
    token = _seen.set(answers)
    try:
        yield answers
    finally:
        _seen.reset(token)


def remember(response: httpx2.Response) -> None:
    """Notes an answer for those who want to see it as it came."""
    answers = _seen.get()
    if answers is not None:
        answers.append(response)


def request_id_of(response: httpx2.Response) -> str | None:
    """The id under which the service logged the request."""
    found = response.headers.get("x-request-id")
    return found if isinstance(found, str) else None


def parsed(response: httpx2.Response, model: type[R]) -> R:
    """The result that a successful answer has. Fields that this version doesn't know are kept."""
    try:
        result = model.model_validate_json(response.content)
    except pydantic.ValidationError as failure:
        # without the input: an answer may have a key or a caller's text in it
        details = [f"{'.'.join(map(str, one['loc'])) or 'body'}: {one['msg']}" for one in failure.errors()[:3]]
        message = (
            f"{_request(response)} was answered with what is no {model.__name__} ({'; '.join(details)}). "
            "Is base_url (CAIRN_BASE_URL) the service's?"
        )
        raise APIError(message, response.status_code, request_id=request_id_of(response)) from None
    return result.received(request_id_of(response))


def error_of(response: httpx2.Response, now: float) -> ServiceError:
    """The error that an answer stands for."""
    body = _body(response)
    status = response.status_code
    text = _text(body, "message") or _text(body, "detail")
    message = text or f"{_request(response)} was answered with {status} {response.reason_phrase}".rstrip()
    if response.next_request is not None:
        # the place only: the rest of it may be somebody's secret
        place = str(response.next_request.url.copy_with(raw_path=b"/", fragment=None, userinfo=b"")).rstrip("/")
        message += f": it is redirected to {place}. No redirect is followed; is that the base_url (CAIRN_BASE_URL)?"
    code = _text(body, "code")
    request_id = request_id_of(response) or _text(body, "request_id")
    if status == 401:
        return AuthenticationError(message, status_code=status, code=code, request_id=request_id)
    asked = retry_after(response.headers, now)
    wait = None if asked is None else math.ceil(asked)
    if status == 429:
        return RateLimitError(message, wait, status_code=status, code=code, request_id=request_id)
    if status == 400 and code is not None and code.startswith("validation/"):
        errors = _fields(body)
        return ValidationError(
            message, _text(body, "field"), errors=errors, status_code=status, code=code, request_id=request_id
        )
    if status >= 500:
        return CacheUnavailableError(message, retry_after=wait, status_code=status, code=code, request_id=request_id)
    return _REFUSALS.get(status, APIError)(message, status, code=code, request_id=request_id)


def without_key() -> AuthenticationError:
    """The error of a request that nobody would answer."""
    return AuthenticationError("There is no API key. Give api_key, or set CAIRN_API_KEY", code="auth/missing_api_key")


def unreachable(base_url: str, failure: httpx2.RequestError, attempts: int) -> CacheUnavailableError:
    """The error of a request that got no answer."""
    tried = "" if attempts == 1 else f" {attempts} times"
    reason = f"{type(failure).__name__}: {failure}".removesuffix(": ")
    advice = (
        "All connections of the client were in use: make fewer requests at once, or give them more time (timeout)."
        if isinstance(failure, httpx2.PoolTimeout)
        else "Check base_url (CAIRN_BASE_URL) and that the service runs, or give it more time (timeout)."
    )
    return CacheUnavailableError(f"Tried{tried} to reach Cairn at {base_url}, without an answer: {reason}. {advice}")


def _request(response: httpx2.Response) -> str:
    return f"{response.request.method} {response.request.url.path}"


def _body(response: httpx2.Response) -> dict[str, Any]:
    try:
        body = pydantic_core.from_json(response.content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _text(body: dict[str, Any], name: str) -> str | None:
    value = body.get(name)
    return value if isinstance(value, str) and value else None


def _fields(body: dict[str, Any]) -> tuple[FieldError, ...]:
    errors = body.get("errors")
    return tuple(
        FieldError(str(one.get("field", "")), str(one.get("message", "")))
        for one in (errors if isinstance(errors, list) else [])
        if isinstance(one, dict)
    )
