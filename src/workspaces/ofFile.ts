import { Clock, Effect } from "effect"
import { type TreeFile, WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { type CommitRecord, commitsOf } from "#projections/Workspaces/commits.ts"

/** How many commits a request looks through at most, and how many it reads at once. */
const [mostLooked, atOnce] = [1_000, 100]
/** Milliseconds after which it looks no further: one look into a folder of 50,000 files takes a tenth of a second. */
const longest = 2_000

type Found = Pick<TreeFile, "mode" | "sha"> | undefined

const isSame = (one: Found, other: Found): boolean => one?.sha === other?.sha && one?.mode === other?.mode

/**
 * The commits of a workspace that created, changed or deleted a file, newest first; with `before`, those before that
 * revision. `next` is the last commit of which this is known, or `null` if none are left. Only the file is looked up in
 * the tree of each commit: what else a commit changed is not read.
 */
export const commitsOfFile = Effect.fnUntraced(function* (
  { workspace, repository }: { readonly workspace: string; readonly repository: string },
  path: string,
  { limit, before }: { readonly limit: number; readonly before: number | null }
) {
  const git = yield* WorkspaceStore
  const since = yield* Clock.currentTimeMillis
  const changed: Array<CommitRecord> = []
  /** The commit that was read last, which changed the file if the commit before it has another one. */
  let newer: { readonly commit: CommitRecord; readonly file: Found } | undefined
  let [from, looked, known] = [before, 0, null as string | null]
  for (;;) {
    const read = yield* Effect.orDie(commitsOf(workspace, atOnce, from))
    for (const commit of read) {
      const file = yield* git.fileAt(repository, commit.tree, path)
      if (newer !== undefined) {
        if (!isSame(newer.file, file)) changed.push(newer.commit)
        known = newer.commit.sha
        const isLong = (yield* Clock.currentTimeMillis) - since >= longest
        if (changed.length === limit || ++looked === mostLooked || isLong) return { changed, next: known }
      }
      newer = { commit, file }
    }
    if (read.length < atOnce) break
    from = read.at(-1)!.revision
  }
  // a file that is in the first commit was created by it
  if (newer?.file !== undefined) changed.push(newer.commit)
  return { changed, next: null }
})
