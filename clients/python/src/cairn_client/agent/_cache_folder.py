"""Where offered files lie."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

from cairn_client.agent._manifest import real
from cairn_client.errors import ValidationError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable


class CacheFolder:
    """The folder that offered files lie in: the caller's, or one of the session's own, which goes with it."""

    def __init__(self, given: str | os.PathLike[str] | None) -> None:
        self._given = None if given is None else Path(given).absolute()
        self._own: Path | None = None
        # its session has ended: a search that was under way must not make it anew
        self.closed = False
        # by path, what its session wrote there: everything else in the caller's folder stays as it is
        self.wrote: dict[str, str] = {}
        self._remove: Callable[[], object] | None = None

    @property
    def real(self) -> Path | None:
        """Where it really is, as soon as that is known."""
        path = self._given or self._own
        return None if path is None else real(path)

    def make(self, root: Path) -> Path:
        """Its path, for a session in the folder `root`. The caller's is made by the one who writes into it.

        Raises:
            ValidationError: it holds the session's folder: files of the project would be replaced.

        """
        if self._given is not None:
            if root.is_relative_to(real(self._given)):
                raise ValidationError("cache_dir holds the session's folder; expected a folder of its own", "cache_dir")
            return self._given
        if self._own is None:
            self._own = real(tempfile.mkdtemp(prefix="cairn-snippets-"))
            self._remove = weakref.finalize(self, shutil.rmtree, self._own, ignore_errors=True)
        return self._own

    def close(self) -> None:
        """Removes it, unless it is the caller's."""
        self.closed = True
        if self._remove is not None:
            self._remove()
        self._own = self._remove = None
