import { Effect } from "effect"
import { Json, note, plain, table, write } from "../output.ts"

/** What verbs on the data folder and verbs that ask a service print alike. */

/** A workspace as the service lists it. */
export interface ListedWorkspace {
  readonly workspace_id: string
  readonly org_id: string
  readonly user_id: string
  readonly commits: number
  readonly files: number
  /** Missing from an older service's answer; `null` for commits that are older than the count. */
  readonly repository_bytes?: number | null
  readonly updated_at: string
  /** Missing from an older service's answer. */
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

/** Tells people how to list the next commits; `null`: there are none. */
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

/** Writes a commit's file as JSON, its bytes in base64. */
export const writeFileAsJson = ({ path, mode, size }: ListedFile, sha: string, bytes: Uint8Array) => {
  const content = Buffer.from(bytes).toString("base64")
  return write(`${JSON.stringify({ path, mode, size, sha, encoding: "base64", content })}\n`)
}
