import type { FileChange, TreeFile } from "#ports/WorkspaceStore.ts"

interface Compared {
  readonly status: FileChange["status"]
  readonly after: TreeFile | undefined
}

/** Bytes of the files that a commit creates or changes, each with its whole size. */
export const bytesOf = (changes: ReadonlyArray<Compared>): number =>
  changes.reduce((sum, { after }) => sum + (after?.size ?? 0), 0)

/** What a commit brings: how many files it creates, modifies and deletes, and how many bytes. */
export const broughtBy = (changes: ReadonlyArray<Compared>) => {
  const count = (status: FileChange["status"]) => changes.filter((change) => change.status === status).length
  return {
    created: count("created"),
    modified: count("modified"),
    deleted: count("deleted"),
    bytes: bytesOf(changes)
  }
}
