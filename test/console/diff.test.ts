import { assert, describe, it } from "vitest"
import { parseDiff, pathIn } from "#src/console/diff/parse.ts"
import { rowsOf } from "#src/console/diff/rows.ts"

const only = (diff: string) => {
  const [file, ...more] = parseDiff(diff)
  assert.deepStrictEqual(more, [])
  return file!
}

describe("a unified difference", () => {
  it("is read file by file, with the numbers of both sides", () => {
    const file = only(
      "diff --git a/rain.py b/rain.py\nindex 1..2 100644\n--- a/rain.py\n+++ b/rain.py\n@@ -3,3 +3,4 @@ def rain():\n same\n-old\n+new\n+more\n same\n"
    )
    assert.deepInclude(file, {
      path: "rain.py",
      from: undefined,
      status: "modified",
      isBinary: false,
      added: 2,
      removed: 1
    })
    assert.deepStrictEqual(
      file.hunks[0]!.lines.map(({ kind, text, before, after }) => [kind, text, before, after]),
      [
        ["same", "same", 3, 3],
        ["removed", "old", 4, undefined],
        ["added", "new", undefined, 4],
        ["added", "more", undefined, 5],
        ["same", "same", 5, 6]
      ]
    )
    assert.strictEqual(file.hunks[0]!.title, "def rain():")
  })

  it("says which files are new, gone, renamed or binary", () => {
    const files = parseDiff(
      [
        "diff --git a/new.txt b/new.txt\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+x",
        "diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\nindex 1..0\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x",
        "diff --git a/was.txt b/is.txt\nsimilarity index 100%\nrename from was.txt\nrename to is.txt",
        "diff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ",
        "diff --git a/empty b/empty\nnew file mode 100644\nindex 0..1",
        ""
      ].join("\n")
    )
    assert.deepStrictEqual(
      files.map(({ path, from, status, isBinary, added, removed }) => [path, from, status, isBinary, added, removed]),
      [
        ["new.txt", undefined, "created", false, 1, 0],
        ["gone.txt", undefined, "deleted", false, 0, 1],
        ["is.txt", "was.txt", "renamed", false, 0, 0],
        ["i.png", undefined, "modified", true, 0, 0],
        ["empty", undefined, "created", false, 0, 0]
      ]
    )
  })

  it("is not led astray by lines that look like its own", () => {
    const file = only(
      "diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n--- a/other\n+++ b/other\n diff --git a/x b/x\n"
    )
    assert.deepStrictEqual(
      file.hunks[0]!.lines.map(({ kind, text }) => [kind, text]),
      [
        ["removed", "-- a/other"],
        ["added", "++ b/other"],
        ["same", "diff --git a/x b/x"]
      ]
    )
  })

  it("keeps what stands for the end of a file without the end of a line", () => {
    const { hunks } = only(
      "diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n"
    )
    assert.deepStrictEqual(
      hunks[0]!.lines.map(({ text, open }) => [text, open]),
      [
        ["x", true],
        ["y", true]
      ]
    )
  })

  it("reads paths as git writes them", () => {
    assert.strictEqual(pathIn("a b.txt\t"), "a b.txt")
    assert.strictEqual(pathIn('"a/\\303\\244 \\"x\\"\\t\\\\.txt"'), 'a/ä "x"\t\\.txt')
    assert.strictEqual(only('diff --git "a/\\303\\244.txt" "b/\\303\\244.txt"\nindex 1..2 100644\n').path, "ä.txt")
    assert.strictEqual(only("diff --git a/a b b/a b\nold mode 100644\nnew mode 100755\n").path, "a b")
  })

  it("says what is left out, of a file and in the middle of one", () => {
    const left = "the diff of this file is left out: it would take too much work"
    const rest = "the rest of the diff is left out: it is longer than 9 bytes"
    const files = parseDiff(
      `diff --git a/a b/a\nnew file mode 100644\nindex 0..1\n... ${left}\ndiff --git a/b b/b\nindex 1..2 100644\n--- a/b\n+++ b/b\n@@ -1,9 +1,9 @@\n same\n-old\n... ${rest}\n`
    )
    assert.deepStrictEqual(
      files.map(({ path, remark, removed }) => [path, remark, removed]),
      [
        ["a", left, 0],
        ["b", rest, 1]
      ]
    )
    assert.strictEqual(files[1]!.hunks[0]!.lines.length, 2)
  })

  it("of nothing is nothing", () => assert.deepStrictEqual(parseDiff(""), []))

  it("puts what came beside what went", () => {
    const { hunks } = only(
      "diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -1,3 +1,4 @@\n 1\n-2\n-3\n+4\n 5\n+6\n"
    )
    assert.deepStrictEqual(
      rowsOf(hunks[0]!.lines).map(({ left, right }) => [left?.text, right?.text]),
      [
        ["1", "1"],
        ["2", "4"],
        ["3", undefined],
        ["5", "5"],
        [undefined, "6"]
      ]
    )
  })
})
