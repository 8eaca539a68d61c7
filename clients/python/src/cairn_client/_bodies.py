"""Requests, built from what methods are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

import pydantic

from cairn_client._request import given, is_unicode
from cairn_client._settings import text
from cairn_client.errors import FieldError, ValidationError
from cairn_client.types.inputs import FileWritten, LogFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cairn_client.types.inputs import CachedCodeBlock, FileWrittenDict, LogFileDict

M = TypeVar("M", bound=pydantic.BaseModel)
T = TypeVar("T")


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
    if isinstance(value, dict) and isinstance(value.get("content"), bytes):
        message = f"{field}.content is bytes; expected text (a log file's content may be bytes)"
        raise ValidationError(message, f"{field}.content")
    file = _model(FileWritten, value, field)
    return {"path": file.path, "content": file.content}


def files_written(values: Sequence[FileWritten | FileWrittenDict]) -> list[dict[str, Any]]:
    """The files of a bulk upload."""
    each = items(values, "files_written", "files")
    return [file_written(value, f"files_written.{index}") for index, value in enumerate(each)]


def repo_files(values: Iterable[FileWritten | FileWrittenDict]) -> list[dict[str, Any]]:
    """The files of a repository."""
    return [file_written(value, f"files.{index}") for index, value in enumerate(values)]


def log_files(values: Sequence[LogFile | LogFileDict] | None) -> list[dict[str, Any]] | None:
    """The log files of a bulk upload: bytes as base64."""
    if values is None:
        return None
    each = items(values, "log_files", "files")
    files = [_model(LogFile, value, f"log_files.{index}") for index, value in enumerate(each)]
    return [
        given(path=file.path, content=file.content, encoding=file.encoding, content_type=file.content_type)
        for file in files
    ]


def word(value: str | None) -> str | None:
    """An enumeration's value, or the text itself."""
    return str(value.value) if isinstance(value, Enum) else value


def limits_of(
    acts_for: str | None,
    read_only: bool | None,
    expires_at: str | None,
    workspaces: Sequence[str] | None,
    models: Sequence[str] | None,
) -> dict[str, Any]:
    """What bounds a key."""
    return {
        "acts_for": word(acts_for),
        "read_only": read_only,
        "expires_at": expires_at,
        "workspaces": None if workspaces is None else items(workspaces, "workspaces", "ids"),
        "models": None if models is None else items(models, "models", "names"),
    }


def json_type(value: object) -> str:
    """The type of a value in JSON's words; of what JSON has none for, in Python's."""
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return "null" if value is None else names.get(type(value), type(value).__name__)


def last_part(id_or_url: str) -> str:
    """An id: itself, or the last part of an address such as an upload's `status_url`."""
    return text(id_or_url, "id").rstrip("/").rpartition("/")[2]


def file_path(path: str) -> str:
    """A path inside a workspace, which can't name anything else of the service."""
    parts = text(path, "path").removeprefix("/").split("/")
    if not is_unicode(path) or any(part in ("", ".", "..") for part in parts):
        raise ValidationError("path is no file of a workspace; expected a path like lib/words.py", "path")
    return "/".join(parts)


def file_content(content: str | bytes) -> bytes:
    """A file's bytes; a text's are those of UTF-8."""
    if isinstance(content, bytes | bytearray | memoryview):
        return bytes(content)
    try:
        return text(content, "content").encode()
    except UnicodeEncodeError as failure:
        raise ValidationError("content has half a surrogate pair; expected text, or bytes", "content") from failure


def conditions(if_match: str | None, if_none_match: str | None) -> dict[str, str | None]:
    """What a file is to be, as HTTP writes it: a SHA is quoted."""
    given = {"If-Match": if_match, "If-None-Match": if_none_match}
    return {name: sha if sha is None or sha == "*" else f'"{sha}"' for name, sha in given.items()}


def items(values: Iterable[T], field: str, kind: str = "texts") -> list[T]:
    """A list; a single text is not taken for a list of letters, nor an object for a list of its names."""
    if isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping | pydantic.BaseModel):
        return list(values)
    raise ValidationError(f"{field} is of type {type(values).__name__}; expected a list of {kind}", field)


def tags_of(values: Iterable[str] | None, field: str = "tags") -> list[str] | None:
    """Tags, or other texts, if there are any."""
    return None if values is None else items(values, field)


def mapping(value: Mapping[str, Any] | None, field: str = "a parameter") -> dict[str, Any] | None:
    """A map as JSON has it."""
    if value is None:
        return None
    if isinstance(value, Mapping):
        return dict(value)
    raise ValidationError(f"{field} is of type {type(value).__name__}; expected a dict", field)


def used(values: Iterable[CachedCodeBlock] | None) -> list[dict[str, Any]] | None:
    """The snippets that a run used."""
    if values is None:
        return None
    each = items(values, "cached_code_blocks", "dicts like {'code_block_id': …}")
    return [mapping(value, f"cached_code_blocks.{index}") or {} for index, value in enumerate(each)]
