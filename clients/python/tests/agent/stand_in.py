"""A stand-in of the Messages API on a free port of the loopback, which streams what a script says."""

from __future__ import annotations

import json
import re
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Body: TypeAlias = dict[str, Any]
Reply: TypeAlias = dict[str, Any]

DONE: Reply = {"content": [{"type": "text", "text": "Done."}]}
KEY = "sk-ant-stand-in"


def calls(name: str, **given: Any) -> Reply:
    return {"content": [{"type": "tool_use", "name": name, "input": given}]}


def shown(body: Body) -> str:
    """What the model is shown, as one text."""
    return json.dumps(body, ensure_ascii=False)


def offered_path(body: Body, name: str) -> str:
    """Where the model was told that a file lies."""
    found = re.search(rf"→ `([^`]+/{re.escape(name)})`", shown(body))
    assert found is not None, "the file was not offered"
    return found[1]


@dataclass
class Model:
    url: str
    requests: list[Body] = field(default_factory=list)


@contextmanager
def model(*turns: Reply | Callable[[Body], Reply]) -> Iterator[Model]:
    """The n-th answer of a conversation is the n-th turn, and then it is done."""
    api = Model("")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self.answer(404, "application/json", b"")

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if not self.path.startswith("/v1/messages") or self.headers.get("x-api-key") != KEY:
                return self.refuse(404)
            api.requests.append(body)
            said = sum(message["role"] == "assistant" for message in body["messages"])
            turn = turns[said] if said < len(turns) else DONE
            reply = turn(body) if callable(turn) else turn
            if "status" in reply:
                return self.refuse(reply["status"])
            events = "".join(
                f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in streamed(body, reply)
            )
            return self.answer(200, "text/event-stream", events.encode())

        def refuse(self, status: int) -> None:
            error = {"type": "error", "error": {"type": "api_error", "message": f"status {status}"}}
            self.answer(status, "application/json", json.dumps(error).encode())

        def answer(self, status: int, kind: str, content: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """Whoever asked has left."""

    with Server(("127.0.0.1", 0), Handler) as server:
        api.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield api
        finally:
            server.shutdown()
            thread.join()


def streamed(body: Body, reply: Reply) -> Iterator[dict[str, Any]]:
    count = len(body["messages"])
    uses = any(block["type"] == "tool_use" for block in reply["content"])
    start = {"id": f"msg_{count}", "type": "message", "role": "assistant", "model": body["model"], "content": []}
    usage = {"input_tokens": 10, "output_tokens": 5}
    yield {"type": "message_start", "message": {**start, "stop_reason": None, "stop_sequence": None, "usage": usage}}
    for index, block in enumerate(reply["content"]):
        if block["type"] == "text":
            opening: dict[str, Any] = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            opening = {"type": "tool_use", "id": f"toolu_{count}_{index}", "name": block["name"], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": opening}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = {"stop_reason": "tool_use" if uses else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": usage}
    yield {"type": "message_stop"}
