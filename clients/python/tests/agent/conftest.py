"""Sessions by their hooks, on both clients."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cairn_client import AsyncCairn, Cairn
from tests.agent.hooked import World


@pytest.fixture(params=[Cairn, AsyncCairn])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    return World(Path(os.path.realpath(tmp_path)), request.param)


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CAIRN_DEBUG", raising=False)
