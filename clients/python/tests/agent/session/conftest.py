"""A fresh world for each session."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.agent.session.world import World
    from tests.service import Service


@pytest.fixture(params=["asyncio", "trio"])
def world(request: pytest.FixtureRequest, service: Service, tmp_path: Path) -> World:
    # not above: without the agent SDK this module skips whoever imports it
    from tests.agent.session.world import World

    made = World(service, Path(os.path.realpath(tmp_path)) / "work", tmp_path / "home", request.param)
    made.folder.mkdir()
    made.home.mkdir()
    return made
