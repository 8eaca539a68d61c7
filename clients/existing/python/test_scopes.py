"""Organizations, workspaces, tiers, agents and public snippets, by the options and headers of the published client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from here import unique
from tenants import Organization, organization

if TYPE_CHECKING:
    from pathlib import Path

    from here import Here
    from tests.service import Service


@pytest.fixture(scope="session")
def pro(service: Service, folder: Path) -> Organization:
    return organization(folder, "PRO")


@pytest.fixture(scope="session")
def free(service: Service, folder: Path) -> Organization:
    return organization(folder, "FREE")


def names(client: Any, task: str, **more: Any) -> set[str]:
    return {match.code_block.name for match in client.search(task, 100, 0.0, **more).matches}


def test_workspaces(here: Here, pro: Organization) -> None:
    company = here.client_with(api_key=pro.key, organization_id=pro.id, snips_desired="company")
    first = here.client_with(api_key=pro.key, workspace_id=f"{here.word}-1")
    only = here.client_with(api_key=pro.key, workspace_id=f"{here.word}-1", snips_desired="client")
    second = here.client_with(api_key=pro.key, workspace_id=f"{here.word}-2")
    shared, own, other = unique(), unique(), unique()
    task = f"read {here.word} files"
    company.upload(task, here.file(shared), use_raysurfer_ai_voting=False)
    first.upload(task, here.file(own), use_raysurfer_ai_voting=False)
    # the workspace of a call instead of the client's
    first.upload(task, here.file(other), use_raysurfer_ai_voting=False, workspace_id=f"{here.word}-2")
    seen = {shared, own, other}
    assert names(company, task) & seen == {shared}
    assert names(first, task) & seen == {shared, own}
    assert names(only, task) == {own}
    assert names(second, task) & seen == {shared, other}
    assert names(company, task, workspace_id=f"{here.word}-2") & seen == {shared}
    assert names(first, task, workspace_id=f"{here.word}-2") & seen == {shared, other}
    bulk = first.upload_bulk_code_snips(
        [task], [here.file()], use_raysurfer_ai_voting=False, workspace_id=f"{here.word}-2"
    )
    assert bulk.code_blocks_stored == 1
    assert here.word in names(second, task)
    with pytest.raises(here.library.APIError) as refused:
        first.delete(other)
    assert refused.value.status_code == 404
    assert first.delete(other, f"{here.word}-2").deleted_count == 1
    # another organization's key sees none of it
    assert names(here.client, task) & seen == set()


def refused(here: Here, **options: Any) -> tuple[int, str]:
    with pytest.raises(here.library.APIError) as problem:
        here.client_with(**options).search("anything")
    return problem.value.status_code, str(problem.value)


def test_what_a_scope_needs(here: Here, free: Organization, pro: Organization) -> None:
    assert here.client_with(api_key=free.key).search("anything").matches == []
    for options in ({"workspace_id": "w"}, {"snips_desired": "company"}):
        status, said = refused(here, api_key=free.key, **options)
        assert (status, "PRO or ENTERPRISE" in said) == (403, True)
    status, said = refused(here, api_key=pro.key, snips_desired="client")
    assert (status, "workspace" in said) == (400, True)
    status, said = refused(here, api_key=pro.key, organization_id=free.id)
    assert (status, "organization" in said) == (403, True)
    with pytest.raises((ValueError, here.library.RaySurferError)):
        here.client_with(snips_desired="everything").search("anything")


def test_public_snippets(here: Here, free: Organization) -> None:
    snippet = here.stored(public=True)
    stranger = here.client_with(api_key=free.key)
    assert here.word not in names(stranger, here.task)
    open_minded = here.client_with(api_key=free.key, public_snips=True)
    assert here.word in names(open_minded, here.task)
    assert open_minded.vote_code_snip(here.task, snippet, here.word, "", True)["success"] is True
    assert here.client.search(here.task).matches[0].thumbs_up == 2
    with pytest.raises(here.library.APIError) as problem:
        open_minded.delete(snippet)
    assert problem.value.status_code in (403, 404)


def test_agents(here: Here) -> None:
    agent = here.client_with(agent_id=f"{here.word}-agent")
    agent.upload(here.task, here.file(), user_vote=1)
    match = agent.search(here.task).matches[0]
    assert (match.code_block.name, match.agent_id) == (here.word, f"{here.word}-agent")
    assert match.code_block.agent_id == f"{here.word}-agent"
    assert here.word not in names(here.client_with(agent_id="another"), here.task)
