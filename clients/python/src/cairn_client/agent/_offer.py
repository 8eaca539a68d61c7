"""Snippets for a prompt, as files that the model may read."""

from __future__ import annotations

import inspect
import re
import unicodedata
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from cairn_client._code_files import llm_prompt, write_files
from cairn_client._conversation import SAID_BEFORE
from cairn_client.agent._manifest import real
from cairn_client.agent._screen import storable
from cairn_client.agent._usage import OfferedFile

if TYPE_CHECKING:
    import logging
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from cairn_client import AsyncCairn, Cairn
    from cairn_client.agent._cache_folder import CacheFolder
    from cairn_client.types import CodeFile, CodeFilesResponse

_MOST_CONTEXT = 9_000
"""Halves of characters in UTF-16, as the agent SDK counts.

It turns a context of more than 10,000 into a pointer to a file, which the model need not follow.
"""

_MOST_DESCRIPTION = 400
_MOST_NAME = 200
_MOST_DEPENDENCIES = 10
_MOST_TASK = 2_000
"""Characters of a prompt that are searched for."""

_INSTRUCTIONS = re.compile(r"(claude(\.local)?|agents|gemini)\.md", re.IGNORECASE)


async def called(method: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Calls a method of either client. One of a thread that is no longer waited for goes on."""
    if inspect.iscoroutinefunction(method):
        return await method(*args, **options)
    return await anyio.to_thread.run_sync(lambda: method(*args, **options), abandon_on_cancel=True)


def _is_plain_name(name: str) -> bool:
    """Whether a model may put a name into a command as it is.

    A shell reads nothing else out of it, and it is no option, no hidden file, and no file from which an agent takes
    instructions.
    """
    kinds = [unicodedata.category(character)[0] for character in name]
    plain = all(kind in "LNM" or character in "_.+@=, ()[]-" for kind, character in zip(kinds, name, strict=True))
    begins = name != "" and (kinds[0] in "LN" or name[0] in "_[(")
    return plain and begins and _INSTRUCTIONS.fullmatch(name) is None


def _short(file: CodeFile) -> CodeFile:
    dependencies = list(file.dependencies.items())[:_MOST_DEPENDENCIES]
    return file.model_copy(
        update={
            "description": storable(file.description[:_MOST_DESCRIPTION]),
            "language": storable(file.language[:_MOST_NAME]),
            "entrypoint": storable(file.entrypoint[:_MOST_NAME]),
            "dependencies": {name[:_MOST_NAME]: version[:_MOST_NAME] for name, version in dependencies},
        }
    )


def _context(files: Sequence[CodeFile]) -> tuple[str, int]:
    """What the model is told: names, places and descriptions, not the code. As many of them, best first, as fit."""
    short = [_short(file) for file in files]
    while short:
        text = llm_prompt(short).strip()
        if len(text.encode("utf-16-le", "surrogatepass")) // 2 <= _MOST_CONTEXT:
            return text, len(short)
        short.pop()
    return "", 0


async def offer(
    client: Cairn | AsyncCairn, logger: logging.Logger, cache: CacheFolder, root: Path, task: str, timeout: float
) -> tuple[str, list[OfferedFile]]:
    """Searches for a prompt, and puts what is found into the cache folder of a session in `root`.

    `task` is without secrets; one that begins with a slash is a command to the program itself. Raises what the client
    and the disk do.
    """
    searched = storable(task.partition(SAID_BEFORE)[0].strip()[:_MOST_TASK])
    if not searched or searched.startswith("/"):
        return "", []
    found: CodeFilesResponse = await called(
        client.get_code_files,
        searched,
        5,
        0.3,
        prefer_complete=True,
        # remarks above functions would be uploaded with what is built on them
        per_function_reputation=False,
        timeout=timeout,
        max_retries=1,
    )
    plain = [file for file in found.files if _is_plain_name(file.filename)]
    for _ in range(len(found.files) - len(plain)):
        logger.warning("A snippet was not offered: its name is not a plain file name")
    if not plain or cache.closed:
        return "", []
    files = await anyio.to_thread.run_sync(lambda: write_files(plain, cache.make(root), logger, cache.wrote))
    written = [file for file in files if file.path is not None]
    context, count = _context(written)
    return context, [
        OfferedFile(file.code_block_id, file.filename, str(real(file.path)), file.source, file.description)
        for file in written[:count]
        if file.path is not None
    ]
