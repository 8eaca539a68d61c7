"""Requests, built from what methods are given."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

import pydantic

from cairn_client._request import given
from cairn_client.errors import FieldError, ValidationError
from cairn_client.types.inputs import FileWritten, LogFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cairn_client.types.inputs import FileWrittenDict, LogFileDict

M = TypeVar("M", bound=pydantic.BaseModel)


def _model(kind: type[M], value: Any, field: str) -> M:
    if isinstance(value, kind):
        return value
    try:
        return kind.model_validate(value.model_dump() if isinstance(value, pydantic.BaseModel) else value)
    except pydantic.ValidationError as failure:
        errors = tuple(FieldError(".".join([field, *map(str, one["loc"])]), one["msg"]) for one in failure.errors())
        message = "; ".join(f"{error.field}: {error.message}" for error in errors)
        raise ValidationError(message, errors[0].field, errors=errors) from None


def file_written(value: FileWritten | FileWrittenDict, field: str = "file_written") -> dict[str, Any]:
    """A file of an upload. Its content is text: bytes are decoded by whoever knows how."""
    if not isinstance(value, pydantic.BaseModel) and isinstance(value.get("content"), bytes):
        message = f"{field}.content is bytes; expected text (a log file's content may be bytes)"
        raise ValidationError(message, f"{field}.content")
    file = _model(FileWritten, value, field)
    return {"path": file.path, "content": file.content}


def files_written(values: Sequence[FileWritten | FileWrittenDict]) -> list[dict[str, Any]]:
    """The files of a bulk upload."""
    return [file_written(value, f"files_written.{index}") for index, value in enumerate(values)]


def log_files(values: Sequence[LogFile | LogFileDict] | None) -> list[dict[str, Any]] | None:
    """The log files of a bulk upload: bytes as base64."""
    if values is None:
        return None
    files = [_model(LogFile, value, f"log_files.{index}") for index, value in enumerate(values)]
    return [
        given(path=file.path, content=file.content, encoding=file.encoding, content_type=file.content_type)
        for file in files
    ]


def word(value: str | None) -> str | None:
    """An enumeration's value, or the text itself."""
    return str(value.value) if isinstance(value, Enum) else value


def status_id(id_or_url: str) -> str:
    """The id of a grading: itself, or the last part of an upload's `status_url`."""
    return id_or_url.rstrip("/").rpartition("/")[2]


def file_path(path: str) -> str:
    """A path inside a workspace, which can't name anything else of the service."""
    parts = path.removeprefix("/").split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise ValidationError("path is no file of a workspace; expected a path like lib/words.py", "path")
    return "/".join(parts)


def tags_of(values: Sequence[str] | None) -> list[str] | None:
    """Tags; a single text is not taken for a list of letters."""
    if isinstance(values, str):
        raise ValidationError("tags is a text; expected a list of texts", "tags")
    return None if values is None else list(values)


def mapping(value: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A map as JSON has it."""
    return None if value is None else dict(value)
