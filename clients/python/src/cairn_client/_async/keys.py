"""Keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack

from cairn_client._async.raw import AsyncKeysWithRawResponse
from cairn_client._bodies import limits_of, word
from cairn_client._request import CallOptions, Request
from cairn_client.types import CreatedKey, KeyList, LimitedKey, RevokedKey

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cairn_client._async.transport import AsyncTransport


class AsyncKeys:
    """The organization's API keys, for its owners and admins."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @property
    def with_raw_response(self) -> AsyncKeysWithRawResponse:
        """The same methods, each returning the HTTP answer too (`RawResponse`)."""
        return AsyncKeysWithRawResponse(self)

    async def create(
        self,
        email: str,
        key_name: str,
        role: Literal["member", "admin", "reader"] | None = None,
        *,
        acts_as: str | None = None,
        acts_for: Literal["own", "any"] | None = None,
        read_only: bool | None = None,
        expires_at: str | None = None,
        workspaces: Sequence[str] | None = None,
        models: Sequence[str] | None = None,
        **options: Unpack[CallOptions],
    ) -> CreatedKey:
        """Creates a key for a person, who becomes a member if they are none yet.

        The full key is only ever in this answer: when it is lost, revoke it.

        Args:
            email: whose key it is.
            key_name: how it is shown, such as `laptop`.
            role: only owners may give `admin`. Unless given, `member` for who is new, and for a member their own, but
                no more than your key's. More than the person has becomes the person's; less is this key's alone.
            acts_as: the `user` of the person's chats. Default: the e-mail.
            acts_for: `own`: it works in its own person's workspaces, and deletes what that person stored; `any`: in
                everybody's, as a back end does. Default: `own` for members
                and readers, else `any`.
            read_only: whether it only reads.
            expires_at: ISO 8601: from then on it is not valid.
            workspaces: ids of the workspaces that it works in.
            models: names of the models that it may ask for.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            ValidationError: `validation/member_limit_reached`: the organization is full.
            PermissionDeniedError: the key may not give this one.
            ConflictError: `conflict/already_created`: made by an earlier attempt whose answer did not arrive.

        """
        limits = limits_of(acts_for, read_only, expires_at, workspaces, models)
        body = {"email": email, "key_name": key_name, "role": word(role), "acts_as": acts_as, **limits}
        request = Request("POST", "/api/keys/org/create", body, options=options)
        return await self._transport.ask(request, CreatedKey)

    async def list(
        self, *, limit: int | None = None, cursor: str | None = None, **options: Unpack[CallOptions]
    ) -> KeyList:
        """The organization's live keys, the oldest first, without their secrets.

        Args:
            limit: at most so many, 1 to 1,000. Default: 1,000.
            cursor: the `next_cursor` of an answer, to go on behind it.
            **options: `timeout`, `max_retries`, `extra_headers` of this call.

        """
        query = {"limit": limit, "cursor": cursor}
        request = Request("POST", "/api/keys/org/list", {}, query=query, options=options)
        return await self._transport.ask(request, KeyList)

    async def limit(
        self,
        key_id: str,
        *,
        acts_for: Literal["own", "any"] | None = None,
        read_only: bool | None = None,
        expires_at: str | None = None,
        workspaces: Sequence[str] | None = None,
        models: Sequence[str] | None = None,
        **options: Unpack[CallOptions],
    ) -> LimitedKey:
        """Changes what bounds a key, at once; what is left out stays.

        Args:
            key_id: the `id` of a key.
            acts_for: `own`: it works in its own person's workspaces, and deletes what that person stored; `any`: in
                everybody's, as a back end does.
            read_only: whether it only reads.
            expires_at: ISO 8601: from then on it is not valid.
            workspaces: ids of the workspaces that it works in.
            models: names of the models that it may ask for.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            APIError: 404 `not_found/api_key`; 403 `permission/only_owner_can_promote`: the key's person has more
                authority than yours.

        """
        body = {"key_id": key_id, **limits_of(acts_for, read_only, expires_at, workspaces, models)}
        return await self._transport.ask(Request("POST", "/api/keys/org/limit", body, options=options), LimitedKey)

    async def revoke(self, key_id: str, **options: Unpack[CallOptions]) -> RevokedKey:
        """Ends a key at once: `key_id` is the `id` of a key.

        Raises:
            NotFoundError: `not_found/api_key`: there is none, it is another organization's, or was revoked already.

        """
        request = Request("POST", "/api/keys/org/revoke", {"key_id": key_id}, options=options)
        return await self._transport.ask(request, RevokedKey)
