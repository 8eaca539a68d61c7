"""Answers of a service of the test's, for what the real one does not do on demand."""

from __future__ import annotations

from typing import Any

import httpx2

FOUND = {"matches": [], "total_found": 0, "cache_hit": False}


class Answers:
    """Answers one after the other, the last one for ever, and keeps the requests."""

    def __init__(self, *answers: httpx2.Response | type[httpx2.RequestError]) -> None:
        self.answers = list(answers)
        self.requests: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        answer = self.answers[min(len(self.requests), len(self.answers) - 1)]
        self.requests.append(request)
        if isinstance(answer, type):
            raise answer("no answer", request=request)
        return httpx2.Response(answer.status_code, headers=answer.headers, content=answer.content)


def ok(**body: Any) -> httpx2.Response:
    return httpx2.Response(200, json=FOUND | body, headers={"x-request-id": "r-1"})


def status(code: int, problem: str = "some/problem", **headers: str) -> httpx2.Response:
    body = {"message": "It went wrong.", "detail": "It went wrong.", "code": problem, "request_id": "r-0"}
    return httpx2.Response(code, json=body, headers={name.replace("_", "-"): value for name, value in headers.items()})
