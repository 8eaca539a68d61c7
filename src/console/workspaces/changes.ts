import type { TreeFile } from "../../../clients/typescript/src/index.ts"

interface Change {
  readonly path: string
  readonly status: "created" | "modified" | "deleted"
}

/** What changes when the files of another tree replace the present ones. */
export const changesBetween = (now: ReadonlyArray<TreeFile>, then: ReadonlyArray<TreeFile>): ReadonlyArray<Change> => {
  const contentOf = ({ sha, mode }: TreeFile) => `${sha} ${mode}`
  const before = new Map(now.map((file) => [file.path, contentOf(file)]))
  const after = new Set(then.map(({ path }) => path))
  const come = then
    .filter((file) => before.get(file.path) !== contentOf(file))
    .map(({ path }): Change => ({ path, status: before.has(path) ? "modified" : "created" }))
  return [
    ...come,
    ...now.filter(({ path }) => !after.has(path)).map(({ path }): Change => ({ path, status: "deleted" }))
  ]
}
