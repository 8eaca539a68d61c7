"""Whose connections a client uses: in loops, in threads, after a fork; and what is left of them."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import gc
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cairn_client import AsyncCairn, Cairn
from tests.test_options import KEY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.kinds import Kind
    from tests.service import Service


FILES = Path("/proc/self/fd")

pytestmark = pytest.mark.skipif(not FILES.exists(), reason="this system has no list of open files")


class Peer(BaseHTTPRequestHandler):
    """Says over which connection it was asked."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        content = b'{"matches": [], "cache_hit": false, "total_found": %d}' % self.client_address[1]
        self.send_response(200)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def peer() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Peer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def sockets() -> int:
    """How many this process has."""
    gc.collect()
    found = 0
    for entry in FILES.iterdir():
        with contextlib.suppress(FileNotFoundError):
            found += str(entry.readlink()).startswith("socket:")
    return found


def says(program: str, peer: str, *options: str) -> str:
    """What a program prints that has no sockets but its own."""
    command = [sys.executable, *options, "-c", program, peer]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout


FORKED = """
import os, sys
from cairn_client import Cairn
client = Cairn("k", sys.argv[1])
def connection():
    return client.search("a").total_found
first = connection()
if child := os.fork():
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert connection()
    print("fine")
else:
    os._exit(first in {connection(), connection()})
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_forked_process_has_connections_of_its_own(peer: str) -> None:
    assert says(FORKED, peer, "-X", "dev", "-W", "error") == "fine\n"


ONE_LOOP_AFTER_ANOTHER = """
import asyncio, gc, os, sys, trio
from cairn_client import AsyncCairn
client = AsyncCairn("k", sys.argv[1])
async def connections():
    return {(await client.search("a")).total_found for _ in range(3)}
used = [asyncio.run(connections()), asyncio.run(connections()), trio.run(connections), asyncio.run(connections())]
assert len(set.union(*used)) == sum(map(len, used)), used
gc.collect()
folder = "/proc/self/fd"
print("sockets", sum("socket:" in os.path.realpath(f"{folder}/{name}") for name in os.listdir(folder)))
"""


def test_an_asynchronous_client_works_in_one_loop_after_another(peer: str) -> None:
    said = says(ONE_LOOP_AFTER_ANOTHER, peer)
    # of the last loop, and of trio's, which does not say that it has ended
    assert said in ("sockets 1\n", "sockets 2\n")


def test_threads_share_a_client(service: Service) -> None:
    with Cairn(service.key, service.base_url) as client:

        def ask(number: int) -> bool:
            raw = client.with_raw_response.search(f"task {number}")
            return raw.request_id == raw.parse().request_id

        with ThreadPoolExecutor(20) as threads:
            assert all(threads.map(ask, range(100)))


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_loops_of_several_threads_share_an_asynchronous_client(service: Service) -> None:
    client = AsyncCairn(service.key, service.base_url)
    together = threading.Barrier(4)

    async def ask() -> int:
        together.wait()
        return len(await asyncio.gather(*(client.search("a") for _ in range(5))))

    async def all_of_it() -> int:
        asked = await ask()
        async with client.with_options(timeout=30) as copied:  # closes nothing
            await copied.search("a")
        return asked

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda _: asyncio.run(all_of_it()), range(4))) == [5, 5, 5, 5]
    asyncio.run(client.close())
    gc.collect()


def test_a_hundred_at_once_and_nothing_left(service: Service) -> None:
    async def many() -> None:
        before = sockets()
        async with AsyncCairn(service.key, service.base_url) as client:
            answers = await asyncio.gather(*(client.with_raw_response.search(f"task {n}") for n in range(100)))
        assert len({answer.request_id for answer in answers}) == 100
        assert sockets() == before

    asyncio.run(many())


def test_calls_that_are_given_up_leave_no_sockets(service: Service) -> None:
    async def hasty() -> None:
        before = sockets()
        async with AsyncCairn(service.key, service.base_url) as client:
            for yields in range(40):
                calls = [asyncio.create_task(client.search("a")) for _ in range(5)]
                for _ in range(yields):
                    await asyncio.sleep(0)
                for call in calls:
                    call.cancel()
                await asyncio.gather(*calls, return_exceptions=True)
            assert (await client.search("a")).cache_hit in (True, False)
        assert sockets() == before

    asyncio.run(hasty())


def test_a_client_that_is_closed_says_so(kind: Kind, service: Service) -> None:
    client = kind.cairn(service.key, service.base_url)
    copied = client.with_options(timeout=5)
    copied.search("a")
    copied.close()
    client.search("a")
    client.close()
    client.close()
    for closed in (client, copied):
        with pytest.raises(RuntimeError, match="This client is closed; make a new one"):
            closed.search("a")


LEFT_OPEN = """
import sys
from cairn_client import Cairn
client = Cairn("k", sys.argv[1])
client.search("a")
Cairn("k", sys.argv[1]).search("a")
print("fine")
"""


def test_a_client_that_nobody_closes_ends_quietly(peer: str) -> None:
    assert says(LEFT_OPEN, peer, "-X", "dev", "-W", "error") == "fine\n"


@pytest.mark.parametrize("make", [Cairn, AsyncCairn])
def test_a_client_is_not_pickled_with_its_key(make: type[Cairn | AsyncCairn]) -> None:
    client = make(KEY)
    for dumped in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="can't be pickled: it has connections and a key"):
            dumped(client)
    assert KEY not in repr(client) + repr(vars(client)) + repr(vars(client._transport))
