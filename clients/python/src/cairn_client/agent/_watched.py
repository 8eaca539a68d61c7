"""Functions whose calls are told of when they end."""

from __future__ import annotations

import inspect
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from cairn_client.compat._tracking import is_cancelled

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Run:
    """One call that has ended."""

    args: tuple[Any, ...]
    """Without the object whose method it is."""
    kwargs: dict[str, Any]
    duration_ms: int
    result: object
    error: BaseException | None


class _Call:
    """One call, which tells of its end once. Whatever goes wrong with that disturbs nobody."""

    def __init__(self, ended: Callable[[Run], None], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._ended = ended
        self._given = (args, kwargs)
        self._begun = time.perf_counter()

    def gave(self, result: object) -> None:
        """It came to its end."""
        self._tell(result, None)

    def raised(self, error: BaseException) -> None:
        """It did not. A program that is stopped has other cares."""
        if isinstance(error, Exception) or is_cancelled(error):
            self._tell(None, error)

    def _tell(self, result: object, error: BaseException | None) -> None:
        took = int((time.perf_counter() - self._begun) * 1000)
        # whatever it is, the function's own outcome counts
        with suppress(Exception):
            self._ended(Run(*self._given, took, result, error))


def watched(function: Callable[P, T], ended: Callable[[Run], None]) -> Callable[P, T]:
    """The same function, of the same kind: of a generator the run ends when that does, or nobody wants more of it."""
    work: Any = function
    skipped = 1 if _is_method(function) else 0

    def begun(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Call:
        return _Call(ended, args[skipped:], kwargs)

    @wraps(work)
    def plain(*args: Any, **kwargs: Any) -> Any:
        call = begun(args, kwargs)
        try:
            result = work(*args, **kwargs)
        except BaseException as error:
            call.raised(error)
            raise
        call.gave(result)
        return result

    @wraps(work)
    async def coroutine(*args: Any, **kwargs: Any) -> Any:
        call = begun(args, kwargs)
        try:
            result = await work(*args, **kwargs)
        except BaseException as error:
            call.raised(error)
            raise
        call.gave(result)
        return result

    @wraps(work)
    def generator(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        call = begun(args, kwargs)
        try:
            result = yield from work(*args, **kwargs)
        except GeneratorExit:
            call.gave(None)
            raise
        except BaseException as error:
            call.raised(error)
            raise
        call.gave(result)
        return result

    @wraps(work)
    async def asynchronous_generator(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        call = begun(args, kwargs)
        source = work(*args, **kwargs)
        try:
            item = await source.__anext__()
            while True:
                try:
                    sent = yield item
                except GeneratorExit:
                    await source.aclose()
                    raise
                except BaseException as error:  # noqa: BLE001 # what is thrown into it is the source's
                    item = await source.athrow(error)
                else:
                    item = await source.asend(sent)
        except (GeneratorExit, StopAsyncIteration) as end:
            call.gave(None)
            if isinstance(end, GeneratorExit):
                raise
        except BaseException as error:
            call.raised(error)
            raise

    kind: Any = plain
    if inspect.iscoroutinefunction(function):
        kind = coroutine
    elif inspect.isasyncgenfunction(function):
        kind = asynchronous_generator
    elif inspect.isgeneratorfunction(function):
        kind = generator
    return cast("Callable[P, T]", kind)


def _is_method(function: Callable[..., Any]) -> bool:
    """Whether it takes the object or class that it belongs to, which is no value of the call."""
    names = list(inspect.signature(function).parameters)
    return bool(names) and names[0] in ("self", "cls")
