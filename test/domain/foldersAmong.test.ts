import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { foldersAmong } from "#domain/Repository/files.ts"

const Part = Schema.Literals(["a", "a-b", "a0", "b", "字", "😀"])
const Path = Schema.Array(Part).check(Schema.isMinLength(1), Schema.isMaxLength(4))

/** By making all folders of all paths. */
const slowly = (paths: ReadonlyArray<string>) => {
  const folders = paths.flatMap((path) => path.split("/").map((_, depth, parts) => parts.slice(0, depth).join("/")))
  return paths.filter((path) => folders.includes(path))
}

it.prop("of paths those are folders that others go through", [Schema.Array(Path)], ([given]) => {
  const paths = given.map((parts) => parts.join("/"))
  assert.sameMembers([...foldersAmong(paths)], [...new Set(slowly(paths))])
})

it("a path that is there twice is no folder of itself, and one that begins like another none of it", () => {
  assert.deepStrictEqual([...foldersAmong(["a", "a", "a.b/c", "ab/c"])], [])
  assert.deepStrictEqual([...foldersAmong(["a/b", "a-b", "a", "a/b/c"])], ["a", "a/b"])
})
