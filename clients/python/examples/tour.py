"""A tour: store what worked, find it again, say that it helped, let an agent use it.

CAIRN_API_KEY=… python examples/tour.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from cairn_client import Cairn, FileWritten, ServiceError

TASK = "count the words of a text"
CODE = '''from collections import Counter


def word_counts(text: str) -> dict:
    """Counts the words of a text."""
    return dict(Counter(text.lower().split()))
'''


def main() -> None:
    """Runs the tour against the service that CAIRN_BASE_URL names."""
    with Cairn() as client:
        stored = client.upload(TASK, FileWritten(path="word_counts.py", content=CODE), True, user_vote=1)
        print(f"stored: {stored.snippet_name}")

        for match in client.search(TASK, top_k=3).matches:
            print(f"found: {match.filename} ({match.score:.0%}, +{match.thumbs_up} -{match.thumbs_down})")

        with tempfile.TemporaryDirectory() as folder:
            files = client.get_code_files(TASK, top_k=1, cache_dir=folder)
            print(f"written: {[path.name for path in Path(folder).iterdir()]}")
            client.vote_code_snip(TASK, files.files[0].code_block_id, succeeded=True)

        answer = client.chat(TASK, user="ada", org="acme", model="local")
        print(f"the agent: {answer.output}")
        if answer.workspace_id is not None:
            for commit in client.workspaces.commits(answer.workspace_id, limit=3).commits:
                print(f"commit: {commit.sha[:8]} {commit.message.splitlines()[0]}")

        try:
            client.delete("no such snippet")
        except ServiceError as error:
            print(f"refused: {error.code}")


if __name__ == "__main__":
    main()
