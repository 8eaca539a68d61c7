"""Snippets for a prompt, as files that the model may read."""

from __future__ import annotations

import inspect
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from cairn_client._code_files import llm_prompt
from cairn_client.agent._manifest import real
from cairn_client.agent._usage import OfferedFile

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from cairn_client import AsyncCairn, Cairn
    from cairn_client.types import CodeFile, CodeFilesResponse

MOST_CONTEXT = 9_000
"""Characters: the agent SDK turns a longer context into a pointer to a file, which the model need not follow."""

_MOST_DESCRIPTION = 400
_MOST_DEPENDENCIES = 10
_MOST_TASK = 2_000
"""Characters of a prompt that are searched for."""


async def called(method: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Calls a method of either client."""
    if inspect.iscoroutinefunction(method):
        return await method(*args, **options)
    return await anyio.to_thread.run_sync(lambda: method(*args, **options))


class CacheFolder:
    """The folder that offered files lie in: the caller's, or one of the session's own, which goes with it."""

    def __init__(self, given: str | os.PathLike[str] | None) -> None:
        self._given = None if given is None else Path(given).absolute()
        self._own: Path | None = None
        self._remove: Callable[[], object] | None = None

    @property
    def real(self) -> Path | None:
        """Where it really is, once there is one."""
        path = self._given or self._own
        return None if path is None else real(path)

    def make(self) -> Path:
        """Its path. The caller's is made by the one who writes into it."""
        if self._given is not None:
            return self._given
        if self._own is None:
            self._own = real(tempfile.mkdtemp(prefix="cairn-snippets-"))
            self._remove = weakref.finalize(self, shutil.rmtree, self._own, ignore_errors=True)
        return self._own

    def close(self) -> None:
        """Removes it, unless it is the caller's."""
        if self._remove is not None:
            self._remove()
        self._own = self._remove = None


def context_of(files: Sequence[CodeFile]) -> str:
    """What the model is told: names, places and descriptions, not the code. As many of them, best first, as fit."""
    short = [
        file.model_copy(
            update={
                "description": file.description[:_MOST_DESCRIPTION],
                "dependencies": dict(list(file.dependencies.items())[:_MOST_DEPENDENCIES]),
            }
        )
        for file in files
    ]
    while short:
        text = llm_prompt(short).strip()
        if len(text) <= MOST_CONTEXT:
            return text
        short.pop()
    return ""


async def offer(client: Cairn | AsyncCairn, cache: CacheFolder, prompt: str) -> tuple[str, list[OfferedFile]]:
    """Searches for a prompt, and puts what is found into the cache folder. Raises what the client and the disk do."""
    task = prompt.strip()[:_MOST_TASK]
    # a command to the program itself
    if not task or task.startswith("/"):
        return "", []
    found: CodeFilesResponse = await called(
        client.get_code_files,
        task,
        5,
        0.3,
        prefer_complete=True,
        # remarks above functions would be uploaded with what is built on them
        per_function_reputation=False,
        cache_dir=cache.make(),
        # gives up before the session would notice
        timeout=10.0,
        max_retries=1,
    )
    written = [file for file in found.files if file.path is not None]
    return context_of(written), [
        OfferedFile(file.code_block_id, file.filename, str(real(file.path)), file.source, file.description)
        for file in written
        if file.path is not None
    ]
