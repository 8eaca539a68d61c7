import { assert, describe, it } from "@effect/vitest"
import { filename, type NamedFile } from "#domain/filename.ts"

const named = (path: string, rest: Partial<NamedFile> = {}): string =>
  filename({ path, name: "", language: "python", id: "0123456789", ...rest }, new Set())

describe("filename", () => {
  it("is the file's own name without folders", () => {
    assert.strictEqual(named("/home/me/work/report.py"), "report.py")
    assert.strictEqual(named("C:\\Users\\me\\report.py"), "report.py")
    assert.strictEqual(named("report.py"), "report.py")
    assert.strictEqual(named("größe.py"), "größe.py")
    assert.strictEqual(named("日期.py"), "日期.py")
  })

  it("has the extension of the language, or another of the same", () => {
    assert.strictEqual(named("view.tsx", { language: "typescript" }), "view.tsx")
    assert.strictEqual(named("view.ts", { language: "typescript" }), "view.ts")
    assert.strictEqual(named("view", { language: "typescript" }), "view.ts")
    assert.strictEqual(named("view.txt", { language: "python" }), "view.py")
    assert.strictEqual(named("notes.rst", { language: "restructured" }), "notes.rst")
    assert.strictEqual(named("notes", { language: "__proto__" }), "notes.txt")
  })

  it("falls back to the name, then to the id", () => {
    assert.strictEqual(named("", { name: "sort list" }), "sort_list.py")
    assert.strictEqual(named("/...", { name: "***" }), "snippet_01234567.py")
  })

  it("is safe to write", () => {
    const hostile = [
      ...["../../etc/passwd", "..", ".bashrc", ".git/config", "a\u0000b.py", "a\nb.py", "\u202egnp.py", "a:b.py"],
      ...["con.py", "NUL", "aux.tar.py", "lpt1.py", "a .py", "-rf.py", "x/", "\\", "~root.py", "$(id).py", "`x`.py"],
      ...["%2e%2e%2f.py", "a\u2028b.py", "\ud800.py", "é.py", `${"long".repeat(100)}.py`, `${"𝒳".repeat(90)}.py`]
    ]
    for (const path of hostile) {
      const made = named(path)
      assert.match(made, /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*\.py$/u, path)
      assert.notMatch(made, /^(?:con|nul|aux|prn|lpt\d|com\d)\./i)
      assert.isAtMost(made.length, 100)
      assert.strictEqual(made, made.normalize("NFC"))
      assert.isTrue(made.isWellFormed())
    }
  })

  it("is unique in one answer, whatever the case", () => {
    const taken = new Set<string>()
    const all = ["a.py", "b/a.py", "A.py", "a_2.py", `${"x".repeat(200)}.py`, `${"x".repeat(300)}.py`].map((path) =>
      filename({ path, name: "", language: "python", id: "" }, taken)
    )
    assert.deepStrictEqual(all.slice(0, 4), ["a.py", "a_2.py", "A_3.py", "a_2_2.py"])
    assert.strictEqual(new Set(all.map((made) => made.toLowerCase())).size, all.length)
  })
})
