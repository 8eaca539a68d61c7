"""The organization that the key is of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from cairn_client._async.raw import AsyncOrganizationWithRawResponse
from cairn_client._request import CallOptions, Request, path_of
from cairn_client.types import BegunErasure, Erasure, OrganizationInfo

if TYPE_CHECKING:
    from cairn_client._async.transport import AsyncTransport


class AsyncOrganization:
    """The organization that the key is of. A key without one gets a `PermissionDeniedError`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @property
    def with_raw_response(self) -> AsyncOrganizationWithRawResponse:
        """The same methods, each returning the HTTP answer too (`RawResponse`)."""
        return AsyncOrganizationWithRawResponse(self)

    async def get(self, **options: Unpack[CallOptions]) -> OrganizationInfo:
        """Its name, its slug, and how many people it has."""
        return await self._transport.ask(Request("GET", "/api/organization", options=options), OrganizationInfo)

    async def rename(
        self, *, name: str | None = None, slug: str | None = None, **options: Unpack[CallOptions]
    ) -> OrganizationInfo:
        """Gives it another name, another slug, or both. For owners and admins.

        Args:
            name: 1 to 200 characters. Default: as it is.
            slug: 1 to 40 of `a`-`z`, `0`-`9` and hyphens within. The former one is free for others at once. Default:
                as it is.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            ConflictError: `conflict/slug_taken`: another organization has the slug; nothing has changed.

        """
        body = {"name": name, "slug": slug}
        return await self._transport.ask(Request("POST", "/api/organization", body, options=options), OrganizationInfo)

    async def delete(self, slug: str, **options: Unpack[CallOptions]) -> BegunErasure:
        """Erases it, for good, for an owner.

        All keys are revoked at once, also this one, and all that it had is erased then. `erasure` tells how far
        that is.

        Args:
            slug: the organization's, to confirm it.
            **options: `timeout`, `max_retries`, `idempotency_key`, `extra_headers` of this call.

        Raises:
            ConflictError: `conflict/slug_differs`: nothing is erased; `conflict/operator_stays`: it is the organization
                of who operates the service.
            AuthenticationError: also when it was erased by this call, whose answer was lost: ask `erasure`.

        """
        path = "/api/organization/delete"
        return await self._transport.ask(Request("POST", path, {"slug": slug}, options=options), BegunErasure)

    async def erasure(self, organization_id: str, **options: Unpack[CallOptions]) -> Erasure:
        """How far the erasure of an organization is. Needs no live key.

        `organization_id` is that of `delete`, or of `get` before. Raises `NotFoundError` `not_found/erasure`: no
        organization with this id was erased.
        """
        path = path_of("api", "erasures", organization_id)
        return await self._transport.ask(Request("GET", path, options=options), Erasure)
