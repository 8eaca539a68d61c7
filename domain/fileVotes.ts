/** Votes by file as a caller sends them. */
export type SentVotes = { readonly [key: string]: 1 | -1 | null } | null | undefined

/** Why a vote can't go to a file. `key` is what the caller called the file. */
export interface VoteMisfit {
  readonly key: string
  readonly reason: string
}

const lastPart = (path: string): string => path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1)

/**
 * Finds the files that votes are for. A key is a file's path, or its last part if no other file has the same. Every
 * vote must find its file, and every file takes at most one vote.
 */
export const fileVotes = (
  paths: ReadonlyArray<string>,
  votes: SentVotes
): { readonly votes: ReadonlyMap<string, 1 | -1>; readonly misfits: ReadonlyArray<VoteMisfit> } => {
  const byName = Map.groupBy(new Set(paths), lastPart)
  const known = new Set(paths)
  const found = new Map<string, 1 | -1>()
  const misfits: Array<VoteMisfit> = []
  for (const [key, vote] of Object.entries(votes ?? {})) {
    if (vote === null) continue
    const named = known.has(key) ? [key] : (byName.get(key) ?? [])
    const [path] = named
    if (path === undefined) {
      misfits.push({
        key,
        reason: "is no file of files_written; expected a path, or a name that only one path ends in"
      })
    } else if (named.length > 1) {
      misfits.push({ key, reason: `is the name of ${named.length} files; expected the path of one of them` })
    } else if (found.has(path)) {
      misfits.push({ key, reason: "is a file that another key votes on too; expected one vote a file" })
    } else found.set(path, vote)
  }
  return { votes: found, misfits }
}
