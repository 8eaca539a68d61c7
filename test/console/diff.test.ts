import { assert, describe, it } from "vitest"
import { stepsBetween } from "#src/console/diff/edits.ts"
import { type FileDiff, parseDiff, pathIn } from "#src/console/diff/parse.ts"
import { withRenames } from "#src/console/diff/renamed.ts"
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

describe("steps from one list to another", () => {
  const told = (olds: string, news: string) =>
    stepsBetween([...olds], [...news])
      ?.map((step) => ({ same: " ", removed: "-", added: "+" })[step])
      .join("")

  it("lead there, and are as few as can be", () => {
    assert.strictEqual(told("", ""), "")
    assert.strictEqual(told("abc", "abc"), "   ")
    assert.strictEqual(told("abc", ""), "---")
    assert.strictEqual(told("", "ab"), "++")
    // the well known example has five
    assert.strictEqual(told("abcabba", "cbabac")!.replaceAll(" ", "").length, 5)
    let seed = 7
    const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
    for (let round = 0; round < 300; round++) {
      const [olds, news] = [0, 1].map(() => Array.from({ length: next(30) }, () => "abcd"[next(4)]!)) as [
        Array<string>,
        Array<string>
      ]
      const rest = [...olds]
      const made: Array<string> = []
      const steps = stepsBetween(olds, news)!
      for (const step of steps) {
        if (step === "added") made.push(news[made.length]!)
        else if (step === "removed") rest.shift()
        else made.push(rest.shift()!)
      }
      assert.deepStrictEqual([made, rest], [news, []], `${olds.join("")} ${news.join("")}`)
      // by the longest common subsequence, which is reckoned another way
      let common = Array<number>(news.length + 1).fill(0)
      for (const old of olds) {
        const row = [0]
        for (const [at, one] of news.entries())
          row.push(one === old ? common[at]! + 1 : Math.max(common[at + 1]!, row[at]!))
        common = row
      }
      assert.strictEqual(steps.filter((step) => step !== "same").length, olds.length + news.length - 2 * common.at(-1)!)
    }
  })

  it("are none where there are too many", () => {
    const many = (sign: string) => Array.from({ length: 400 }, (_, n) => `${sign}${n}`)
    assert.isUndefined(stepsBetween(many("a"), many("b")))
  })
})

