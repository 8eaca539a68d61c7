"""What all of the service's records have in common."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, PrivateAttr, model_validator


class OpenEnum(StrEnum):
    """Words of the service, to which a newer one may add: one that this version doesn't know is its own value."""

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str):
            return None
        unknown = str.__new__(cls, value)
        unknown._name_ = unknown._value_ = value
        return unknown


class Model(BaseModel):
    """A record. Fields that this version doesn't know are kept, so that a newer service is no error."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow", protected_namespaces=(), populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, given: Any) -> Any:
        if not isinstance(given, dict) or None not in given.values():
            return given
        return {name: value for name, value in given.items() if value is not None or name not in cls.model_fields}


class Result(Model):
    """What a method returns."""

    _request_id: str | None = PrivateAttr(default=None)

    @property
    def request_id(self) -> str | None:
        """The id under which the service logged the request."""
        return self._request_id

    def __eq__(self, other: object) -> bool:
        # the same answer to two requests is the same answer
        if type(self) is not type(other) or not isinstance(other, Result):
            return NotImplemented
        return self.__dict__ == other.__dict__ and self.model_extra == other.model_extra

    __hash__ = None  # type: ignore[assignment]  # results can be changed

    def received(self, request_id: str | None) -> Self:
        """Notes which request this answers."""
        self._request_id = request_id
        return self
