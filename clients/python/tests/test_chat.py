"""Chats and the workspaces that they leave, against the real service."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cairn_client import APIError
from tests.snippets import recent, source, stored, unique

if TYPE_CHECKING:
    from cairn_client import Cairn


def test_chat_works_in_a_workspace_with_history(client: Cairn) -> None:
    word, user = unique(), unique()
    stored(client, word)
    answer = client.chat(f"read a {word} file", user=user, org="acme", model="local")
    assert (answer.success, answer.error) == (True, "")
    assert (answer.changed_files, answer.workspace_files) == ([f"{word}.py"], [f"{word}.py"])
    assert answer.session_id
    assert answer.workspace_id
    assert answer.duration_ms >= 0
    workspaces = client.workspaces
    listed = next(one for one in workspaces.list().workspaces if one.user_id == user)
    assert (listed.org_id, listed.head, listed.files) == ("acme", answer.commit, 1)
    assert recent(listed.updated_at)
    me = client.system.access()
    assert listed.updated_by
    assert (listed.updated_by.key_id, listed.updated_by.email) == (me.key_id, me.user_email)
    commits = workspaces.commits(answer.workspace_id).commits
    assert commits[0].sha == answer.commit
    assert recent(commits[0].committed_at)
    assert [(change.path, change.status) for change in commits[0].changes] == [(f"{word}.py", "created")]
    [file] = workspaces.tree(answer.workspace_id).files
    assert commits[0].changes[0].sha == file.sha
    assert f"+def {word}" in workspaces.commit(answer.workspace_id, commits[0].sha).diff
    assert [file.path for file in workspaces.tree(answer.workspace_id).files] == [f"{word}.py"]
    assert workspaces.file(answer.workspace_id, f"{word}.py") == source(word).encode()

    other = unique()
    stored(client, other)
    second = client.chat(f"read a {other} file", user=user, org="acme", model="local")
    assert set(second.workspace_files) == {f"{word}.py", f"{other}.py"}
    assert len(workspaces.commits(answer.workspace_id, limit=1).commits) == 1
    older = workspaces.commits(answer.workspace_id, before=str(second.commit)).commits
    assert [commit.sha for commit in older] == [answer.commit]
    restored = workspaces.restore(answer.workspace_id, str(answer.commit))
    assert restored.success
    assert restored.commit not in (answer.commit, second.commit)
    assert [file.path for file in workspaces.tree(answer.workspace_id).files] == [f"{word}.py"]
    assert len(workspaces.tree(answer.workspace_id, at=second.commit).files) == 2
    with pytest.raises(APIError) as missing:
        workspaces.file(answer.workspace_id, "no such file.py")
    assert missing.value.code == "not_found/file"


def test_a_failed_chat_is_an_answer(client: Cairn) -> None:
    empty = client.with_options(workspace_id=unique(), snips_desired="client")
    answer = empty.chat("read a file", user=unique(), org="acme", model="local")
    assert not answer.success
    assert answer.error


def test_a_chat_that_nobody_waits_for(client: Cairn) -> None:
    word, user = unique(), unique()
    stored(client, word)
    started = client.runs.start(f"read a {word} file", user=user, org="acme", model="local", max_turns=5)
    while (run := client.runs.get(started.run_id)).ended_at is None:
        assert run.answer is None
    assert (run.state, run.failure, run.max_turns, run.model) == ("completed", None, 5, "local")
    assert run.answer is not None
    assert run.answer.session_id == run.run_id == started.run_id
    assert run.answer.changed_files == [f"{word}.py"]
    again = client.runs.start(f"read a {word} file", user=user, org="acme", model="local")
    assert again.workspace_id == started.workspace_id
    page = client.runs.list(started.workspace_id, limit=1)
    [listed] = page.runs
    assert (listed.run_id, listed.task) == (again.run_id, f"read a {word} file")
    assert recent(listed.requested_at)
    rest = client.runs.list(started.workspace_id, cursor=page.next_cursor)
    assert [one.run_id for one in rest.runs] == [started.run_id]
    with pytest.raises(APIError) as over:
        client.runs.cancel(started.run_id)
    assert over.value.code == "conflict/run_over"
    for missing in (client.runs.get, client.runs.cancel):
        with pytest.raises(APIError) as error:
            missing(started.workspace_id)
        assert error.value.code == "not_found/run"
