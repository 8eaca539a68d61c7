"""What callers hand over."""

from __future__ import annotations

import base64
from enum import StrEnum
from typing import Any, ClassVar, Literal, NotRequired, TypedDict

from pydantic import BaseModel, ConfigDict, model_validator

JsonDict = dict[str, Any]
"""A JSON object."""


class SnipsDesired(StrEnum):
    """Which private snippets a search sees. Both need tier PRO or ENTERPRISE."""

    COMPANY = "company"
    """The organization's."""
    CLIENT = "client"
    """The workspace's; needs a `workspace_id`."""


class VoteSource(StrEnum):
    """Who cast a vote."""

    AI = "ai"
    """A model."""
    HUMAN = "human"
    """A person."""


class FileWritten(BaseModel):
    """A text file that a run wrote."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True)

    path: str
    """Where the run wrote it; the last part becomes the snippet's file name. At most 4,096 characters."""
    content: str
    """All of it: at most 1 MiB of UTF-8."""


class LogFile(BaseModel):
    """What a run printed. `bytes` are sent as base64, a text as it is."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True)

    path: str
    """At most 4,096 characters."""
    content: str
    """Its text, or its bytes as base64: 16 MiB in all files of an upload. May be given as `bytes`."""
    encoding: Literal["utf-8", "base64"] = "utf-8"
    """How `content` is to be read."""
    content_type: str | None = None
    """Its MIME type."""

    @model_validator(mode="before")
    @classmethod
    def _bytes_as_base64(cls, given: Any) -> Any:
        content = given.get("content") if isinstance(given, dict) else None
        if not isinstance(content, bytes | bytearray | memoryview):
            return given
        return {**given, "content": base64.b64encode(content).decode("ascii"), "encoding": "base64"}

    @classmethod
    def of(cls, path: str, content: str | bytes | bytearray, content_type: str | None = None) -> LogFile:
        """A log file from a text or from bytes.

        Args:
            path: at most 4,096 characters.
            content: a text, or bytes, which are sent as base64.
            content_type: its MIME type.

        """
        return cls.model_validate({"path": path, "content": content, "content_type": content_type})


class FileWrittenDict(TypedDict):
    """A `FileWritten` as a plain dict."""

    path: str
    content: str


class LogFileDict(TypedDict):
    """A `LogFile` as a plain dict; its `content` may be `bytes`."""

    path: str
    content: str | bytes
    encoding: NotRequired[Literal["utf-8", "base64"]]
    content_type: NotRequired[str | None]


class CachedCodeBlock(TypedDict):
    """A snippet that a run was offered and used."""

    code_block_id: str
