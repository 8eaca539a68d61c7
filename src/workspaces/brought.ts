import type { TreeFile } from "#ports/WorkspaceStore.ts"

/** Bytes of the files that a commit creates or changes, each with its whole size. */
export const bytesOf = (changes: ReadonlyArray<{ readonly after: TreeFile | undefined }>): number =>
  changes.reduce((sum, { after }) => sum + (after?.size ?? 0), 0)
