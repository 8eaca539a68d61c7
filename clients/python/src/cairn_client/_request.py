"""One request: what is the same however often it is sent."""

from __future__ import annotations

import json
import re
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict
from urllib.parse import quote

from cairn_client._settings import header_text, httpx_timeout, retries
from cairn_client.errors import ValidationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx2

    from cairn_client._settings import Settings


class CallOptions(TypedDict, total=False):
    """What every method takes by name, for this one call."""

    timeout: float | None
    """Seconds for each step of the request (connect, send, wait for an answer); `None` for no limit."""
    max_retries: int
    idempotency_key: str
    """1 to 255 characters: for 24 hours the same one repeats the same answer and writes nothing."""
    extra_headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Request:
    """A request in the service's terms. Fields of `body` and `query` that are `None` are left out."""

    method: str
    path: str
    body: Mapping[str, Any] | None = None
    query: Mapping[str, str | int | None] = field(default_factory=dict)
    workspace_id: str | None = None
    options: CallOptions = field(default_factory=CallOptions)
    shortest_timeout: float = 0
    """Seconds that it gets at least, unless the call says otherwise."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request on its way: the same bytes and the same idempotency key on each attempt."""

    method: str
    url: str
    path: str
    headers: dict[str, str]
    content: bytes | None
    params: dict[str, str]
    timeout: httpx2.Timeout
    max_retries: int


def given(**fields: Any) -> dict[str, Any]:
    """Without what is not given: unset is left out, not sent as null."""
    return {name: value for name, value in fields.items() if value is not None}


def path_of(*parts: str) -> str:
    """A path of parts, each of which is one segment."""
    for part in parts:
        if part in ("", ".", ".."):
            raise ValidationError(f"{part!r} is no name of anything; expected an id", "id")
    return "/" + "/".join(quote(part, safe="") for part in parts)


def prepare(request: Request, settings: Settings) -> Prepared:
    """Completes a request with the client's options and this call's."""
    options = request.options
    timeout = settings.timeout if settings.timeout is None else max(settings.timeout, request.shortest_timeout)
    headers = settings.headers(request.workspace_id)
    if request.method == "POST":
        key = options.get("idempotency_key", str(uuid.uuid4()))
        if re.fullmatch(r"[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?", key) is None:
            message = "idempotency_key is empty, too long or not printable; expected 1 to 255 ASCII characters"
            raise ValidationError(message, "idempotency_key")
        headers |= {"Content-Type": "application/json", "Idempotency-Key": key}
    for name, value in options.get("extra_headers", {}).items():
        _replace(headers, header_text(name, "extra_headers"), header_text(value, "extra_headers"))
    return Prepared(
        method=request.method,
        url=settings.base_url + request.path,
        path=request.path,
        headers=headers,
        content=None if request.body is None else _encoded(given(**request.body)),
        params={name: str(value) for name, value in request.query.items() if value is not None},
        timeout=httpx_timeout(options.get("timeout", timeout)),
        max_retries=retries(options.get("max_retries", settings.max_retries)),
    )


def _replace(headers: dict[str, str], name: str, value: str) -> None:
    for present in [present for present in headers if present.lower() == name.lower()]:
        del headers[present]
    headers[name] = value


def _encoded(body: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as failure:
        raise ValidationError(f"The request can't be written as JSON: {failure}") from failure
    try:
        return text.encode()
    except UnicodeEncodeError:
        # half a surrogate pair: the service says which field has it
        return json.dumps(body, separators=(",", ":")).encode()
