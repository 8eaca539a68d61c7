"""A fresh world for each session."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.long import IS_LONG

if TYPE_CHECKING:
    from tests.agent.session.world import World
    from tests.service import Service


LOOPS = ["asyncio", "trio"]
# cancelling and leaving are the loop's own doing: on both. Elsewhere one shows what is sent: trio of what is delivered,
# asyncio of the rest. At night both show all of it.
OF_LOOPS = {"test_ends": LOOPS, "test_delivery": ["trio"]}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "loop" not in metafunc.fixturenames:
        return
    name = metafunc.module.__name__.rpartition(".")[2]
    loops = LOOPS if IS_LONG else OF_LOOPS.get(name, ["asyncio"])
    metafunc.parametrize("loop", loops)


@pytest.fixture
def world(loop: str, service: Service, tmp_path: Path) -> World:
    # not above: without the agent SDK this module skips whoever imports it
    from tests.agent.session.world import World

    made = World(service, Path(os.path.realpath(tmp_path)) / "work", tmp_path / "home", loop)
    made.folder.mkdir()
    made.home.mkdir()
    return made
