"""What a client was constructed with."""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Literal, TypedDict
from urllib.parse import urlsplit

import httpx2

from cairn_client._logs import default_logger
from cairn_client._version import __version__
from cairn_client.errors import ValidationError

if TYPE_CHECKING:
    import logging

    from cairn_client.types import SnipsDesired

BASE_URL = "http://127.0.0.1:8080"
TIMEOUT = 60.0
CHAT_TIMEOUT = 600.0
MAX_RETRIES = 2
CONNECT_TIMEOUT = 10.0


class Overrides(TypedDict, total=False):
    """What `with_options` may change."""

    api_key: str | None
    base_url: str | None
    timeout: float | None
    organization_id: str | None
    workspace_id: str | None
    snips_desired: SnipsDesired | Literal["company", "client"] | None
    public_snips: bool
    agent_id: str | None
    max_retries: int
    logger: logging.Logger | None


def header_text(value: str, name: str) -> str:
    """A value that a header can carry."""
    if re.fullmatch(r"[\x20-\x7e]*", value) is None:
        message = f"{name} has characters that a header can't carry; expected printable ASCII without line breaks"
        raise ValidationError(message, name)
    return value


def httpx_timeout(seconds: float | None) -> httpx2.Timeout:
    """Seconds for each step of a request; a connection gets at most ten of them."""
    if seconds is None:
        return httpx2.Timeout(None)
    if not seconds > 0:
        raise ValidationError(f"timeout is {seconds}; expected seconds above 0, or None for no limit", "timeout")
    return httpx2.Timeout(seconds, connect=min(seconds, CONNECT_TIMEOUT))


def retries(number: int) -> int:
    """How often a request is sent again at most."""
    if number < 0:
        raise ValidationError(f"max_retries is {number}; expected 0 or more", "max_retries")
    return number


def _address(given: str) -> str:
    address = given.strip().rstrip("/")
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


@dataclass(frozen=True, slots=True)
class Settings:
    """All of a client's options but its connections."""

    api_key: str | None = field(repr=False)
    base_url: str
    timeout: float | None
    organization_id: str | None
    workspace_id: str | None
    snips_desired: str | None
    public_snips: bool
    agent_id: str | None
    max_retries: int
    logger: logging.Logger

    @staticmethod
    def of(
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float | None = TIMEOUT,
        organization_id: str | None = None,
        workspace_id: str | None = None,
        snips_desired: SnipsDesired | Literal["company", "client"] | str | None = None,
        public_snips: bool = False,
        agent_id: str | None = None,
        max_retries: int = MAX_RETRIES,
        logger: logging.Logger | None = None,
    ) -> Settings:
        """Checks the options, and completes them from the environment."""
        key = (api_key or os.environ.get("CAIRN_API_KEY", "")).strip()
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
            logger=logger or default_logger(),
        )
        settings.headers()
        return settings

    def headers(self, workspace_id: str | None = None) -> dict[str, str]:
        """The headers of every request. Another `workspace_id` replaces the client's."""
        texts = {
            "organization_id": ("X-Cairn-Org-Id", self.organization_id),
            "workspace_id": ("X-Cairn-Workspace-Id", workspace_id or self.workspace_id),
            "snips_desired": ("X-Cairn-Snips-Desired", self.snips_desired),
            "public_snips": ("X-Cairn-Public-Snips", "true" if self.public_snips else None),
            "agent_id": ("X-Cairn-Agent-Id", self.agent_id),
            "api_key": ("Authorization", f"Bearer {self.api_key}" if self.api_key else None),
        }
        return {
            "Accept": "application/json",
            "User-Agent": f"cairn-client/{__version__} python/{platform.python_version()} httpx2/{httpx2.__version__}",
            "X-Cairn-SDK-Version": f"python/{__version__}",
            **{header: header_text(value, name) for name, (header, value) in texts.items() if value},
        }

    def with_(self, overrides: Overrides) -> Settings:
        """The same with other values."""
        return Settings.of(
            **{
                "api_key": self.api_key,
                "base_url": self.base_url,
                "timeout": self.timeout,
                "organization_id": self.organization_id,
                "workspace_id": self.workspace_id,
                "snips_desired": self.snips_desired,
                "public_snips": self.public_snips,
                "agent_id": self.agent_id,
                "max_retries": self.max_retries,
                "logger": self.logger,
                **overrides,
            }  # type: ignore[arg-type]  # a TypedDict unpacks to `object` beside other entries
        )
