"""Snippets that nothing else in the store is like."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cairn_client import Cairn


def unique() -> str:
    """A word that nothing else in the store has."""
    return "q" + uuid.uuid4().hex[:12]


def source(word: str) -> str:
    return (
        f'def {word}(path: str) -> list:\n    """Reads a {word} file into rows."""\n    return open(path).readlines()\n'
    )


def stored(client: Cairn, word: str, **options: Any) -> str:
    client.upload(f"read a {word} file", {"path": f"{word}.py", "content": source(word)}, True, user_vote=1, **options)
    return client.search(f"read a {word} file").matches[0].code_block.id


def recent(time: datetime | None) -> bool:
    return time is not None and time.tzinfo is not None and abs(datetime.now(UTC) - time) < timedelta(minutes=10)
