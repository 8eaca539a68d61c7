"""A stand-in of the Messages API for the service: it writes a file, grades, and fills in reviews."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

REVIEW: dict[str, Any] = {
    "verdict": "thumbs_down",
    "reasoning": "It lost a row.",
    "what_worked": ["speed"],
    "what_didnt_work": ["quotes"],
    "output_was_useful": True,
    "output_was_correct": False,
    "output_was_complete": False,
    "error_was_appropriate": None,
    "would_use_again": False,
    "suggested_improvements": ["quote"],
    "required_workaround": False,
    "workaround_description": None,
}
FILLED_IN = {"grade": {"verdict": "thumbs_up", "reason": "It does what it says."}, "review": REVIEW}


def use(name: str, given: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "tool_use", "id": f"toolu_{name}", "name": name, "input": given}]


def said(body: dict[str, Any]) -> list[dict[str, Any]]:
    forced = (body.get("tool_choice") or {}).get("name")
    if forced in FILLED_IN:
        return use(forced, FILLED_IN[forced])
    if body["messages"][-1]["role"] == "user" and len(body["messages"]) == 1:
        return use("Write", {"file_path": "answer.txt", "content": "42\n"})
    return [{"type": "text", "text": "It is in answer.txt."}]


@dataclass
class Messages:
    url: str
    key: str = "sk-ant-stand-in"
    requests: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[Messages]:
        api = cls("")

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: object) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                api.requests.append(body)
                content = said(body)
                message = {
                    "id": f"msg_{len(api.requests)}",
                    "type": "message",
                    "role": "assistant",
                    "model": body["model"],
                    "content": content,
                    "stop_reason": "tool_use" if content[0]["type"] == "tool_use" else "end_turn",
                    "stop_sequence": None,
                    "usage": {"input_tokens": 10, "output_tokens": 5},
                }
                answer = json.dumps(message).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

        class Server(ThreadingHTTPServer):
            daemon_threads = True

        with Server(("127.0.0.1", 0), Handler) as server:
            api.url = f"http://127.0.0.1:{server.server_address[1]}"
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            try:
                yield api
            finally:
                server.shutdown()
                thread.join()
