"""A real service as a process, for the whole session."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import string
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[3]
DEADLINE = 300
"""Seconds for a first start, with other work on the machine."""


@dataclass(frozen=True)
class Service:
    base_url: str
    key: str
    port: int


def missing() -> str | None:
    """Why no service can be started here."""
    if shutil.which("node") is None:
        return "node is not installed, so that no service can be started"
    if not (ROOT / "start.cjs").exists() or not (ROOT / "node_modules" / "effect").exists():
        return "no installed checkout of the service is around this folder (npm ci)"
    return None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def running(folder: Path, also: Mapping[str, str] | None = None) -> Iterator[Service]:
    """A service in a folder; `also`: what its environment says besides."""
    port = free_port()
    key = "cairn_live_" + "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(43))
    service = Service(f"http://127.0.0.1:{port}", key, port)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("CAIRN_", "ANTHROPIC_"))}
    environment |= {
        "PORT": str(port),
        "CAIRN_DATA_DIR": str(folder / "data"),
        "CAIRN_OWNER_KEY": key,
        "CAIRN_RATE_LIMITS": "off",
        # on a machine with much else to do the read models may be more than a second behind the log
        "CAIRN_READ_PATIENCE_MS": "60000",
        **(also or {}),
    }
    log = folder / "service.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["node", "start.cjs", "serve"], cwd=ROOT, env=environment, stdout=output, stderr=output
        )
        try:
            wait_until_ready(service, process, log)
            yield service
            if process.poll() is not None:
                raise RuntimeError(f"The service ended before the tests did: {process.returncode}\n{tail(log)}")
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_until_ready(service: Service, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + DEADLINE
    while process.poll() is None and time.monotonic() < end:
        try:
            if httpx2.get(f"{service.base_url}/ready", trust_env=False).status_code == 200:
                return
        except httpx2.TransportError:
            pass
        time.sleep(0.1)
    raise RuntimeError(f"The service is not ready:\n{tail(log)}")


def tail(log: Path) -> str:
    return log.read_text(errors="replace")[-4000:]
