"""The client's methods, each returning the HTTP answer too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cairn_client._raw import async_raw

if TYPE_CHECKING:
    from cairn_client._async.client import AsyncCairn
    from cairn_client._async.resources import AsyncKeys, AsyncUploads, AsyncWorkspaces


class AsyncWithRawResponse:
    """What `with_raw_response` has: all methods but `events`."""

    def __init__(self, client: AsyncCairn) -> None:
        self.search = async_raw(client.search)
        self.get_code_files = async_raw(client.get_code_files)
        self.upload = async_raw(client.upload)
        self.upload_bulk_code_snips = async_raw(client.upload_bulk_code_snips)
        self.delete = async_raw(client.delete)
        self.vote_code_snip = async_raw(client.vote_code_snip)
        self.chat = async_raw(client.chat)
        self.keys = AsyncKeysWithRawResponse(client.keys)
        self.workspaces = AsyncWorkspacesWithRawResponse(client.workspaces)
        self.uploads = AsyncUploadsWithRawResponse(client.uploads)


class AsyncKeysWithRawResponse:
    """The methods of `keys`."""

    def __init__(self, keys: AsyncKeys) -> None:
        self.create = async_raw(keys.create)
        self.list = async_raw(keys.list)
        self.revoke = async_raw(keys.revoke)


class AsyncWorkspacesWithRawResponse:
    """The methods of `workspaces`."""

    def __init__(self, workspaces: AsyncWorkspaces) -> None:
        self.list = async_raw(workspaces.list)
        self.commits = async_raw(workspaces.commits)
        self.commit = async_raw(workspaces.commit)
        self.tree = async_raw(workspaces.tree)
        self.file = async_raw(workspaces.file)
        self.restore = async_raw(workspaces.restore)


class AsyncUploadsWithRawResponse:
    """The methods of `uploads`."""

    def __init__(self, uploads: AsyncUploads) -> None:
        self.status = async_raw(uploads.status)
