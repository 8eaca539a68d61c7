"""What the existing clients make of a search, an upload of several files, a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cairn_client.compat.types import (
    AlternativeCandidate,
    BestMatch,
    CodeBlockMatch,
    RetrieveBestResponse,
    RetrieveCodeBlockResponse,
    SubmitExecutionResultResponse,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cairn_client.compat.types import SearchMatch, SearchResponse

SKIPPED = {".git", "__pycache__", "node_modules", ".venv", "venv", ".tox", "dist", "build"}
MOST_ALTERNATIVES = 3


def _scores(match: SearchMatch) -> dict[str, Any]:
    return {
        "code_block": match.code_block,
        "score": match.score,
        "thumbs_up": match.thumbs_up,
        "thumbs_down": match.thumbs_down,
    }


def code_blocks(found: SearchResponse) -> RetrieveCodeBlockResponse:
    """Matches as bare snippets."""
    blocks = [CodeBlockMatch(**_scores(match)) for match in found.matches]
    return RetrieveCodeBlockResponse(code_blocks=blocks, total_found=found.total_found).received(found.request_id)


def best(found: SearchResponse) -> RetrieveBestResponse:
    """The first match, and the next three."""
    first, others = found.matches[:1], found.matches[1 : 1 + MOST_ALTERNATIVES]
    return RetrieveBestResponse(
        best_match=BestMatch(**_scores(first[0])) if first else None,
        alternative_candidates=[
            AlternativeCandidate(
                code_block_id=match.code_block.id,
                name=match.code_block.name,
                score=match.score,
                reason=f"{match.thumbs_up} thumbs up, {match.thumbs_down} thumbs down"
                if match.thumbs_up > 0
                else "No execution history",
            )
            for match in others
        ],
        retrieval_confidence=str(round(first[0].score, 4)) if first else "0",
    ).received(found.request_id)


def summed(answers: Sequence[SubmitExecutionResultResponse]) -> SubmitExecutionResultResponse:
    """One answer for several uploads."""
    if len(answers) == 1:
        return answers[0]
    return SubmitExecutionResultResponse(
        success=all(answer.success for answer in answers),
        code_blocks_stored=sum(answer.code_blocks_stored for answer in answers),
        message=f"{len(answers)} files: " + " ".join(dict.fromkeys(answer.message for answer in answers)),
        snippet_name=answers[-1].snippet_name,
        status_url=answers[-1].status_url,
    ).received(answers[-1].request_id)


def text_files(folder: str) -> list[dict[str, str]]:
    """A folder's text files, without what is fetched or built. Links are not followed."""
    root = Path(folder)
    if not root.is_dir():
        raise ValueError(f"repo_path is no folder: {folder}")
    files = []
    for place, folders, names in os.walk(root, followlinks=False):
        folders[:] = sorted(set(folders) - SKIPPED)
        for path in (Path(place) / name for name in sorted(names)):
            if path.is_symlink() or not path.is_file():
                continue
            try:
                content = path.read_bytes().decode("utf-8")
            except (UnicodeDecodeError, PermissionError):
                continue
            if "\0" not in content:
                files.append({"path": path.relative_to(root).as_posix(), "content": content})
    return files
