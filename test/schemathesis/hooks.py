"""Ids that are there, in some of the requests that schemathesis makes: without them every request for a thing is a 404.

Seeds are read from the environment (`run.ts`). A request that is meant to be wrong is left as it is.
"""

import json
import os
import zlib

import schemathesis
from schemathesis.generation import GenerationMode

SEEDS: dict[str, list[str]] = json.loads(os.environ["CAIRN_SEEDS"])

#: What a path's parameter or a body's field names, by the operation's path where the name alone does not say it.
KINDS = {
    "code_block_id": "snippet",
    "snippet_id": "snippet",
    "execution_id": "execution",
    "key_id": "key",
    "commit": "commit",
    "sha": "commit",
    "at": "commit",
    "before": "commit",
    "fingerprint": "function",
    "path": "path",
}
IDS = (
    ("/api/workspaces/", "workspace"),
    ("/api/store/status/", "status"),
    ("/api/store/code-block/", "snippet"),
    ("/api/users/", "user"),
    ("/api/repos/", "repository"),
    ("/raw/", "snippet"),
)


def kind_of(path: str, name: str) -> str | None:
    if name in ("id", "workspace_id"):
        return next((kind for prefix, kind in IDS if path.startswith(prefix)), None)
    return KINDS.get(name)


def seeded(path: str, values: dict[str, object], chance: int) -> dict[str, object]:
    given = dict(values)
    for name, value in values.items():
        seeds = SEEDS.get(kind_of(path, name) or "", [])
        # by what was generated, so that a shrunk request is the same again
        draw = zlib.crc32(f"{path} {name} {value!r}".encode())
        if seeds and isinstance(value, str) and draw % 4 < chance:
            given[name] = seeds[draw // 4 % len(seeds)]
    return given


@schemathesis.hook
def map_case(context: schemathesis.HookContext, case: schemathesis.Case) -> schemathesis.Case:
    if case.meta is not None and case.meta.generation.mode != GenerationMode.POSITIVE:
        return case
    path = case.operation.path
    if case.path_parameters:
        case.path_parameters = seeded(path, case.path_parameters, 3)
    if case.query:
        case.query = seeded(path, case.query, 2)
    if isinstance(case.body, dict):
        case.body = seeded(path, case.body, 3)
    return case
