"""One request: what is the same however often it is sent."""

from __future__ import annotations

import json
import re
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict
from urllib.parse import quote

from cairn_client._settings import TIMEOUT, Usual, httpx_timeout, refuse_unknown, replace, retries
from cairn_client.errors import ValidationError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import httpx2

    from cairn_client._settings import Settings


class CallOptions(TypedDict, total=False):
    """What every method takes by name, for this one call."""

    timeout: float | httpx2.Timeout | None
    """Seconds for each step of an attempt (connect, send, wait for the next bytes); `None` for no limit. Unless given,
    the client's."""
    max_retries: int | None
    """How often the request is sent again at most, 0 or more; `None` for as often as the client says."""
    idempotency_key: str | None
    """Names a write: for 24 hours the same one repeats the same answer and writes nothing. 1 to 255 printable ASCII
    characters; `None` for one of this call's own. Requests that only read have none."""
    extra_headers: Mapping[str, str | None] | None
    """Sent besides the client's own, in place of one of the same name; `None` for a value takes that one away."""


LATER = {"Prefer": "respond-async"}
"""Asks for an answer at once, whatever is still to be done."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request in the service's terms. Fields of `body` and `query` that are `None` are left out."""

    method: str
    path: str
    body: Mapping[str, Any] | None = field(default=None, repr=False)
    query: Mapping[str, str | int | None] = field(default_factory=dict)
    content: bytes | None = field(default=None, repr=False)
    """In place of a body of fields: bytes as they are."""
    headers: Mapping[str, str | None] = field(default_factory=dict)
    """Besides those of every request. `None` is left out."""
    workspace_id: str | None = None
    options: CallOptions = field(default_factory=CallOptions, repr=False)
    usual_timeout: float = TIMEOUT
    """Seconds for each step of an attempt, when neither the call nor the client says otherwise."""
    open: bool = False
    """Whether it needs no key."""
    accepts: Callable[[httpx2.Response], bool] | None = field(default=None, repr=False)
    """Whether an answer that is no 2xx is a result all the same."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request on its way: the same bytes and the same idempotency key on each attempt."""

    method: str
    url: str
    path: str
    headers: httpx2.Headers = field(repr=False)
    content: bytes | None = field(repr=False)
    params: dict[str, str]
    timeout: httpx2.Timeout
    max_retries: int


def given(**fields: Any) -> dict[str, Any]:
    """Without what is not given: unset is left out, not sent as null."""
    return {name: value for name, value in fields.items() if value is not None}


def path_of(*parts: str) -> str:
    """A path of parts, each of which is one segment."""
    for part in parts:
        if not isinstance(part, str) or part in ("", ".", "..") or not is_unicode(part):
            raise ValidationError(f"{part!r} is no name of anything; expected an id", "id")
    return "/" + "/".join(quote(part, safe="") for part in parts)


def prepare(request: Request, settings: Settings) -> Prepared:
    """Completes a request with the client's options and this call's."""
    options = request.options
    refuse_unknown(options, CallOptions)
    timeout = request.usual_timeout if isinstance(settings.timeout, Usual) else settings.timeout
    max_retries = options.get("max_retries")
    headers = settings.headers(request.workspace_id)
    if request.body is not None:
        headers["Content-Type"] = "application/json"
    if request.content is not None:
        headers["Content-Type"] = "application/octet-stream"
    headers.update(given(**request.headers))
    if request.method != "GET":
        headers["Idempotency-Key"] = _idempotency_key(options.get("idempotency_key"))
    replace(headers, options.get("extra_headers") or {}, "extra_headers")
    return Prepared(
        method=request.method,
        url=settings.base_url + request.path,
        path=request.path,
        headers=headers,
        content=request.content if request.body is None else _encoded(given(**request.body)),
        params={name: _parameter(name, value) for name, value in request.query.items() if value is not None},
        timeout=httpx_timeout(options.get("timeout", timeout)),
        max_retries=settings.max_retries if max_retries is None else retries(max_retries),
    )


def _idempotency_key(key: str | None) -> str:
    if key is None:
        return str(uuid.uuid4())
    if not isinstance(key, str) or re.fullmatch(r"[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?", key) is None:
        message = "idempotency_key is empty, too long or not printable; expected 1 to 255 ASCII characters"
        raise ValidationError(message, "idempotency_key")
    return key


def _parameter(name: str, value: str | int) -> str:
    if is_unicode(text := str(value)):
        return text
    raise ValidationError(f"{name} has half a surrogate pair; expected text", name)


def is_unicode(text: str) -> bool:
    """Whether an address can have it: without half a surrogate pair."""
    return re.search(r"[\ud800-\udfff]", text) is None


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
