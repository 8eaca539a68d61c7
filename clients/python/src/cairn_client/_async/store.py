"""What can be done with snippets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack

from cairn_client._async.raw import AsyncSnippetStoreWithRawResponse
from cairn_client._async.snippets import AsyncSnippets
from cairn_client._async.uploading import AsyncUploading
from cairn_client._async.voting import AsyncVoting
from cairn_client._bodies import mapping, tags_of
from cairn_client._request import CallOptions, Request, path_of
from cairn_client.types import (
    BrowsePublicResponse,
    CommentList,
    CommentResponse,
    DeleteCommentResponse,
    RetrievalList,
    SearchPublicResponse,
    SnippetFunctions,
    StoreCodeBlockResponse,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cairn_client._async.transport import AsyncTransport


class AsyncSnippetStore(AsyncSnippets, AsyncUploading, AsyncVoting):
    """What can be done with snippets. The client itself has the commonest of it, too."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @property
    def with_raw_response(self) -> AsyncSnippetStoreWithRawResponse:
        """The same methods, each returning the HTTP answer too (`RawResponse`)."""
        return AsyncSnippetStoreWithRawResponse(self)

    async def create(
        self,
        name: str,
        source: str,
        entrypoint: str,
        language: str,
        *,
        description: str | None = None,
        input_schema: Mapping[str, Any] | None = None,
        output_schema: Mapping[str, Any] | None = None,
        language_version: str | None = None,
        dependencies: Mapping[str, str] | Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        capabilities: Sequence[str] | None = None,
        example_queries: Sequence[str] | None = None,
        public: bool = False,
        workspace_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> StoreCodeBlockResponse:
        """Stores a snippet whose name, language and entrypoint are known, and don't have to be found as `upload` does.

        The same code again in the same scope is the same snippet, as it was described at first. Nothing is graded.

        Args:
            name: what it is called; need not be unique.
            source: all of its code, at most 1 MiB.
            entrypoint: the function to call; may be `""`.
            language: the programming language.
            description: what it does, in plain words: it is found by them.
            input_schema: a JSON schema of what it takes.
            output_schema: a JSON schema of what it gives.
            language_version: such as `3.12`.
            dependencies: package name to version, or names only.
            tags: words to find it by.
            capabilities: what it can do.
            example_queries: tasks that it is for: it is found by them.
            public: shares it beyond your scope; refused when it holds a secret.
            workspace_id: instead of the client's.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        """
        body = {
            "name": name,
            "source": source,
            "entrypoint": entrypoint,
            "language": language,
            "description": description,
            "input_schema": mapping(input_schema),
            "output_schema": mapping(output_schema),
            "language_version": language_version,
            "dependencies": dependencies,
            "tags": tags_of(tags),
            "capabilities": tags_of(capabilities, "capabilities"),
            "example_queries": tags_of(example_queries, "example_queries"),
            "public": public or None,
        }
        request = Request("POST", "/api/store/code-block", body, workspace_id=workspace_id, options=options)
        return await self._transport.ask(request, StoreCodeBlockResponse)

    async def comment(self, code_block_id: str, text: str, **options: Unpack[CallOptions]) -> CommentResponse:
        """Comments on a snippet, by id or name. Whoever sees it sees its latest 20 comments in search results.

        Those of other organizations are seen only with `public_snips`, and as `external`. `code_block_id` is the
        snippet's; `text` has 1 to 10,000 characters. Raises `NotFoundError` `not_found/snippet`.
        """
        body = {"code_block_id": code_block_id, "text": text}
        return await self._transport.ask(Request("POST", "/api/store/comment", body, options=options), CommentResponse)

    async def comments(
        self,
        code_block_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> CommentList:
        """The comments on a snippet, the latest first: all of those that search results show the latest 20 of.

        Args:
            code_block_id: the snippet's id.
            limit: at most so many, 1 to 100. Default: 20.
            cursor: the `next_cursor` of an answer, to go on behind it.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        path = path_of("api", "snippets", code_block_id, "comments")
        request = Request("GET", path, query={"limit": limit, "cursor": cursor}, options=options)
        return await self._transport.ask(request, CommentList)

    async def delete_comment(self, comment_id: str, **options: Unpack[CallOptions]) -> DeleteCommentResponse:
        """Deletes a comment, and its text for good: for its author, and for whoever may delete the snippet it is on.

        `comment_id` is as it was answered and as search results have it. Raises `NotFoundError`
        `not_found/comment`, `PermissionDeniedError` `permission/not_your_comment`.
        """
        request = Request("DELETE", path_of("api", "store", "comment", comment_id), options=options)
        return await self._transport.ask(request, DeleteCommentResponse)

    async def markdown(self, code_block_id: str, **options: Unpack[CallOptions]) -> str:
        """A snippet with its tasks, votes, source and latest logs, as Markdown.

        A public one of others comes without tasks and logs. Raises `NotFoundError` `not_found/snippet`.
        """
        path = path_of("raw", code_block_id) + ".md"
        return (await self._transport.send(Request("GET", path, options=options))).text

    async def functions(self, code_block_id: str, **options: Unpack[CallOptions]) -> SnippetFunctions:
        """The functions of a snippet, with their votes, calls and errors, as a search with their reputation tells them.

        Raises `NotFoundError` `not_found/snippet`.
        """
        path = path_of("api", "snippets", code_block_id, "functions")
        return await self._transport.ask(Request("GET", path, options=options), SnippetFunctions)

    async def retrievals(
        self,
        code_block_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> RetrievalList:
        """Your organization's searches that found a snippet, the latest first. For owners and admins.

        Args:
            code_block_id: the snippet's id.
            limit: at most so many, 1 to 100. Default: 20.
            cursor: the `next_cursor` of an answer, to go on behind it.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        path = path_of("api", "snippets", code_block_id, "retrievals")
        request = Request("GET", path, query={"limit": limit, "cursor": cursor}, options=options)
        return await self._transport.ask(request, RetrievalList)

    async def list_public(
        self,
        *,
        limit: int = 20,
        offset: int = 0,
        cursor: str | None = None,
        sort_by: Literal["upvoted", "recent"] = "upvoted",
        language: str | None = None,
        **options: Unpack[CallOptions],
    ) -> BrowsePublicResponse:
        """Pages through the public snippets of everybody. Needs no API key.

        Args:
            limit: at most so many, 1 to 100.
            offset: how many are left out first, up to 10,000: for the next page.
            cursor: the `next_cursor` of an answer to the same request, to go on behind it whatever is written since;
                not beside `offset`.
            sort_by: those with the most votes for them first, or the newest.
            language: only those in this programming language.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        body = {"limit": limit, "offset": offset, "cursor": cursor, "sort_by": sort_by, "language": language}
        request = Request("POST", "/api/snippets/public/list", body, options=options, open=True)
        return await self._transport.ask(request, BrowsePublicResponse)

    async def search_public(
        self, query: str, *, limit: int = 20, language: str | None = None, **options: Unpack[CallOptions]
    ) -> SearchPublicResponse:
        """Searches the public snippets of everybody, best first. Needs no API key.

        Args:
            query: what the code should do, in plain words.
            limit: at most so many, 1 to 100.
            language: only those in this programming language.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        body = {"query": query, "limit": limit, "language": language}
        request = Request("POST", "/api/snippets/public/search", body, options=options, open=True)
        return await self._transport.ask(request, SearchPublicResponse)
