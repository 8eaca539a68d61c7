"""What a client was constructed with."""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, TypedDict
from urllib.parse import urlsplit

import httpx2

from cairn_client._logs import default_logger
from cairn_client._version import __version__
from cairn_client.errors import ValidationError

if TYPE_CHECKING:
    import logging
    from collections.abc import Mapping

    from cairn_client._request import CallOptions
    from cairn_client.types import SnipsDesired

BASE_URL = "http://127.0.0.1:8080"
CHAT_TIMEOUT = 600.0
MAX_RETRIES = 2
CONNECT_TIMEOUT = 10.0
LONGEST_TIMEOUT = 2_147_483
"""The most seconds that a socket takes: almost 25 days."""


class Usual(float):
    """A number that nobody gave. It reads as any other, also in a signature."""


TIMEOUT: float = Usual(60.0)
"""Seconds for each step of a request of a client that was given no `timeout`, unless the request has its own."""


class Overrides(TypedDict, total=False):
    """What `with_options` may change."""

    api_key: str | None
    base_url: str | httpx2.URL | None
    timeout: float | httpx2.Timeout | None
    organization_id: str | None
    workspace_id: str | None
    snips_desired: SnipsDesired | Literal["company", "client"] | None
    public_snips: bool
    agent_id: str | None
    max_retries: int
    default_headers: Mapping[str, str | None] | None
    logger: logging.Logger | None


def text(value: str, name: str) -> str:
    """A text, which is not what everybody gives."""
    if isinstance(value, str):
        return value
    raise ValidationError(f"{name} is of type {type(value).__name__}; expected a text", name)


def scope_text(value: str, name: str) -> str:
    """What a header can carry as UTF-8, which is how the service reads names."""
    if re.search(r"[\x00-\x1f\x7f\ud800-\udfff]", text(value, name)) is not None:
        raise ValidationError(f"{name} has characters that a header can't carry; expected one line", name)
    return value


def header_text(value: str, name: str) -> str:
    """A value that a header can carry."""
    if re.fullmatch(r"[\x20-\x7e]*", text(value, name)) is None:
        message = f"{name} has characters that a header can't carry; expected printable ASCII without line breaks"
        raise ValidationError(message, name)
    return value


def replace(headers: httpx2.Headers, others: Mapping[str, str | None], name: str) -> None:
    """Puts other headers in place of those of the same name; `None` takes one away."""
    for header, value in others.items():
        if re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", text(header, name)) is None:
            raise ValidationError(f"{name} has what is no header's name; expected letters, digits and hyphens", name)
        if value is None:
            headers.pop(header, None)
        else:
            headers[header] = header_text(value, name)


def refuse_unknown(given: Mapping[str, object], kind: type[CallOptions | Overrides]) -> None:
    """Python's own error for a name that is no argument: `**options` alone would take any."""
    for name in given.keys() - kind.__annotations__.keys():
        expected = ", ".join(kind.__annotations__)
        raise TypeError(f"got an unexpected keyword argument {name!r}; besides a method's own there are {expected}")


def httpx_timeout(given: float | httpx2.Timeout | None) -> httpx2.Timeout:
    """Seconds for each step of a request; a connection gets at most ten of them."""
    if given is None or isinstance(given, httpx2.Timeout):
        return httpx2.Timeout(given)
    if not isinstance(given, int | float) or not 0 < given <= LONGEST_TIMEOUT:
        message = f"timeout is {given!r}; expected seconds, above 0 and at most {LONGEST_TIMEOUT}, or None for no limit"
        raise ValidationError(message, "timeout")
    return httpx2.Timeout(given, connect=min(given, CONNECT_TIMEOUT))


def retries(number: int) -> int:
    """How often a request is sent again at most."""
    if not isinstance(number, int) or number < 0:
        raise ValidationError(f"max_retries is {number!r}; expected a whole number, 0 or more", "max_retries")
    return number


