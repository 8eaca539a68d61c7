"""Connections: a pool of them for each place that can't share one with another."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import NoReturn

import httpx2
from anyio.lowlevel import current_token

# the service closes idle connections after five seconds: one that is used just then is cut
_LIMITS = httpx2.Limits(max_connections=1000, max_keepalive_connections=100, keepalive_expiry=4.0)


class Pools:
    """The connections of a client and its copies: those of an `httpx2.Client` that it was given, or its own.

    Two processes must not write to one socket: after a fork, the child gets a pool of its own and leaves its parent's.
    """

    def __init__(self, given: httpx2.Client | None = None) -> None:
        self.given = given
        self._made: dict[int, httpx2.Client] = {}
        self._closed = False
        if given is not None and not isinstance(given, httpx2.Client):
            _refuse(given, "httpx2.Client")

    def current(self) -> httpx2.Client:
        """The connections to use in this process."""
        if self.given is not None:
            return self.given
        if self._closed:
            _refuse_closed()
        process = os.getpid()
        # not locked, since a fork may come while a lock is held: of two that are made at once, one is left unused
        return self._made.get(process) or self._made.setdefault(process, httpx2.Client(limits=_LIMITS))

    def close(self) -> None:
        """Closes them."""
        self._closed = True
        for http in (self.given, self._made.get(os.getpid())):
            if http is not None:
                http.close()

    def __del__(self) -> None:
        # what nobody closed, as with any file: without a word
        http = self._made.get(os.getpid())
        if http is not None:
            with suppress(Exception):
                http.close()

    def __reduce__(self) -> NoReturn:
        _refuse_pickling()


class AsyncPools:
    """The connections of a client and its copies: those of an `httpx2.AsyncClient` that it was given, or its own.

    A socket belongs to one event loop: a client that is made once has a pool in each, such as of one `asyncio.run`
    after the other.
    """

    def __init__(self, given: httpx2.AsyncClient | None = None) -> None:
        self.given = given
        self._made: dict[object, httpx2.AsyncClient] = {}
        self._closed = False
        if given is not None and not isinstance(given, httpx2.AsyncClient):
            _refuse(given, "httpx2.AsyncClient")

    def current(self) -> httpx2.AsyncClient:
        """The connections to use in this event loop."""
        if self.given is not None:
            return self.given
        if self._closed:
            _refuse_closed()
        loop = current_token()
        if loop not in self._made:
            for other in list(self._made):
                if _has_ended(other):
                    self._made.pop(other, None)
            self._made[loop] = httpx2.AsyncClient(limits=_LIMITS)
        return self._made[loop]

    async def aclose(self) -> None:
        """Closes those of this event loop. Those of others end with these."""
        self._closed = True
        for http in (self.given, self._made.get(current_token())):
            if http is not None:
                await http.aclose()
        self._made.clear()

    def __reduce__(self) -> NoReturn:
        _refuse_pickling()


def _has_ended(token: object) -> bool:
    loop = getattr(token, "native_token", token)
    is_closed = getattr(loop, "is_closed", None)  # asyncio's; trio does not say
    return is_closed is not None and bool(is_closed())


def _refuse(given: object, expected: str) -> NoReturn:
    kind = type(given)
    raise TypeError(f"http_client is a {kind.__module__}.{kind.__qualname__}; expected an {expected}")


def _refuse_closed() -> NoReturn:
    raise RuntimeError("This client is closed; make a new one, or use it inside of its `with` block")


def _refuse_pickling() -> NoReturn:
    raise TypeError("A client can't be pickled: it has connections and a key. Make one in each process")
