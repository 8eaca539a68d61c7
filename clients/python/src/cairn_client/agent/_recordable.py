"""Values as JSON can carry them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_MOST = 100_000
_DEEPEST = 50
"""Characters of JSON of one value, and how far it is followed."""


class _TooMuchError(Exception):
    """More than is carried."""


class _Carrier:
    """How much a value is costs as much as is looked at."""

    def __init__(self) -> None:
        self._left = _MOST

    def _spend(self, characters: int) -> None:
        self._left -= characters
        if self._left < 0:
            raise _TooMuchError

    def text(self, text: str) -> str:
        """A text, without what no service takes."""
        self._spend(len(text) + 2)
        return text.replace("\0", "").encode(errors="replace").decode()

    def carried(self, value: object, inside: tuple[int, ...] = ()) -> Any:
        """What has no JSON becomes the name of its kind, bytes become their number."""
        if isinstance(value, str):
            return self.text(value)
        self._spend(1)
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, float):
            return value if value == value and abs(value) != float("inf") else None
        if isinstance(value, bytes | bytearray | memoryview):
            return f"{memoryview(value).nbytes} bytes"
        if id(value) in inside:
            return "[cycle]"
        if len(inside) > _DEEPEST:
            return "[too deep]"
        within = (*inside, id(value))
        if isinstance(value, Mapping):
            return {self.text(str(key)): self.carried(one, within) for key, one in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self.carried(one, within) for one in value]
        return self.text(self._told(value))

    @staticmethod
    def _told(value: object) -> str:
        """As Python writes it, where that is short: how an object tells of itself is its own business."""
        text = repr(value)
        return text if len(text) <= 1_000 else f"<{type(value).__name__}>"


def _characters(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def recordable(value: object) -> Any:
    """A value as JSON can carry it: a cycle and what is too deep or too much is named.

    Never raises, whatever objects do, and never takes long.
    """
    try:
        carried = _Carrier().carried(value)
        if _characters(carried) > _MOST:
            raise _TooMuchError
    except _TooMuchError:
        return {"omitted": f"more than {_MOST} characters of JSON"}
    except Exception:  # noqa: BLE001 # how an object tells of itself may be anything
        return {"omitted": "no JSON"}
    return carried


def size_of(value: object) -> dict[str, Any]:
    """How much JSON a value is, where that is not too much to be looked at."""
    carried = recordable(value)
    if isinstance(carried, dict) and "omitted" in carried:
        return carried
    return {"characters": _characters(carried)}
