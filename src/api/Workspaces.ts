import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { body } from "./body.ts"
import { Scoped } from "./Chat.ts"
import { NextCursor, pageQuery } from "./cursor.ts"
import { Id, wholeInQuery } from "./fields.ts"
import { rawArchive, rawFile, readsRaw } from "./limits.ts"
import { Authentication, Idempotency, Problems, preconditionFailed, Rate, Scoping, WellFormed } from "./middleware.ts"

const Commit = {
  sha: Schema.String,
  parents: Schema.Array(Schema.String),
  message: Schema.String,
  author: Schema.Struct({ name: Schema.String, email: Schema.String }),
  committed_at: Schema.String,
  session_id: Schema.NullOr(Schema.String),
  event_id: Schema.String,
  changes: Schema.Array(
    Schema.Struct({
      path: Schema.String,
      status: Schema.Literals(["created", "modified", "deleted"]),
      /** Of the file's blob after the commit; of a deleted file, before it. */
      sha: Schema.String
    })
  )
}
const CommitRecord = Schema.Struct(Commit).annotate({ identifier: "Commit" })
const id = { id: Schema.String }
/**
 * Who made a workspace's last commit. `email` is `erased` for a person who was erased, and null if it was nobody with a
 * key; all fields are `external` for somebody of another organization.
 */
const WorkspaceActor = Schema.Struct({
  key_id: Schema.NullOr(Schema.String),
  user_id: Schema.NullOr(Schema.String),
  organization_id: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String)
}).annotate({ identifier: "WorkspaceActor" })
/** A workspace as it stands. */
const Workspace = Schema.Struct({
  workspace_id: Schema.String,
  org_id: Schema.String,
  user_id: Schema.String,
  head: Schema.String,
  commits: Schema.Int,
  files: Schema.Int,
  repository_bytes: Schema.NullOr(Schema.Int),
  updated_at: Schema.String,
  updated_by: WorkspaceActor
}).annotate({ identifier: "Workspace" })
/** Optional, because `/files/` alone names no file. */
const filePath = { ...id, "*": Schema.optional(Schema.String) }
/** A commit, or a turn of a run. */
const at = Schema.Struct({
  at: Schema.optional(Schema.String),
  run: Schema.optional(Schema.String),
  turn: wholeInQuery(1, 1_000_000)
})

const afterTurn =
  "With `run` and `turn`: as the tools of that turn left the files in the run's own view, without what others wrote meanwhile. Files that no commit has are kept for at least a day after the run; then the answer is 404 `not_found/tree`."

