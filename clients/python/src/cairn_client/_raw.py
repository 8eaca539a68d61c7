"""Answers as they came, beside what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Generic, ParamSpec, TypeVar

from cairn_client._answers import remembered, request_id_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import httpx2

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RawResponse(Generic[T]):
    """A result together with the HTTP answer that it was read from."""

    http_response: httpx2.Response
    _result: T

    def parse(self) -> T:
        """What the method itself returns."""
        return self._result

    @property
    def status_code(self) -> int:
        """The answer's status."""
        return self.http_response.status_code

    @property
    def headers(self) -> httpx2.Headers:
        """The answer's headers, such as `cairn-position`."""
        return self.http_response.headers

    @property
    def request_id(self) -> str | None:
        """The id under which the service logged the request."""
        return request_id_of(self.http_response)


def raw(method: Callable[P, T]) -> Callable[P, RawResponse[T]]:
    """The same method, returning the answer too."""

    @wraps(method)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> RawResponse[T]:
        with remembered() as answers:
            result = method(*args, **kwargs)
        return RawResponse(answers[-1], result)

    return wrapped


def async_raw(method: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[RawResponse[T]]]:
    """The same method, returning the answer too."""

    @wraps(method)
    async def wrapped(*args: P.args, **kwargs: P.kwargs) -> RawResponse[T]:
        with remembered() as answers:
            result = await method(*args, **kwargs)
        return RawResponse(answers[-1], result)

    return wrapped
