"""Both clients behind one face, so that each test runs on both: the asynchronous one in a loop of its own."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import httpx2

from cairn_client import AsyncCairn, Cairn
from cairn_client._async.transport import AsyncTransport
from cairn_client._retries import Chance
from cairn_client._sync.transport import Transport
from cairn_client.compat import AsyncRaySurfer, RaySurfer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from anyio.from_thread import BlockingPortal

NOW = 1_800_000_000.0

Handler: TypeAlias = "Callable[[httpx2.Request], httpx2.Response]"


class Blocking:
    """An asynchronous object whose methods block."""

    def __init__(self, portal: BlockingPortal, inner: object) -> None:
        self._portal = portal
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if type(found).__module__.startswith("cairn_client._async"):
            return Blocking(self._portal, found)
        if callable(found):
            return lambda *args, **kwargs: self._called(found, args, kwargs)
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        inner: Any = self._inner
        return self._called(inner, args, kwargs)

    def _called(self, method: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        async def call() -> Any:
            answer = method(*args, **kwargs)
            return await answer if inspect.isawaitable(answer) else answer

        answer = self._portal.call(call)
        return (
            Blocking(self._portal, answer)
            if type(answer).__module__.startswith("cairn_client.")
            and (hasattr(answer, "__aiter__") or isinstance(answer, AsyncCairn | AsyncRaySurfer))
            else answer
        )

    def __enter__(self) -> Any:
        return Blocking(self._portal, self._portal.call(self._inner.__aenter__))  # type: ignore[attr-defined,call-arg]

    def __exit__(self, *error: object) -> None:
        self._portal.call(self._inner.__aexit__, *error)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return repr(self._inner)

    def __next__(self) -> Any:
        async def one() -> Any:
            return await anext(self._inner)  # type: ignore[call-overload]

        return self._portal.call(one)

    def __iter__(self) -> Iterator[Any]:
        async def collected() -> list[Any]:
            return [one async for one in self._inner]  # type: ignore[attr-defined]

        return iter(self._portal.call(collected))


@dataclass
class Kind:
    """One of the two clients."""

    name: str
    portal: BlockingPortal | None
    opened: list[Any] = field(default_factory=list)

    def cairn(self, *args: Any, **options: Any) -> Cairn:
        return cast("Cairn", self._made(Cairn, AsyncCairn, args, options))

    def raysurfer(self, *args: Any, **options: Any) -> RaySurfer:
        return cast("RaySurfer", self._made(RaySurfer, AsyncRaySurfer, args, options))

    def http(self, handler: Handler) -> Any:
        transport = httpx2.MockTransport(handler)
        if self.portal is None:
            return httpx2.Client(transport=transport)
        return httpx2.AsyncClient(transport=transport)

    def mocked(
        self, handler: Callable[[httpx2.Request], httpx2.Response], chance: float = 0.0, **options: Any
    ) -> Mocked:
        """A client over a handler, whose waits are noted and not waited."""
        options = {"api_key": "cairn_live_secret", "base_url": "http://cairn.test", **options}
        client = self.cairn(**options, http_client=self.http(handler))
        waits: list[float] = []
        transport = timed(client, waits, chance)
        inner: Any = client._inner if isinstance(client, Blocking) else client
        inner._begin(transport, owned=True)
        return Mocked(client, waits)

    def _made(self, sync: type, asynchronous: type, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if self.portal is None:
            client: Any = sync(*args, **options)
        else:
            client = Blocking(self.portal, asynchronous(*args, **options))
        self.opened.append(client)
        return client


@dataclass
class Mocked:
    client: Cairn
    waits: list[float]


def timed(client: object, waits: list[float], chance: float = 0.0) -> Any:
    """A client's transport with a clock and a die of the test's."""
    certain = Chance(random=lambda: chance, now=lambda: NOW)
    inner: Any = client._inner if isinstance(client, Blocking) else client
    transport = inner._transport

    async def note(seconds: float) -> None:
        waits.append(seconds)

    if isinstance(transport, AsyncTransport):
        return AsyncTransport(transport.settings, transport.pools, sleep=note, chance=certain)
    return Transport(transport.settings, transport.pools, sleep=waits.append, chance=certain)
