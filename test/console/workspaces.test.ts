import { assert, describe, it } from "vitest"
import { pageAt } from "#src/console/paths.ts"
import { bytesIn } from "#src/console/workspaces/bytes.ts"
import { changesBetween } from "#src/console/workspaces/changes.ts"
import { countsOf } from "#src/console/workspaces/counts.ts"
import { saidIn } from "#src/console/workspaces/message.ts"
import { treeOf } from "#src/console/workspaces/tree.ts"
import { blobOf } from "#test/blobOf.ts"

const file = (path: string, sha = "1", mode = "100644") => ({ path, sha, mode, size: 1 })

describe("files of a workspace", () => {
  it("stand in folders, these first, both by name", () => {
    const { files, folders, count } = treeOf(
      ["b.txt", "z/y/x.txt", "a.txt", "c/1.txt", "z/0.txt"].map((path) => file(path))
    )
    assert.strictEqual(count, 5)
    assert.deepStrictEqual(
      files.map(({ name }) => name),
      ["a.txt", "b.txt"]
    )
    assert.deepStrictEqual(
      folders.map(({ path, count }) => [path, count]),
      [
        ["c", 1],
        ["z", 2]
      ]
    )
    assert.deepStrictEqual(folders[1]!.folders[0], {
      name: "y",
      path: "z/y",
      folders: [],
      files: [{ ...file("z/y/x.txt"), name: "x.txt" }],
      count: 1
    })
  })

  it("of another commit are new, others or gone", () => {
    const now = [file("same"), file("other"), file("mode"), file("gone")]
    const then = [file("same"), file("other", "2"), file("mode", "1", "100755"), file("back")]
    assert.deepStrictEqual(changesBetween(now, then), [
      { path: "other", status: "modified" },
      { path: "mode", status: "modified" },
      { path: "back", status: "created" },
      { path: "gone", status: "deleted" }
    ])
    assert.deepStrictEqual(changesBetween(now, now), [])
  })

  it("have sizes that people read", () =>
    assert.deepStrictEqual([0, 999, 1_000, 2_048, 20_480, 3 * 1024 ** 2].map(bytesIn), [
      "0 B",
      "999 B",
      "1.0 KiB",
      "2.0 KiB",
      "20 KiB",
      "3.0 MiB"
    ]))
})

describe("what became of a commit's files", () => {
  const change = (status: "created" | "modified" | "deleted", path: string, content = path) => ({
    path,
    status,
    sha: blobOf(content)
  })

  it("is counted, a renamed one once", () => {
    const renamed = [change("created", "b.txt", "a"), change("deleted", "a.txt", "a")]
    assert.strictEqual(countsOf(renamed), "1 renamed")
    assert.strictEqual(
      countsOf([...renamed, change("created", "c.txt"), change("modified", "d.txt"), change("deleted", "e.txt")]),
      "1 created, 1 modified, 1 renamed, 1 deleted"
    )
    assert.strictEqual(countsOf([]), "no files")
  })

  it("of several that are alike so many were renamed as both came and went", () => {
    const changes = [
      ...["a", "b", "c"].map((path) => change("created", path, "same")),
      ...["d", "e"].map((path) => change("deleted", path, "same"))
    ]
    assert.strictEqual(countsOf(changes), "1 created, 2 renamed")
  })

  it("of empty ones those of the same name alone were", () => {
    const changes = [change("created", "x/a", ""), change("created", "x/b", ""), change("deleted", "y/a", "")]
    assert.strictEqual(countsOf(changes), "1 created, 1 renamed")
  })
})

it("a commit says what it was for, without its trailers", () => {
  assert.deepStrictEqual(saidIn("Put a.txt\n\nCairn-Event: 1\nCairn-Key: 2\n"), { title: "Put a.txt", body: "" })
  assert.deepStrictEqual(saidIn("a\n\nb\nc\n\nCairn-Session: 1"), { title: "a", body: "b\nc" })
  assert.strictEqual(saidIn("").title, "(no message)")
})

it("a path is a page, with its parts decoded, or none", () => {
  assert.deepStrictEqual(pageAt("/"), { page: "search", parameters: {} })
  assert.deepStrictEqual(pageAt("/workspaces/a%20b/commits/c"), { page: "commit", parameters: { id: "a b", sha: "c" } })
  assert.deepStrictEqual(pageAt("/workspaces/"), { page: "workspaces", parameters: {} })
  for (const path of ["/nothing", "/workspaces/%E0%A4%A", "/workspaces//files", "/docs", "//", "/snippets"])
    assert.strictEqual(pageAt(path), undefined, path)
})
