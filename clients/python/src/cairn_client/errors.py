"""What goes wrong, as a tree. Catch `ServiceError` for all of it.

```
ServiceError                  message · code · status_code · request_id
├── APIError                  another error than those below, or an answer that can't be read: status_code
│   ├── PermissionDeniedError 403: the key may not do this
│   ├── NotFoundError         404: there is none, or none that this key sees
│   └── ConflictError         409: what is there already is against it
├── AuthenticationError       401, or no key at all
├── CacheUnavailableError     no answer (network, timeout) or a 5xx: retry_after
├── RateLimitError            429: retry_after
└── ValidationError           400 `validation/*`, or refused here before it was sent: field · errors
```

Where another attempt could help, an error is raised only after the retries (`max_retries`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field of a request."""

    field: str
    """Its path, such as `file_written.path`."""
    message: str
    """For a person: what it is and what was expected."""


class ServiceError(Exception):
    """The base of all errors."""

    message: str
    """For a person: what was wrong, what was expected, how to mend it."""
    code: str | None
    """For a program, such as `not_found/snippet`; `None` when the service did not say."""
    status_code: int | None
    """The answer's, or `None` when there was none."""
    request_id: str | None
    """Finds the request in the service's log."""

    def __init__(
        self,
        message: str,
        *,
        status_code: int | None = None,
        code: str | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status_code = status_code
        self.code = code
        self.request_id = request_id

    def __str__(self) -> str:
        facts = [
            *([] if self.status_code is None else [str(self.status_code)]),
            *([] if self.code is None else [self.code]),
            *([] if self.request_id is None else [f"request {self.request_id}"]),
        ]
        return f"{self.message} ({', '.join(facts)})" if facts else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        # an exception is otherwise rebuilt from `args` alone, which leaves out what is given by name
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[ServiceError], args: tuple[Any, ...], state: dict[str, Any]) -> ServiceError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class APIError(ServiceError):
    """The service refused: with 403, 404 or 409, which have classes of their own below this one, or such as 413.

    Or it answered with what can't be read: then `status_code` is that of a success.
    """

    status_code: int

    def __init__(
        self, message: str, status_code: int, *, code: str | None = None, request_id: str | None = None
    ) -> None:
        super().__init__(message, status_code=status_code, code=code, request_id=request_id)


class PermissionDeniedError(APIError):
    """The key may not do this (403): `code` says what it would take, such as `permission/admin_key_required`."""


class NotFoundError(APIError):
    """There is none, or none that this key sees (404): `code` says of what kind, such as `not_found/snippet`."""


class ConflictError(APIError):
    """What is there already is against it (409): `code` says what, such as `conflict/ambiguous_name`."""


class AuthenticationError(ServiceError):
    """No API key, or one that is not valid (any more)."""


class CacheUnavailableError(ServiceError):
    """The service can't be reached, doesn't answer in time, or fails (5xx)."""

    retry_after: int | None
    """Whole seconds after which the service said that it may work, or `None`."""

    def __init__(
        self,
        message: str,
        *,
        retry_after: int | None = None,
        status_code: int | None = None,
        code: str | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message, status_code=status_code, code=code, request_id=request_id)
        self.retry_after = retry_after


class RateLimitError(ServiceError):
    """Too many requests, also after the retries."""

    retry_after: int | None
    """Whole seconds until the limit is reset, or `None` when the service did not say."""

    def __init__(
        self,
        message: str = "Too many requests",
        retry_after: int | None = None,
        *,
        status_code: int | None = 429,
        code: str | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message, status_code=status_code, code=code, request_id=request_id)
        self.retry_after = retry_after


class ValidationError(ServiceError):
    """The request is not well-formed or out of range."""

    field: str | None
    """The first field that is wrong, as a path like `file_written.path`, or `None`."""
    errors: tuple[FieldError, ...]
    """Every field that is wrong."""

    def __init__(
        self,
        message: str,
        field: str | None = None,
        *,
        errors: tuple[FieldError, ...] = (),
        status_code: int | None = None,
        code: str | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message, status_code=status_code, code=code, request_id=request_id)
        self.field = field
        self.errors = errors
