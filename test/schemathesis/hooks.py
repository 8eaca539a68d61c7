"""Ids that are there, in some of the requests that schemathesis makes: without them every request for a thing is a 404.
And what a request's fields have to be to each other, which the document says in words and JSON Schema has none for.

Seeds are read from the environment (`run.ts`). A request that is meant to be wrong is left as it is.
"""

import base64
import copy
import io
import json
import os
import re
import zipfile
import zlib

import schemathesis
from schemathesis.generation import GenerationMode
from schemathesis.generation.meta import TestPhase

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
    ("/api/snippets/", "snippet"),
    ("/api/users/", "user"),
    ("/api/repos/", "repository"),
    ("/raw/", "snippet"),
)


#: as `domain/toldPosition.ts` has it
POSITION = re.compile(r"[a-z]{4}-[0-9]{1,15}")


def packed() -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as files:
        files.writestr("a.py", "a = 1\n")
    return archive.getvalue()


ARCHIVE = packed()


def kind_of(path: str, name: str) -> str | None:
    if name in ("id", "workspace_id"):
        return next((kind for prefix, kind in IDS if path.startswith(prefix)), None)
    # what comes before is a commit in a workspace, and a position in the log
    return None if path.startswith(("/api/events", "/api/admin/as-of")) else KINDS.get(name)


def seeded(path: str, values: dict[str, object], chance: int) -> dict[str, object]:
    given = dict(values)
    for name, value in values.items():
        seeds = SEEDS.get(kind_of(path, name) or "", [])
        # by what was generated, so that a shrunk request is the same again
        draw = zlib.crc32(f"{path} {name} {value!r}".encode())
        if seeds and isinstance(value, str) and draw % 4 < chance:
            given[name] = seeds[draw // 4 % len(seeds)]
    return given


def names_apart(files: list[dict[str, object]]) -> None:
    """Each file once, under a path that git takes."""
    for n, file in enumerate(files):
        name = "".join("_" if letter in "/\\" else letter for letter in str(file["path"])[:60])
        file["path"] = f"{n}/f{name}"


def review_told(review: dict[str, object]) -> None:
    """Four of its fields are needed, under one of their two names."""
    for snake in ("output_was_useful", "output_was_correct", "output_was_complete", "would_use_again"):
        first, *others = snake.split("_")
        if review.get(first + "".join(map(str.title, others))) is None and review.get(snake) is None:
            review[snake] = True


def made_whole(path: str, body: dict[str, object]) -> dict[str, object]:
    if body.get("public"):
        # only what people can read becomes public, which no schema tells; that it is refused has tests of its own
        body["public"] = False
    if path == "/api/bounds" and body.get("key_id") is not None:
        # models are of the whole organization
        body.pop("models", None)
    if body.get("expires_at") is not None:
        # a time that is over ends nothing
        body["expires_at"] = "2199-12-31"
    if path == "/api/store/repo":
        body["files"] = body.get("files") or [{"path": "a.py", "content": "a = 1\n"}]
        names_apart(body["files"])
    if path == "/api/store/execution-result" and body.get("file_written") is None and body.get("files_written") is None:
        body["file_written"] = {"path": "a.py", "content": "a = 1\n"}
    if path == "/api/store/bulk-execution-result":
        names_apart(body["files_written"])
        # votes are for files of the same call
        paths = [file["path"] for file in body["files_written"]]
        if body.get("user_votes"):
            body["user_votes"] = dict(zip(paths, body["user_votes"].values()))
        for log in body.get("log_files") or []:
            if log.get("encoding") == "base64":
                log["content"] = base64.b64encode(log["content"].encode()).decode()
    if path == "/api/store/execution" and body.get("review") is not None:
        review_told(body["review"])
    return body


def of_this_log(values: dict[str, object] | None) -> None:
    """Positions as this log tells them: that one of another log is refused, before which letters stand, has tests of its own."""
    for name in ("after", "before", "as_of", "position") if values is not None else ():
        if POSITION.fullmatch(str(values.get(name, ""))):
            values[name] = str(values[name]).rpartition("-")[2]


def from_the_beginning(values: dict[str, object] | None) -> None:
    """Where a list goes on is said by the answer before, to the same request; that another cursor is refused has tests of its own."""
    if values is not None:
        values.pop("cursor", None)
    of_this_log(values)


def at_one_place(values: dict[str, object] | None) -> None:
    """Files are looked at after a turn of a run, or at a commit."""
    if values is None:
        return
    if "run" in values and "turn" in values:
        values.pop("at", None)
    else:
        values.pop("run", None)
        values.pop("turn", None)


def known_fields(case: schemathesis.Case) -> set[str]:
    document = case.operation.schema.raw_schema
    request = document["paths"][case.operation.path][case.operation.method.lower()]["requestBody"]
    schema = request["content"]["application/json"]["schema"]
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].split("/")[-1]]
    return set(schema["properties"])


def phase_of(case: schemathesis.Case) -> TestPhase | None:
    return None if case.meta is None else case.meta.phase.name


@schemathesis.hook
def map_case(context: schemathesis.HookContext, case: schemathesis.Case) -> schemathesis.Case:
    if case.meta is not None and case.meta.generation.mode != GenerationMode.POSITIVE:
        # null says no more than nothing, of a field that there is not too: only another value of it is wrong
        if isinstance(case.body, dict) and None in case.body.values():
            known = known_fields(case)
            case.body = {name: 0 if value is None and name not in known else value for name, value in case.body.items()}
        return case
    path = case.operation.path
    # in a chain they are of what the request before it made
    if case.path_parameters and phase_of(case) != TestPhase.STATEFUL:
        case.path_parameters = seeded(path, case.path_parameters, 3)
    of_this_log(case.path_parameters)
    if case.query:
        case.query = seeded(path, case.query, 2)
        from_the_beginning(case.query)
        if "/tree" in path or "/files/" in path:
            at_one_place(case.query)
        if path.endswith("/commits") and "before" in case.query:
            # a list begins at a commit, or behind one
            case.query.pop("at", None)
    if path.endswith("/archive"):
        # what is no archive, and a folder that can't be, have tests of their own
        case.body = ARCHIVE
        if case.query and "path" in case.query:
            case.query["path"] = "unpacked"
    if isinstance(case.body, dict):
        case.body = made_whole(path, seeded(path, copy.deepcopy(case.body), 3))
        from_the_beginning(case.body)
    return case
