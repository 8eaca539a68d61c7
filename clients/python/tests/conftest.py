from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from anyio.from_thread import start_blocking_portal

from tests import service as services
from tests.kinds import Kind
from tests.long import IS_LONG

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


# What is sent to the service, and read of its answers, is the same on every kind of client: these files show it on
# asyncio, and of the two others the first test of each file, and the rest at night. What a kind may do otherwise is
# shown on all of them each time: streams, chats, cuts, retries, files, connections; and each call of the synchronous
# one in parity/test_calls.py.
ON_ASYNCIO = {f"tests.{name}" for name in ("test_operations", "test_snippets", "test_tenant", "compat.test_service")}
_left: list[pytest.Item] = []


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if IS_LONG:
        return
    first: dict[str, str] = {}
    kept: list[pytest.Item] = []
    for item in items:
        assert isinstance(item, pytest.Function)
        module, name = item.module.__name__, item.originalname
        kind = item.callspec.params.get("kind") if hasattr(item, "callspec") else None
        is_left = module in ON_ASYNCIO and kind in ("sync", "trio") and first.setdefault(module, name) != name
        (_left if is_left else kept).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=_left)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _left:
        kinds = "of the synchronous client and of trio are left to nights (CAIRN_LONG=1): tests/conftest.py says which"
        terminalreporter.write_line(f"{len(_left)} tests {kinds}")


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
