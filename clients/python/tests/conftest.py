from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from anyio.from_thread import start_blocking_portal

from tests import service as services
from tests.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from anyio.from_thread import BlockingPortal

    from cairn_client import Cairn
    from cairn_client.compat import RaySurfer
    from tests.service import Service


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    reason = services.missing()
    if reason is not None:
        pytest.skip(reason)
    yield from services.running(tmp_path_factory.mktemp("service"))


@pytest.fixture(scope="session")
def portals() -> Iterator[Mapping[str, BlockingPortal]]:
    """A loop of each kind that the asynchronous client runs in."""
    with start_blocking_portal("asyncio") as asyncio, start_blocking_portal("trio") as trio:
        yield {"asyncio": asyncio, "trio": trio}


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_KEY", "BASE_URL", "LOG"):
        monkeypatch.delenv(f"CAIRN_{name}", raising=False)
        monkeypatch.delenv(f"RAYSURFER_{name}", raising=False)


@pytest.fixture(params=["sync", "asyncio", "trio"])
def kind(request: pytest.FixtureRequest, portals: Mapping[str, BlockingPortal]) -> Iterator[Kind]:
    made = Kind(request.param, portals.get(request.param))
    yield made
    for client in made.opened:
        client.close()


@pytest.fixture
def client(kind: Kind, service: Service) -> Cairn:
    """A client of the real service."""
    return kind.cairn(service.key, service.base_url)


@pytest.fixture
def raysurfer(kind: Kind, service: Service) -> RaySurfer:
    return kind.raysurfer(service.key, service.base_url)