/** Routes of workspaces: their commits, trees and files, going back, and erasing. */
export class WorkspacesApi extends HttpApiGroup.make("workspaces")
  .add(
    HttpApiEndpoint.get("listWorkspaces", "/api/workspaces", {
      query: pageQuery,
      success: Schema.Struct({
        workspaces: Schema.Array(Workspace),
        next_cursor: NextCursor
      })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List workspaces, the latest changed first",
        description:
          "`limit` defaults to 1,000, which is also the most. To continue, send `next_cursor` as `cursor`: then no workspace comes twice, and one that changes while you read moves to the beginning. `updated_at` and `updated_by` say when and by whom the last commit was made."
      })
    ),
    HttpApiEndpoint.post("openWorkspace", "/api/workspaces", {
      payload: body(
        Schema.Struct({ org_id: Scoped, user_id: Scoped }).annotate({ identifier: "OpenWorkspaceRequest" })
      ),
      success: Schema.Struct({
        success: Schema.Boolean,
        workspace_id: Schema.String,
        commit: Schema.String
      }).annotate({ identifier: "OpenWorkspaceResponse" })
    })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Open the workspace of (org_id, user_id)",
          description:
            "Creates the workspace with one empty commit, before any chat, so that you can put files into it. An existing workspace is returned as it is."
        })
      ),
    HttpApiEndpoint.get("workspace", "/api/workspaces/:id", { params: id, success: Workspace }).annotateMerge(
      OpenApi.annotations({ summary: "One workspace", description: "The same fields as in the list." })
    ),
    HttpApiEndpoint.get("commits", "/api/workspaces/:id/commits", {
      params: id,
      query: Schema.Struct({
        limit: wholeInQuery(1, 1000),
        before: Schema.optional(Schema.String),
        at: Schema.optional(Schema.String),
        path: Schema.optional(Schema.String)
      }),
      success: Schema.Struct({ commits: Schema.Array(CommitRecord), next_before: Schema.NullOr(Schema.String) })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "A workspace's commits, newest first",
        description:
          "`limit` defaults to 50. Each change has the `sha` of the file's blob, a deleted file's the one that it had: a file created in the same commit with the same `sha` was renamed. A page ends early after the commit that brings it to 20,000 changes, or to 4 MiB of their paths, or once reading has taken ten seconds. With `path`, only the commits that created, changed or deleted that file; a request looks through 1,000 commits for them, or fewer if that takes longer than two seconds. To continue, send `next_before` as `before`."
      })
    ),
    HttpApiEndpoint.get("commit", "/api/workspaces/:id/commits/:sha", {
      params: { ...id, sha: Schema.String },
      success: Schema.Struct({ ...Commit, diff: Schema.String })
    }).annotateMerge(OpenApi.annotations({ summary: "One commit with its unified diff" })),
    HttpApiEndpoint.get("compare", "/api/workspaces/:id/compare", {
      params: id,
      query: Schema.Struct({ base: Schema.String, at: Schema.optional(Schema.String) }),
      success: Schema.Struct({ base: Schema.String, at: Schema.String, diff: Schema.String }).annotate({
        identifier: "Comparison"
      })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "The changes between two commits, as a unified diff",
        description: "From any commit of the workspace to any other, whichever came first. `at` defaults to the head."
      })
    ),
    HttpApiEndpoint.get("tree", "/api/workspaces/:id/tree", {
      params: id,
      query: at,
      success: Schema.Struct({
        files: Schema.Array(
          Schema.Struct({ path: Schema.String, size: Schema.Int, mode: Schema.String, sha: Schema.String })
        )
      })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "The files at a commit (default: the head), or after a turn of a chat",
        description: afterTurn
      })
    ),
    HttpApiEndpoint.get("file", "/api/workspaces/:id/files/*", {
      params: filePath,
      query: at,
      success: HttpApiSchema.StreamUint8Array()
    }).annotateMerge(
      OpenApi.annotations({
        summary: "The raw bytes of a file at a commit (default: the head), or after a turn of a chat",
        description: afterTurn
      })
    ),
    HttpApiEndpoint.put("putFile", "/api/workspaces/:id/files/*", {
      params: filePath,
      payload: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array()),
      success: Schema.Struct({
        success: Schema.Boolean,
        commit: Schema.String,
        /** Of the file's blob. */
        sha: Schema.String
      }).annotate({ identifier: "PutFileResponse" }),
      error: preconditionFailed
    })
      .middleware(Idempotency)
      .annotateMerge(readsRaw(rawFile, false))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Put a file into a workspace",
          description:
            'The body is the file, and replaces what is at the path; missing folders are created. This makes one commit by the workspace\'s user, or none if the file already has this content. `If-Match: "<sha>"` (the ETag from reading the file, or its `sha` in the tree) replaces only exactly that content, and `If-None-Match: *` only creates a new file; otherwise the answer is 412. The service does not wait for a run at work in the workspace: what the run changes comes on top.'
        })
      ),
    HttpApiEndpoint.delete("deleteFile", "/api/workspaces/:id/files/*", {
      params: filePath,
      success: Schema.Struct({ success: Schema.Boolean, commit: Schema.String }).annotate({
        identifier: "DeleteFileResponse"
      }),
      error: preconditionFailed
    })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Delete a file of a workspace",
          description:
            "Makes one commit by the workspace's user; earlier commits keep the file. `If-Match` works as for putting a file."
        })
      ),
    HttpApiEndpoint.post("unpackArchive", "/api/workspaces/:id/archive", {
      params: id,
      query: Schema.Struct({
        path: Schema.optional(Schema.String),
        replace: Schema.optional(Schema.Literals(["true", "false"]))
      }),
      payload: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array()),
      success: Schema.Struct({
        success: Schema.Boolean,
        commit: Schema.String,
        created: Schema.Int,
        modified: Schema.Int,
        deleted: Schema.Int
      }).annotate({ identifier: "UnpackArchiveResponse" })
    })
      .middleware(Idempotency)
      .annotateMerge(readsRaw(rawArchive, true))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Unpack an archive into a workspace",
          description:
            "The body is a zip, a tar, or a gzipped tar: at most 10,000 entries and 128 MiB unpacked. All of it becomes one commit by the workspace's user, or none of it does. What is at its paths is replaced; the rest stays unless `replace` is `true`. The service refuses an archive as a whole (`validation/invalid_archive`) for paths and links that lead out, entries behind a link, hard links, devices, or a `.git` folder. Modes are kept as far as git knows them."
        })
      ),
    HttpApiEndpoint.post("restoreWorkspace", "/api/workspaces/:id/restore", {
      params: id,
      payload: body(Schema.Struct({ commit: Id }).annotate({ identifier: "RestoreRequest" })),
      success: Schema.Struct({ success: Schema.Boolean, commit: Schema.String }).annotate({
        identifier: "RestoreResponse"
      })
    })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Bring back the files of an earlier commit",
          description:
            "Makes a new commit with that commit's files; history is never rewritten. If the head has these files already, nothing changes and the answer is the head."
        })
      ),
    HttpApiEndpoint.delete("eraseWorkspace", "/api/workspaces/:id", {
      params: id,
      success: Schema.Struct({
        success: Schema.Boolean,
        erased: Schema.Struct({
          commits: Schema.Int,
          /** With their prompts, answers and steps. */
          chats: Schema.Int,
          /** In the workspace's last commit. */
          files: Schema.Int
        }),
        /** Of the event in the log that records the erasure. */
        position: Schema.String
      }).annotate({ identifier: "EraseWorkspaceResponse" })
    })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Erase a workspace for good",
          description:
            "For owners and admins. Deletes the workspace's files, its git history and the texts of all its chats, and stops the run at work in it. The next chat with the same org_id and user_id begins in an empty workspace with the same id."
        })
      )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Workspaces", description: "What agents saved, as git history." })) {}