describe("files that were renamed", () => {
  const came = (path: string, lines: ReadonlyArray<string>, blob: string) =>
    `diff --git a/${path} b/${path}\nnew file mode 100644\nindex 0000000..${blob}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join("")}`
  const went = (path: string, lines: ReadonlyArray<string>, blob: string) =>
    `diff --git a/${path} b/${path}\ndeleted file mode 100644\nindex ${blob}..0000000\n--- a/${path}\n+++ /dev/null\n@@ -1,${lines.length} +0,0 @@\n${lines.map((line) => `-${line}\n`).join("")}`
  const empty = (path: string, how: "new" | "deleted") =>
    `diff --git a/${path} b/${path}\n${how} file mode 100644\nindex ${how === "new" ? "0000000..e69de29" : "e69de29..0000000"}\n`
  const told = (...parts: ReadonlyArray<string>) =>
    withRenames(parseDiff(parts.join(""))).map(({ path, from, status, added, removed }) =>
      [status, from, path, added, removed].filter((part) => part !== undefined).join(" ")
    )
  const lines = (count: number, sign = "line") => Array.from({ length: count }, (_, n) => `${sign} ${n}`)

  it("are told by their content, whatever the order, and each is one", () => {
    const [a, b] = [lines(5), lines(5, "other")]
    assert.deepStrictEqual(told(went("a.txt", a, "aaaaaaa"), came("z.txt", a, "aaaaaaa")), ["renamed a.txt z.txt 0 0"])
    assert.deepStrictEqual(told(came("a.txt", a, "aaaaaaa"), went("z.txt", a, "aaaaaaa")), ["renamed z.txt a.txt 0 0"])
    assert.deepStrictEqual(
      told(went("1", a, "aaaaaaa"), came("2", a, "aaaaaaa"), came("3", a, "aaaaaaa"), went("4", b, "bbbbbbb")),
      ["renamed 1 2 0 0", "created 3 5 0", "deleted 4 0 5"]
    )
    // of several, the one with the same name
    assert.deepStrictEqual(
      told(went("old/1", a, "aaaaaaa"), went("old/2", a, "aaaaaaa"), came("new/2", a, "aaaaaaa")),
      ["deleted old/1 0 5", "renamed old/2 new/2 0 0"]
    )
  })

  it("are told when they were edited, as long as most of one is in the other", () => {
    const olds = lines(20)
    const news = olds.with(10, "changed")
    const diff = withRenames(parseDiff(went("a", olds, "aaaaaaa") + came("b", news, "bbbbbbb")))
    assert.lengthOf(diff, 1)
    assert.deepInclude(diff[0], { status: "renamed", from: "a", path: "b", added: 1, removed: 1 })
    assert.deepStrictEqual(
      diff[0]!.hunks.map(({ lines }) => lines.map(({ kind, before, after }) => [kind, before, after].join(" "))),
      [
        [
          ...["same 8 8", "same 9 9", "same 10 10", "removed 11 ", "added  11"],
          ...["same 12 12", "same 13 13", "same 14 14"]
        ]
      ]
    )
    const far = [...olds.slice(0, 9), ...lines(11, "new")]
    assert.deepStrictEqual(told(went("a", olds, "aaaaaaa"), came("b", far, "bbbbbbb")), [
      "deleted a 0 20",
      "created b 20 0"
    ])
    // the better one of two
    const near = olds.with(3, "changed")
    assert.deepStrictEqual(
      told(
        went("a", olds, "aaaaaaa"),
        came("b", near.with(5, "x").with(6, "y"), "bbbbbbb"),
        came("c", near, "ccccccc")
      ),
      ["created b 20 0", "renamed a c 1 1"]
    )
  })

  it("are none that only seem to have the same content, and none that are of another kind now", () => {
    const text = lines(6)
    const other = text.with(2, "steal()")
    // git's name for a content is cut, and who wants to finds another content with the same beginning of it
    const [diff] = withRenames(parseDiff(went("a", text, "aaaaaaa") + came("b", other, "aaaaaaa")))
    assert.deepInclude(diff, { status: "renamed", from: "a", path: "b", added: 1, removed: 1 })
    assert.deepStrictEqual(told(went("a", text, "aaaaaaa"), came("b", lines(6, "other"), "aaaaaaa")), [
      "deleted a 0 6",
      "created b 6 0"
    ])
    for (const kind of ["120000", "100755"]) {
      const changed = came("b", text, "aaaaaaa").replace("100644", kind)
      assert.deepStrictEqual(told(went("a", text, "aaaaaaa"), changed), ["deleted a 0 6", "created b 6 0"])
      const edited = came("b", other, "bbbbbbb").replace("100644", kind)
      assert.deepStrictEqual(told(went("a", text, "aaaaaaa"), edited), ["deleted a 0 6", "created b 6 0"])
    }
  })

  it("are looked for in a time that does not grow with the square of what is compared", () => {
    let reads = 0
    const watched = (file: FileDiff): FileDiff => ({
      ...file,
      get path() {
        reads++
        return file.path
      },
      hunks: file.hunks.map((hunk) => ({
        ...hunk,
        lines: hunk.lines.map((line) => ({
          ...line,
          get text() {
            reads++
            return line.text
          }
        }))
      }))
    })
    const looks = (...parts: ReadonlyArray<string>) => {
      reads = 0
      const files = parseDiff(parts.join("")).map(watched)
      const renamed = withRenames(files).filter(({ status }) => status === "renamed").length
      return { renamed, perLine: reads / files.reduce((sum, { added, removed }) => sum + 1 + added + removed, 0) }
    }
    const many = Array.from({ length: 30 }, (_, n) => n)
    // all have the same lines, so that each may be each, and too many are elsewhere
    const long = lines(800)
    const turned = looks(
      ...many.flatMap((n) => [went(`o${n}`, long, `a00000${n}`), came(`n${n}`, [...long].reverse(), `b00000${n}`)])
    )
    assert.strictEqual(turned.renamed, 0)
    assert.isBelow(turned.perLine, 10)
    // of the same content, whether or not that says that they are the same
    const same = looks(...many.flatMap((n) => [went(`o${n}`, ["x"], "aaaaaaa"), came(`n${n}`, ["x"], "aaaaaaa")]))
    assert.strictEqual(same.renamed, 30)
    assert.isBelow(same.perLine, 10)
    const none = looks(...many.flatMap((n) => [empty(`o${n}`, "deleted"), empty(`n${n}`, "new")]))
    assert.strictEqual(none.renamed, 0)
    assert.isBelow(none.perLine, 10)
  })

  it("are not guessed of what is empty and called otherwise, nor of what takes too long", () => {
    assert.deepStrictEqual(told(empty("a/__init__.py", "deleted"), empty("b/__init__.py", "new")), [
      "renamed a/__init__.py b/__init__.py 0 0"
    ])
    assert.deepStrictEqual(told(empty("a", "deleted"), empty("b", "new")), ["deleted a 0 0", "created b 0 0"])
    const many = Array.from({ length: 60 }, (_, n) => n)
    const long = lines(300)
    const all = [
      ...many.map((n) => went(`old${n}`, long.with(0, `old ${n}`), `a${String(n).padStart(6, "0")}`)),
      ...many.map((n) => came(`new${n}`, long.with(0, `new ${n}`), `b${String(n).padStart(6, "0")}`))
    ]
    assert.strictEqual(told(...all).filter((one) => one.startsWith("renamed")).length, 0)
  })
})
