import type { FileChange } from "../../../clients/typescript/src/index.ts"

/** What git calls a file that is empty: of those only the name says that it is the same. */
const empty = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"

const keyOf = ({ path, sha }: FileChange): string => (sha === empty ? `${sha}/${path.split("/").at(-1)}` : sha)

/** How many files of a commit came and went with the same content, which are renamed ones. */
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

/** What became of a commit's files, counted. One that was edited as well as renamed counts as two. */
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
