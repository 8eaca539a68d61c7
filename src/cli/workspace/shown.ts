import { Effect } from "effect"
import { Json, note, plain, table, write } from "../output.ts"

/** What a verb beside the data and one that asks a service print alike. */

/** A workspace as the service lists it. */
export interface ListedWorkspace {
  readonly workspace_id: string
  readonly org_id: string
  readonly user_id: string
  readonly commits: number
  readonly files: number
  /** Unknown to a service that is older than the count, and of commits that are. */
  readonly repository_bytes?: number | null
  readonly updated_at: string
  /** Unknown to a service that is older than this. */
  readonly updated_by?: { readonly email: string | null }
  readonly head: string
}

/** Workspaces as lines of a table. */
export const workspaceTable = (workspaces: ReadonlyArray<ListedWorkspace>) =>
  table(
    ["id", "org", "user", "commits", "files", "bytes", "updated", "by", "head"],
    workspaces.map(
      ({ workspace_id, org_id, user_id, commits, files, repository_bytes, updated_at, updated_by, head }) => [
        ...[workspace_id, org_id, user_id, commits, files, repository_bytes, updated_at, updated_by?.email],
        head.slice(0, 12)
      ]
    )
  )

/** One line of a history; `committedAt` is ISO 8601. */
export const commitLine = (commit: {
  readonly sha: string
  readonly committedAt: string
  readonly author: string
  readonly message: string
}) => `${commit.sha}  ${commit.committedAt}  ${plain(commit.author)}  ${plain(commit.message.split("\n")[0]!)}`

/** Says, to people, how a list of commits goes on; `null`: it does not. */
export const noteEarlier = (next: string | null) =>
  Effect.flatMap(Json, (json) => (json || next === null ? Effect.void : note(`Earlier ones: --before ${next}`)))

interface ListedFile {
  readonly mode: string
  readonly size: number
  readonly path: string
}

/** Files as lines of a table. */
export const fileTable = (files: ReadonlyArray<ListedFile>) =>
  table(
    ["mode", "size", "path"],
    files.map(({ mode, size, path }) => [mode, size, path])
  )

/** A commit's diff: as git prints it, or in JSON. */
export const writeDiff = Effect.fnUntraced(function* (workspace: string, sha: string, diff: string) {
  yield* write((yield* Json) ? `${JSON.stringify({ workspace_id: workspace, sha, diff })}\n` : diff)
})

/** What JSON says of a file of a commit. */
export const writeFileAsJson = ({ path, mode, size }: ListedFile, sha: string, bytes: Uint8Array) => {
  const content = Buffer.from(bytes).toString("base64")
  return write(`${JSON.stringify({ path, mode, size, sha, encoding: "base64", content })}\n`)
}
