"""Server-sent events, as the HTML standard has them."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

_END = re.compile(r"\r\n|\n|\r(?!\Z)")
"""Of a line. A CR at the end of what has come may be the first half of CR LF."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message. What it leaves out is `""`."""

    event: str = ""
    data: str = ""
    id: str = ""


Heard: TypeAlias = Message | Literal["comment"]
"""What came: a message, or a comment, which only says that the other side is there."""


class MessageReader:
    """Reads messages off bytes, piece by piece: the pieces may end anywhere, also within a character."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._searched = 0
        self._event = ""
        self._id = ""
        self._data: list[str] = []

    def read(self, piece: bytes) -> list[Heard]:
        """What has come in full by now."""
        come: list[Heard] = []
        self._rest += self._decoder.decode(piece)
        while True:
            # long lines come in many pieces, and are looked through once
            end = _END.search(self._rest, self._searched)
            if end is None:
                self._searched = max(0, len(self._rest) - 1)
                return come
            line, self._rest, self._searched = self._rest[: end.start()], self._rest[end.end() :], 0
            heard = self._line(line)
            if heard is not None:
                come.append(heard)

    def _line(self, line: str) -> Heard | None:
        if line == "":
            message = Message(self._event, "\n".join(self._data), self._id)
            self._event, self._id, self._data = "", "", []
            return message if message.data else None
        if line.startswith(":"):
            return "comment"
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id":
            self._id = value
        return None
