"""The existing clients' errors, under their names. They are this library's, with `RaySurferError` for `ServiceError`.

The existing Python client raises `APIError` for a 400 and for a 5xx. What is raised here is caught by that too:

```
RaySurferError
├── APIError
│   ├── RefusedError       also a ValidationError
│   └── ServerError        also a CacheUnavailableError
├── AuthenticationError
├── CacheUnavailableError  no answer
├── RateLimitError
└── ValidationError
```
"""

from __future__ import annotations

from cairn_client.errors import (
    APIError,
    AuthenticationError,
    CacheUnavailableError,
    RateLimitError,
    ServiceError,
    ValidationError,
)

RaySurferError = ServiceError
"""The base of all errors: `ServiceError`."""


class RefusedError(ValidationError, APIError):
    """The service refused the request as not well-formed or out of range."""

    status_code: int


class ServerError(CacheUnavailableError, APIError):
    """The service failed."""

    status_code: int


def as_before(error: ServiceError) -> ServiceError:
    """The same error, such that what catches the existing clients' catches it."""
    kind = type(error)
    facts = {"status_code": error.status_code, "code": error.code, "request_id": error.request_id}
    if kind is ValidationError and isinstance(error, ValidationError) and error.status_code is not None:
        return RefusedError(error.message, error.field, errors=error.errors, **facts)  # type: ignore[arg-type]
    if kind is CacheUnavailableError and isinstance(error, CacheUnavailableError) and error.status_code is not None:
        return ServerError(error.message, retry_after=error.retry_after, **facts)  # type: ignore[arg-type]
    return error


__all__ = [
    "APIError",
    "AuthenticationError",
    "CacheUnavailableError",
    "RateLimitError",
    "RaySurferError",
    "RefusedError",
    "ServerError",
    "ValidationError",
]
