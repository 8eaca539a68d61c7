"""Keys, events and what is refused, against the real service."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cairn_client import APIError, AuthenticationError, ValidationError
from tests.snippets import recent, stored, unique

if TYPE_CHECKING:
    from cairn_client import Cairn
    from tests.kinds import Kind
    from tests.service import Service


def test_keys(kind: Kind, service: Service, client: Cairn) -> None:
    email = f"{unique()}@example.org"
    created = client.keys.create(email, "laptop")
    assert created.key.startswith(created.key_prefix)
    assert created.key not in repr(created)
    assert created.is_new_member
    assert recent(created.created_at)
    listed = next(key for key in client.keys.list().keys if key.id == created.id)
    assert (listed.user_email, listed.name, listed.last_used_at) == (email, "laptop", None)
    member = client.with_options(api_key=created.key)
    member.search("anything")
    with pytest.raises(APIError) as refused:
        member.keys.list()
    assert (refused.value.status_code, refused.value.code) == (403, "permission/admin_key_required")
    assert client.keys.revoke(created.id).key_id == created.id
    with pytest.raises(AuthenticationError) as revoked:
        member.search("anything")
    assert revoked.value.code == "auth/invalid_api_key"
    with pytest.raises(APIError) as gone:
        client.keys.revoke(created.id)
    assert gone.value.code == "not_found/api_key"


def test_events_page_by_themselves(client: Cairn) -> None:
    word = unique()
    snippet = stored(client, word)
    for _ in range(3):
        client.vote_code_snip("read", snippet, succeeded=True)
    stream = f"snippet-{snippet}"
    everything = list(client.events(stream=stream))
    assert [event.revision for event in everything] == list(range(len(everything)))
    assert [event.type for event in everything].count("VoteCast") == 4
    assert recent(everything[0].recorded_at)
    assert list(client.events(stream=stream, limit=2)) == everything
    assert list(client.events(stream=stream, after=everything[1].position)) == everything[2:]
    assert len(list(client.events(stream=stream, type="VoteCast", limit=1))) == 4


def test_no_key_and_a_wrong_key(kind: Kind, service: Service) -> None:
    # without one it need not be asked
    for key, code, status in ((None, "auth/missing_api_key", None), ("cairn_live_wrong", "auth/invalid_api_key", 401)):
        with pytest.raises(AuthenticationError) as refused:
            kind.cairn(key, service.base_url).search("anything")
        assert (refused.value.code, refused.value.status_code) == (code, status)


def test_what_is_out_of_range_is_named(client: Cairn) -> None:
    with pytest.raises(ValidationError) as refused:
        client.search("", 0)
    assert refused.value.field == "task"
    assert [error.field for error in refused.value.errors] == ["task", "top_k"]
    with pytest.raises(ValidationError) as refused:
        client.search("half a pair: \ud800")
    assert refused.value.field == "task"


def test_another_organization_is_refused(client: Cairn) -> None:
    with pytest.raises(APIError) as refused:
        client.with_options(organization_id="another").search("anything")
    assert refused.value.code == "permission/not_org_member"
