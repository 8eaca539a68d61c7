import type { FileChange } from "../../../clients/typescript/src/index.ts"

/** Git's name for an empty file. Only an equal name says that two empty files are the same. */
const empty = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"

const keyOf = ({ path, sha }: FileChange): string => (sha === empty ? `${sha}/${path.split("/").at(-1)}` : sha)

/** How many files of a commit were renamed: one was removed and another added with the same content. */
const renamedIn = (changes: ReadonlyArray<FileChange>): number => {
  const gone = new Map<string, number>()
  for (const change of changes)
    if (change.status === "deleted") gone.set(keyOf(change), (gone.get(keyOf(change)) ?? 0) + 1)
  let renamed = 0
  for (const change of changes) {
    const left = change.status === "created" ? (gone.get(keyOf(change)) ?? 0) : 0
    if (left === 0) continue
    gone.set(keyOf(change), left - 1)
    renamed++
  }
  return renamed
}

/** How many files a commit added, changed, removed and renamed. One that was renamed and edited counts as two. */
export const countsOf = (changes: ReadonlyArray<FileChange>): string => {
  const of = (status: FileChange["status"]) => changes.filter((one) => one.status === status).length
  const renamed = renamedIn(changes)
  const counts = [
    [of("created") - renamed, "created"],
    [of("modified"), "modified"],
    [renamed, "renamed"],
    [of("deleted") - renamed, "deleted"]
  ] as const
  const told = counts.filter(([count]) => count > 0).map(([count, status]) => `${count.toLocaleString("en")} ${status}`)
  return told.length === 0 ? "no files" : told.join(", ")
}
