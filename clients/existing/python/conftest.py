from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING

import pytest

pytest.register_assert_rewrite("here", "methods")

from here import Here  # noqa: E402 # once pytest knows
from messages import Messages  # noqa: E402
from tests import service as services  # noqa: E402
from tests.long import at_night  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.service import Service


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("service")


@pytest.fixture(scope="session")
def service(folder: Path) -> Iterator[Service]:
    reason = services.missing()
    if reason is not None:
        pytest.skip(reason)
    yield from services.running(folder)


@pytest.fixture(scope="session")
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _loop_is_the_thread_s(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Some of the published client's blocking methods look for one, and some leave none behind."""
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_KEY", "BASE_URL", "LOG", "DEBUG", "RUN_PARSE_SAMPLE_RATE"):
        monkeypatch.delenv(f"CAIRN_{name}", raising=False)
        monkeypatch.delenv(f"RAYSURFER_{name}", raising=False)


@pytest.fixture(params=["raysurfer", "cairn_client.compat"])
def library(request: pytest.FixtureRequest) -> str:
    return str(request.param)


# our blocking client is generated from the other, and clients/python tests both; both of the published clients ask for
# the same: the asynchronous one at night
@pytest.fixture(params=["raysurfer sync", pytest.param("raysurfer async", marks=at_night), "cairn_client.compat async"])
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def here(way: str, service: Service, loop: asyncio.AbstractEventLoop) -> Iterator[Here]:
    """Both libraries: the same program with one changed import."""
    library, kind = way.split()
    made = Here(importlib.import_module(library), kind, service, loop)
    yield made
    made.close()


@pytest.fixture(params=["sync", "async"])
def theirs(request: pytest.FixtureRequest, service: Service, loop: asyncio.AbstractEventLoop) -> Iterator[Here]:
    """The published library only."""
    made = Here(importlib.import_module("raysurfer"), request.param, service, loop)
    yield made
    made.close()


@pytest.fixture(scope="session")
def messages() -> Iterator[Messages]:
    with Messages.started() as api:
        yield api


@pytest.fixture(scope="session")
def modelled(tmp_path_factory: pytest.TempPathFactory, messages: Messages) -> Iterator[Service]:
    """A service with a language model, which takes one deletion a minute of each key."""
    also = {"ANTHROPIC_API_KEY": messages.key, "ANTHROPIC_BASE_URL": messages.url, "CAIRN_RATE_LIMITS": "other=1"}
    yield from services.running(tmp_path_factory.mktemp("modelled"), also)
