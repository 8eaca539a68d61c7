"""Snippets of several files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from cairn_client._async.raw import AsyncReposWithRawResponse
from cairn_client._bodies import last_part, mapping, tags_of
from cairn_client._bodies import repo_files as file_bodies
from cairn_client._request import CallOptions, Request, path_of
from cairn_client.types import Repo, StoreRepoResponse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cairn_client._async.transport import AsyncTransport
    from cairn_client.types import FileWritten, FileWrittenDict


class AsyncRepos:
    """Snippets of several files that belong together. A search finds them as matches of type `repo`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @property
    def with_raw_response(self) -> AsyncReposWithRawResponse:
        """The same methods, each returning the HTTP answer too (`RawResponse`)."""
        return AsyncReposWithRawResponse(self)

    async def upload(
        self,
        task: str,
        files: Sequence[FileWritten | FileWrittenDict],
        *,
        name: str | None = None,
        description: str | None = None,
        dependencies: Mapping[str, str] | None = None,
        tags: Sequence[str] | None = None,
        public: bool = False,
        workspace_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> StoreRepoResponse:
        """Stores files as one snippet. The same files again in the same scope are the same snippet.

        Args:
            task: what it is for, in plain words: it is found by them.
            files: 1 to 200 text files, 16 MiB together, with paths relative to the repository's root.
            name: what its manifests say, else the task, unless given.
            description: what its readme and manifests say, else the task, unless given.
            dependencies: package name to version.
            tags: words to find it by.
            public: shares it beyond your scope; refused when it holds a secret.
            workspace_id: instead of the client's.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        """
        body = {
            "task": task,
            "files": file_bodies(files),
            "name": name,
            "description": description,
            "dependencies": mapping(dependencies),
            "tags": tags_of(tags),
            "public": public or None,
        }
        request = Request("POST", "/api/store/repo", body, workspace_id=workspace_id, options=options)
        return await self._transport.ask(request, StoreRepoResponse)

    async def get(self, repo: str, **options: Unpack[CallOptions]) -> Repo:
        """All files of a repository: `repo` is its id, or the `download_url` of a match.

        Raises `NotFoundError` `not_found/repo`.
        """
        path = path_of("api", "store", "repo", last_part(repo))
        return await self._transport.ask(Request("GET", path, options=options), Repo)
