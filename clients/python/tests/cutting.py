"""A wire to the service that is cut at first."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def cutting(port: int, cuts: int, how: Literal["before", "within", "silent"]) -> Iterator[str]:
    """The address of a proxy whose first connections end when the service has answered: before or within the answer.

    `silent` ones stay open, and the answer never comes.
    """
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(client: socket.socket, cut: bool) -> None:
        with client, socket.create_connection(("127.0.0.1", port)) as upstream:
            threading.Thread(target=pump, args=(client, upstream), daemon=True).start()
            while answer := upstream.recv(65536):
                if cut and how == "silent":
                    continue
                if cut:
                    if how == "within":
                        client.sendall(answer[: answer.index(b"\r\n\r\n") + 10])
                    client.shutdown(socket.SHUT_RDWR)
                    return
                client.sendall(answer)

    def pump(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def accept() -> None:
        count = 0
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                threading.Thread(target=serve, args=(client, count < cuts), daemon=True).start()
                count += 1

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()
