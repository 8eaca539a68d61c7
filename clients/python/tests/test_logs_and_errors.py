"""What is said of requests: in logs, in errors."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from cairn_client import CacheUnavailableError
from tests.test_options import KEY, Recorder

if TYPE_CHECKING:
    from tests.kinds import Kind


def test_no_secret_is_shown(kind: Kind, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    caplog.set_level(logging.DEBUG)
    recorder = Recorder()
    client = kind.mocked(recorder, api_key=KEY).client
    secrets = {"Cookie": "session-1", "X-Api-Key": "key-1", "Proxy-Authorization": "proxy-1", "X-Auth-Token": "token-1"}
    client.search("a private task", extra_headers=secrets)
    failing = kind.mocked(Recorder(500), api_key=KEY).client
    with pytest.raises(CacheUnavailableError) as raised:
        failing.search("a private task")
    said = caplog.text + repr(client) + repr(raised.value) + str(raised.value)
    assert "POST /api/retrieve/search answered 500" in caplog.text
    assert "attempt 2 of 3 follows" in caplog.text
    for secret in (KEY, "private task", *secrets.values()):
        assert secret not in said
    out, err = capfd.readouterr()
    assert out == ""
    assert KEY not in err


def test_a_logger_of_your_own(kind: Kind) -> None:
    records: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = records.append  # type: ignore[method-assign,assignment]
    logger = logging.Logger("mine", logging.INFO)
    logger.addHandler(handler)
    kind.mocked(Recorder(), logger=logger).client.search("a")
    assert [record.getMessage().split(" in ")[0] for record in records] == ["POST /api/retrieve/search answered 200"]


@pytest.mark.parametrize(("level", "expected"), [("debug", 10), ("INFO", 20), ("warn", 30), ("error", 40), ("off", 51)])
def test_the_level_comes_from_the_environment(
    kind: Kind, monkeypatch: pytest.MonkeyPatch, level: str, expected: int
) -> None:
    logger = logging.getLogger("cairn_client")
    before = logger.level
    monkeypatch.setenv("CAIRN_LOG", level)
    try:
        kind.cairn()
        assert logger.level == expected
    finally:
        logger.setLevel(before)
