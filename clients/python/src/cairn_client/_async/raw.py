"""The client's methods, each returning the HTTP answer too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cairn_client._raw import async_raw

if TYPE_CHECKING:
    from cairn_client._async.client import AsyncCairn
    from cairn_client._async.keys import AsyncKeys
    from cairn_client._async.learned import AsyncExecutions, AsyncFunctions, AsyncLogs, AsyncPatterns
    from cairn_client._async.organization import AsyncOrganization
    from cairn_client._async.repos import AsyncRepos
    from cairn_client._async.runs import AsyncRuns
    from cairn_client._async.store import AsyncSnippetStore
    from cairn_client._async.system import AsyncSystem
    from cairn_client._async.uploads import AsyncUploads
    from cairn_client._async.users import AsyncUsers
    from cairn_client._async.workspaces import AsyncWorkspaces


class AsyncWithRawResponse:
    """What `with_raw_response` has: all methods but `events` and those that stream."""

    def __init__(self, client: AsyncCairn) -> None:
        self.search = async_raw(client.search)
        self.get_code_files = async_raw(client.get_code_files)
        self.upload = async_raw(client.upload)
        self.upload_bulk_code_snips = async_raw(client.upload_bulk_code_snips)
        self.delete = async_raw(client.delete)
        self.vote_code_snip = async_raw(client.vote_code_snip)
        self.chat = async_raw(client.chat)
        self.health = async_raw(client.health)
        self.ready = async_raw(client.ready)
        self.models = async_raw(client.models)
        self.usage = async_raw(client.usage)
        self.bounds = async_raw(client.bounds)
        self.set_bounds = async_raw(client.set_bounds)
        self.skill = async_raw(client.skill)
        self.keys = client.keys.with_raw_response
        self.organization = client.organization.with_raw_response
        self.users = client.users.with_raw_response
        self.workspaces = client.workspaces.with_raw_response
        self.runs = client.runs.with_raw_response
        self.uploads = client.uploads.with_raw_response
        self.snippets = client.snippets.with_raw_response
        self.repos = client.repos.with_raw_response
        self.executions = client.executions.with_raw_response
        self.patterns = client.patterns.with_raw_response
        self.functions = client.functions.with_raw_response
        self.logs = client.logs.with_raw_response
        self.system = client.system.with_raw_response


class AsyncKeysWithRawResponse:
    """The methods of `keys`."""

    def __init__(self, keys: AsyncKeys) -> None:
        self.create = async_raw(keys.create)
        self.list = async_raw(keys.list)
        self.limit = async_raw(keys.limit)
        self.revoke = async_raw(keys.revoke)


class AsyncWorkspacesWithRawResponse:
    """The methods of `workspaces`."""

    def __init__(self, workspaces: AsyncWorkspaces) -> None:
        self.chat = async_raw(workspaces.chat)
        self.list = async_raw(workspaces.list)
        self.get = async_raw(workspaces.get)
        self.commits = async_raw(workspaces.commits)
        self.commit = async_raw(workspaces.commit)
        self.compare = async_raw(workspaces.compare)
        self.tree = async_raw(workspaces.tree)
        self.file = async_raw(workspaces.file)
        self.open = async_raw(workspaces.open)
        self.put_file = async_raw(workspaces.put_file)
        self.unpack = async_raw(workspaces.unpack)
        self.delete_file = async_raw(workspaces.delete_file)
        self.restore = async_raw(workspaces.restore)
        self.delete = async_raw(workspaces.delete)


class AsyncRunsWithRawResponse:
    """The methods of `runs`."""

    def __init__(self, runs: AsyncRuns) -> None:
        self.start = async_raw(runs.start)
        self.get = async_raw(runs.get)
        self.list = async_raw(runs.list)
        self.turns = async_raw(runs.turns)
        self.turn = async_raw(runs.turn)
        self.cancel = async_raw(runs.cancel)


class AsyncUploadsWithRawResponse:
    """The methods of `uploads`."""

    def __init__(self, uploads: AsyncUploads) -> None:
        self.status = async_raw(uploads.status)


class AsyncOrganizationWithRawResponse:
    """The methods of `organization`."""

    def __init__(self, organization: AsyncOrganization) -> None:
        self.get = async_raw(organization.get)
        self.rename = async_raw(organization.rename)
        self.delete = async_raw(organization.delete)
        self.erasure = async_raw(organization.erasure)


class AsyncUsersWithRawResponse:
    """The methods of `users`."""

    def __init__(self, users: AsyncUsers) -> None:
        self.list = async_raw(users.list)
        self.change_role = async_raw(users.change_role)
        self.erase = async_raw(users.erase)


class AsyncSnippetStoreWithRawResponse:
    """The methods of `snippets`."""

    def __init__(self, snippets: AsyncSnippetStore) -> None:
        self.search = async_raw(snippets.search)
        self.get_code_files = async_raw(snippets.get_code_files)
        self.upload = async_raw(snippets.upload)
        self.upload_bulk = async_raw(snippets.upload_bulk)
        self.delete = async_raw(snippets.delete)
        self.vote = async_raw(snippets.vote)
        self.create = async_raw(snippets.create)
        self.comment = async_raw(snippets.comment)
        self.comments = async_raw(snippets.comments)
        self.delete_comment = async_raw(snippets.delete_comment)
        self.markdown = async_raw(snippets.markdown)
        self.functions = async_raw(snippets.functions)
        self.retrievals = async_raw(snippets.retrievals)
        self.list_public = async_raw(snippets.list_public)
        self.search_public = async_raw(snippets.search_public)


class AsyncReposWithRawResponse:
    """The methods of `repos`."""

    def __init__(self, repos: AsyncRepos) -> None:
        self.upload = async_raw(repos.upload)
        self.get = async_raw(repos.get)


class AsyncExecutionsWithRawResponse:
    """The methods of `executions`."""

    def __init__(self, executions: AsyncExecutions) -> None:
        self.record = async_raw(executions.record)
        self.list = async_raw(executions.list)
        self.review = async_raw(executions.review)


class AsyncPatternsWithRawResponse:
    """The methods of `patterns`."""

    def __init__(self, patterns: AsyncPatterns) -> None:
        self.list = async_raw(patterns.list)
        self.examples = async_raw(patterns.examples)


class AsyncFunctionsWithRawResponse:
    """The methods of `functions`."""

    def __init__(self, functions: AsyncFunctions) -> None:
        self.history = async_raw(functions.history)


class AsyncLogsWithRawResponse:
    """The methods of `logs`."""

    def __init__(self, logs: AsyncLogs) -> None:
        self.search = async_raw(logs.search)


class AsyncSystemWithRawResponse:
    """The methods of `system` but `backup`, `events` and `event_stream`."""

    def __init__(self, system: AsyncSystem) -> None:
        self.health = async_raw(system.health)
        self.ready = async_raw(system.ready)
        self.models = async_raw(system.models)
        self.usage = async_raw(system.usage)
        self.bounds = async_raw(system.bounds)
        self.set_bounds = async_raw(system.set_bounds)
        self.skill = async_raw(system.skill)
        self.access = async_raw(system.access)
        self.activity = async_raw(system.activity)
        self.status = async_raw(system.status)
        self.requests = async_raw(system.requests)
        self.replays = async_raw(system.replays)
        self.replay = async_raw(system.replay)
        self.cancel_replay = async_raw(system.cancel_replay)
        self.as_ofs = async_raw(system.as_ofs)
        self.make_as_of = async_raw(system.make_as_of)
        self.drop_as_of = async_raw(system.drop_as_of)
        self.as_of_rows = async_raw(system.as_of_rows)
        self.sign_in = async_raw(system.sign_in)
        self.newest_events = async_raw(system.newest_events)
        self.event = async_raw(system.event)
