"""What a user's program stands on: one of the two libraries, a client of it, and the real service."""

from __future__ import annotations

import inspect
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from types import ModuleType

    from tests.service import Service


def unique() -> str:
    """A name that nothing else here has."""
    return "".join(secrets.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(12))


def source(word: str) -> str:
    return (
        f"import csv\n\n\ndef {word}(path: str, delimiter: str = ',') -> list:\n"
        f'    """Reads the rows of a {word} file."""\n'
        f"    with open(path, newline='') as file:\n        return list(csv.reader(file, delimiter=delimiter))\n"
    )


class Blocking:
    """An asynchronous client whose methods block, so that a program is one for both."""

    def __init__(self, loop: asyncio.AbstractEventLoop, inner: object) -> None:
        self.loop = loop
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.inner, name)

        def blocking(*args: Any, **kwargs: Any) -> Any:
            async def called() -> Any:
                answer = found(*args, **kwargs)
                return await answer if inspect.isawaitable(answer) else answer

            return self.loop.run_until_complete(called())

        return blocking if callable(found) else found


@dataclass
class Here:
    """`client` is the owner's, `word` one that no other test uses."""

    library: ModuleType
    kind: str
    service: Service
    loop: asyncio.AbstractEventLoop
    word: str = field(default_factory=unique)
    opened: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.client = self.client_with()

    @property
    def task(self) -> str:
        return f"read the rows of a {self.word} file"

    def client_with(self, **options: Any) -> Any:
        """A client as its users make it: another base URL, and nothing else for Cairn's sake."""
        options = {"api_key": self.service.key, "base_url": self.service.base_url, **options}
        if self.kind == "sync":
            client = self.library.RaySurfer(**options)
        else:
            client = Blocking(self.loop, self.library.AsyncRaySurfer(**options))
        self.opened.append(client)
        return client

    def file(self, word: str | None = None) -> Any:
        word = word or self.word
        # agents write where they please
        return self.library.FileWritten(path=f"/home/ada/work/{word}.py", content=source(word))

    def stored(self, word: str | None = None, **more: Any) -> str:
        """Stores a file, and gives the snippet's id."""
        word = word or self.word
        self.client.upload(f"read the rows of a {word} file", self.file(word), user_vote=1, **more)
        return next(
            match.code_block.id
            for match in self.client.search(f"read the rows of a {word} file").matches
            if match.code_block.name == word
        )

    def close(self) -> None:
        for client in self.opened:
            client.close()