def _address(given: str | httpx2.URL) -> str:
    address = text(str(given) if isinstance(given, httpx2.URL) else given, "base_url").strip().rstrip("/")
    try:
        parts = urlsplit(address)
        fine = parts.scheme in ("http", "https") and parts.hostname and not (parts.query or parts.fragment)
        named = parts.username is not None or parts.password is not None
        httpx2.URL(address)
        _ = parts.port
    except (ValueError, httpx2.InvalidURL):
        fine, named = False, False
    if not fine or named:
        message = "base_url is no address of a service; expected http(s)://host[:port][/path]" + (
            " without a user or password: the key goes into api_key" if named else ""
        )
        raise ValidationError(message, "base_url")
    return address


def _user_agent() -> str:
    return f"cairn-client/{__version__} python/{platform.python_version()} httpx2/{httpx2.__version__}"


@dataclass(frozen=True, slots=True)
class Settings:
    """All of a client's options but its connections."""

    api_key: str | None = field(repr=False)
    base_url: str
    timeout: float | httpx2.Timeout | None
    organization_id: str | None
    workspace_id: str | None
    snips_desired: str | None
    public_snips: bool
    agent_id: str | None
    max_retries: int
    default_headers: Mapping[str, str | None] = field(repr=False)
    logger: logging.Logger

    @staticmethod
    def of(
        *,
        api_key: str | None = None,
        base_url: str | httpx2.URL | None = None,
        timeout: float | httpx2.Timeout | None = TIMEOUT,
        organization_id: str | None = None,
        workspace_id: str | None = None,
        snips_desired: SnipsDesired | Literal["company", "client"] | str | None = None,
        public_snips: bool = False,
        agent_id: str | None = None,
        max_retries: int = MAX_RETRIES,
        default_headers: Mapping[str, str | None] | None = None,
        logger: logging.Logger | None = None,
    ) -> Settings:
        """Checks the options, and completes them from the environment."""
        key = text(api_key or os.environ.get("CAIRN_API_KEY", ""), "api_key").strip()
        address = base_url or os.environ.get("CAIRN_BASE_URL", "").strip() or BASE_URL
        desired = str(snips_desired.value) if isinstance(snips_desired, Enum) else snips_desired
        if desired not in (None, "company", "client"):
            raise ValidationError("snips_desired is no scope; expected company or client", "snips_desired")
        httpx_timeout(timeout)
        settings = Settings(
            api_key=key or None,
            base_url=_address(address),
            timeout=timeout,
            organization_id=organization_id,
            workspace_id=workspace_id,
            snips_desired=desired,
            public_snips=public_snips,
            agent_id=agent_id,
            max_retries=retries(max_retries),
            default_headers=dict(default_headers or {}),
            logger=logger or default_logger(),
        )
        settings.headers()
        return settings

    def headers(self, workspace_id: str | None = None) -> httpx2.Headers:
        """The headers of every request. Another `workspace_id` replaces the client's."""
        texts = {
            "organization_id": ("X-Cairn-Org-Id", self.organization_id),
            "workspace_id": ("X-Cairn-Workspace-Id", self.workspace_id if workspace_id is None else workspace_id),
            "snips_desired": ("X-Cairn-Snips-Desired", self.snips_desired),
            "public_snips": ("X-Cairn-Public-Snips", "true" if self.public_snips else None),
            "agent_id": ("X-Cairn-Agent-Id", self.agent_id),
            "api_key": ("Authorization", f"Bearer {self.api_key}" if self.api_key else None),
        }
        headers = httpx2.Headers({"Accept": "application/json", "User-Agent": _user_agent()})
        headers["X-Cairn-SDK-Version"] = f"python/{__version__}"
        for name, (header, value) in texts.items():
            if value is None:
                continue
            if value == "":
                # a scope that somebody forgot: without it, a customer's snippets would go to all of the organization
                raise ValidationError(f"{name} is empty; leave it out when none is meant", name)
            # set one by one, they are written as UTF-8
            headers[header] = (header_text if name == "api_key" else scope_text)(value, name)
        replace(headers, self.default_headers, "default_headers")
        return headers

    def with_(self, overrides: Overrides) -> Settings:
        """The same with other values."""
        refuse_unknown(overrides, Overrides)
        options: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(self)}
        options.update(overrides)
        return Settings.of(**options)
