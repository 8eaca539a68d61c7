"""A fresh world for each session."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.agent.session.world import World
    from tests.service import Service


LOOPS = ["asyncio", "trio"]
# where the loop has a part in what is seen: cancelling, leaving, delivering; elsewhere both only with CAIRN_LONG=1
OF_LOOPS = ("test_ends", "test_delivery", "test_own_client")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "loop" not in metafunc.fixturenames:
        return
    both = os.environ.get("CAIRN_LONG") == "1" or metafunc.module.__name__.endswith(OF_LOOPS)
    metafunc.parametrize("loop", LOOPS if both else LOOPS[:1])


@pytest.fixture
def world(loop: str, service: Service, tmp_path: Path) -> World:
    # not above: without the agent SDK this module skips whoever imports it
    from tests.agent.session.world import World

    made = World(service, Path(os.path.realpath(tmp_path)) / "work", tmp_path / "home", loop)
    made.folder.mkdir()
    made.home.mkdir()
    return made
