"""Sends requests, and sends them again."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

import anyio
import httpx2

from cairn_client._answers import error_of, parsed, remember, request_id_of, unreachable, without_key
from cairn_client._deadline import time_left
from cairn_client._logs import shown, tell_of_wait
from cairn_client._pools import AsyncPools
from cairn_client._request import prepare
from cairn_client._retries import Chance, backoff, may_pass, wait_after
from cairn_client.types.model import Result

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from cairn_client._request import Prepared, Request
    from cairn_client._settings import Overrides, Settings
    from cairn_client.errors import ServiceError

R = TypeVar("R", bound=Result)


class AsyncTransport:
    """A client's connections, options and retries."""

    def __init__(
        self,
        settings: Settings,
        pools: AsyncPools,
        *,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
        chance: Chance | None = None,
    ) -> None:
        self.settings = settings
        self.pools = pools
        self._sleep = sleep
        self._chance = chance or Chance()

    @property
    def http(self) -> httpx2.AsyncClient:
        """The connections to use now."""
        return self.pools.current()

    def with_(self, overrides: Overrides, http_client: httpx2.AsyncClient | None = None) -> AsyncTransport:
        """The same connections with other options."""
        pools = self.pools if http_client is None else AsyncPools(http_client)
        return AsyncTransport(self.settings.with_(overrides), pools, sleep=self._sleep, chance=self._chance)

    async def close(self) -> None:
        """Closes the connections."""
        await self.pools.aclose()

    async def ask(self, request: Request, model: type[R]) -> R:
        """Sends a request, and reads its answer as a result."""
        return parsed(await self.send(request), model)

    async def send(self, request: Request) -> httpx2.Response:
        """Sends a request until it is answered, fails for good, or was tried often enough."""
        prepared = prepare(request, self.settings)
        if not request.open and self.pools.given is None and "authorization" not in prepared.headers:
            raise without_key()
        logger = self.settings.logger
        attempt = 0
        while True:
            failure: httpx2.RequestError | None = None
            problem: ServiceError
            started = time.monotonic()
            try:
                response = await self._once(prepared)
            except httpx2.RequestError as error:
                failure, what = error, type(error).__name__
                wait = backoff(attempt, self._chance) if may_pass(error) else None
                problem = unreachable(self.settings.base_url, error, attempt + 1)
            else:
                took = round((time.monotonic() - started) * 1000)
                what = str(response.status_code)
                logger.info(
                    "%s %s answered %s in %d ms, request %s",
                    *(prepared.method, prepared.path, what, took, request_id_of(response)),
                )
                if response.is_success or (request.accepts is not None and request.accepts(response)):
                    remember(response)
                    return response
                problem = error_of(response, self._chance.now())
                wait = wait_after(response, attempt, self._chance, problem.code)
            if not await self.waits(prepared, what, attempt, wait):
                raise problem from failure
            attempt += 1

    async def waits(self, prepared: Prepared, why: str, attempt: int, wait: float | None) -> bool:
        """Waits until a request is sent again, and tells of it; `False` at once when it is not.

        `attempt`: how many were before the one that failed.
        """
        if wait is None or attempt >= prepared.max_retries or wait >= time_left():
            return False
        tell_of_wait(self.settings.logger, prepared, why, attempt, wait)
        await self._sleep(wait)
        return True

    async def _once(self, prepared: Prepared) -> httpx2.Response:
        self.settings.logger.debug("%s %s headers %s", prepared.method, prepared.path, shown(prepared.headers))
        return await self.http.request(
            prepared.method,
            prepared.url,
            headers=prepared.headers,
            content=prepared.content,
            params=prepared.params or None,
            timeout=prepared.timeout,
        )
