"""People of an organization."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack

from cairn_client._async.raw import AsyncUsersWithRawResponse
from cairn_client._bodies import word
from cairn_client._request import CallOptions, Request, path_of
from cairn_client.types import ChangedRole, EraseUserResponse, UserList

if TYPE_CHECKING:
    from cairn_client._async.transport import AsyncTransport


class AsyncUsers:
    """The organization's people, for its owners and admins."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @property
    def with_raw_response(self) -> AsyncUsersWithRawResponse:
        """The same methods, each returning the HTTP answer too (`RawResponse`)."""
        return AsyncUsersWithRawResponse(self)

    async def list(
        self, *, limit: int | None = None, cursor: str | None = None, **options: Unpack[CallOptions]
    ) -> UserList:
        """The organization's people, with their roles and when a key of theirs was last used.

        Who joined first comes first.

        Args:
            limit: at most so many, 1 to 1,000. Default: 1,000.
            cursor: the `next_cursor` of an answer, to go on behind it.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        query = {"limit": limit, "cursor": cursor}
        return await self._transport.ask(Request("GET", "/api/users", query=query, options=options), UserList)

    async def change_role(
        self, user_id: str, role: Literal["admin", "member", "reader"], **options: Unpack[CallOptions]
    ) -> ChangedRole:
        """Changes a person's role, at once and for all of their keys.

        Only owners make admins, and take their role.

        Args:
            user_id: the one of `list`.
            role: what they may do from now on.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            APIError: 404 `not_found/user`; 403 `permission/only_owner_can_promote`; 409 `conflict/owner_stays`: who
                answers for the organization stays its owner.

        """
        path = path_of("api", "users", user_id, "role")
        return await self._transport.ask(Request("POST", path, {"role": word(role)}, options=options), ChangedRole)

    async def erase(self, user_id: str, **options: Unpack[CallOptions]) -> EraseUserResponse:
        """Erases a user for good: revokes the user's keys, deletes name and e-mail, and frees the seat.

        What the user stored for the organization stays, without their name. The same e-mail can be added again later.
        `user_id` is that of `list`. Raises `NotFoundError` `not_found/user`, and `ConflictError`
        `conflict/owner_stays`: the owner can't be erased.
        """
        path = path_of("api", "users", user_id)
        return await self._transport.ask(Request("DELETE", path, options=options), EraseUserResponse)
