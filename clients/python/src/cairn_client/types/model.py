"""What all of the service's records have in common."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, PrivateAttr


class Model(BaseModel):
    """A record. Fields that this version doesn't know are kept, so that a newer service is no error."""

    model_config = ConfigDict(extra="allow", protected_namespaces=(), populate_by_name=True)


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
