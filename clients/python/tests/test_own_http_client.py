"""Connections of one's own: what they bring is kept. And what others are asked: proxies, redirects."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from cairn_client import APIError
from tests.answering import FOUND, Answers, status
from tests.test_options import KEY, Recorder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.kinds import Kind


def http_of(kind: Kind, handler: Any, **options: Any) -> Any:
    make: Any = httpx2.Client if kind.portal is None else httpx2.AsyncClient
    return make(transport=httpx2.MockTransport(handler), **options)


def test_its_headers_and_cookies_are_sent(kind: Kind) -> None:
    recorder = Recorder()
    headers = {"X-Own": "own", "User-Agent": "own", "Authorization": "Bearer own"}
    http = http_of(kind, recorder, headers=headers, cookies={"place": "b"})
    client = kind.cairn(base_url="http://cairn.test", http_client=http)
    client.search("a")
    sent = recorder.last.headers
    assert (sent["x-own"], sent["cookie"], sent["authorization"]) == ("own", "place=b", "Bearer own")
    # what is said of this client is said last
    client.with_options(api_key=KEY).search("a", extra_headers={"X-OWN": "of this call"})
    assert (recorder.last.headers["authorization"], recorder.last.headers["x-own"]) == (f"Bearer {KEY}", "of this call")


def test_its_auth_is_asked(kind: Kind) -> None:
    recorder = Recorder()
    http = http_of(kind, recorder, auth=("user", "password"))
    kind.cairn(base_url="http://cairn.test", http_client=http).search("a")
    assert recorder.last.headers["authorization"].startswith("Basic ")


def test_it_stays_open(kind: Kind) -> None:
    http = http_of(kind, Recorder())
    for _ in range(2):
        with kind.cairn("k", "http://cairn.test", http_client=http) as client:
            client.search("a")
    assert not http.is_closed


@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_a_redirect_is_not_followed_and_says_where_to(kind: Kind, code: int) -> None:
    answer = httpx2.Response(code, headers={"location": "https://user:pass@elsewhere.test:8443/api?token=secret#x"})
    answers = Answers(answer)
    with pytest.raises(APIError, match=r"redirected to https://elsewhere\.test:8443\. .* base_url") as raised:
        kind.mocked(answers).client.search("a")
    assert raised.value.status_code == code
    assert len(answers.requests) == 1
    for secret in ("secret", "pass"):
        assert secret not in str(raised.value)


def test_a_redirect_that_is_followed_does_not_take_the_key_along(kind: Kind) -> None:
    asked: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        if request.url.host == "cairn.test":
            return httpx2.Response(307, headers={"location": "http://elsewhere.test/api/retrieve/search"})
        return httpx2.Response(200, json=FOUND)

    http = http_of(kind, answer, follow_redirects=True)
    kind.cairn(KEY, "http://cairn.test", http_client=http).search("a")
    assert [request.url.host for request in asked] == ["cairn.test", "elsewhere.test"]
    assert ["authorization" in request.headers for request in asked] == [True, False]


class Proxy(BaseHTTPRequestHandler):
    """Answers for everybody, and notes for whom."""

    asked: list[str]

    def do_POST(self) -> None:
        self.asked.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"matches": [], "cache_hit": false, "total_found": 0}')

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def proxy() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    with HTTPServer(("127.0.0.1", 0), type("Noting", (Proxy,), {"asked": asked})) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()
        thread.join()


def test_the_proxies_of_the_environment(
    kind: Kind, proxy: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, asked = proxy
    for name in ("http_proxy", "no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", address)
    with kind.cairn("k", "http://cairn.test/prefix") as client:
        client.search("a")
    assert asked == ["http://cairn.test/prefix/api/retrieve/search"]


def test_an_answer_of_a_proxy_is_no_answer_of_the_service(kind: Kind) -> None:
    page = httpx2.Response(404, content=b"<html>nginx</html>", headers={"content-type": "text/html"})
    with pytest.raises(APIError, match="POST /api/retrieve/search was answered with 404 Not Found") as raised:
        kind.mocked(Answers(page)).client.search("a")
    assert raised.value.code is None


def test_a_conflict_of_the_service_is_final_and_one_of_a_proxy_is_not(kind: Kind) -> None:
    for problem, attempts in (("conflict/ambiguous_name", 1), ("proxy/busy", 3)):
        answers = Answers(status(409, problem))
        with pytest.raises(APIError) as raised:
            kind.mocked(answers).client.delete("a")
        assert (raised.value.status_code, raised.value.code) == (409, problem)
        assert len(answers.requests) == attempts
