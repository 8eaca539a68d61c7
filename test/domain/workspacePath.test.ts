import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  compareBytes,
  contentProblem,
  hasReadContent,
  kindProblem,
  nameProblem,
  pathProblem,
  sortedByBytes,
  targetProblem
} from "#domain/workspacePath.ts"

const good = [
  "a",
  "src/main.ts",
  ".gitignore",
  ".gitattributes",
  ".gitmodules",
  ".github/workflows/ci.yml",
  "git",
  "a.git",
  "git~12",
  ".git2",
  ".gitx/a",
  "-rf",
  "a b",
  "tab\there",
  "ends.",
  "ends ",
  "C:file",
  "日本/語.txt",
  "🪨",
  "x".repeat(255),
  Array.from({ length: 128 }, () => "d").join("/")
]

const bad = [
  "",
  "/a",
  "a/",
  "a//b",
  ".",
  "..",
  "a/./b",
  "a/../../b",
  "a\0b",
  "a\\b",
  "\ud800",
  "a/\udc00b",
  ".git",
  "a/.git/config",
  ".GIT",
  ".GiT/hooks/post-checkout",
  "git~1",
  "GIT~1/x",
  ".git.",
  ".git ",
  ".git . .",
  "git~1 .",
  ".git::$INDEX_ALLOCATION",
  ".git:x",
  "git~1:x",
  ".g\u200cit",
  "\ufeff.git",
  ".git\u200d",
  ".\u202aG\u206fIT",
  "x".repeat(256),
  "é".repeat(128),
  `${`${"x".repeat(255)}/`.repeat(16)}y`,
  Array.from({ length: 129 }, () => "d").join("/")
]

describe("paths of a workspace", () => {
  it.each(good)("allows %j", (path) => assert.isUndefined(pathProblem(path)))
  it.each(bad)("refuses %j with a reason", (path) => assert.isAbove(pathProblem(path)?.length ?? 0, 20))
  it("refuses a slash in a name", () => assert.isDefined(nameProblem("a/b")))

  it.each([
    ".gitmodules",
    ".GITMODULES",
    ".gitmodules .",
    ".gitmodules::$DATA",
    "gitmod~1",
    "gitmod~4",
    "GI7EBA~1",
    "gi7eb~12",
    "gi7d29~1",
    ".git\u200cmodules",
    ".gitattributes",
    ".gitignore",
    ".mailmap",
    "mailma~1"
  ])("refuses a link named %j, not a file", (name) => {
    assert.isDefined(kindProblem(name, "symlink"))
    assert.isUndefined(kindProblem(name, "file"))
  })
  it.each(["gitmod~5", "gitmodules", ".gitmodules2", "gi7eba~0", "readme"])("allows a link named %j", (name) =>
    assert.isUndefined(kindProblem(name, "symlink"))
  )
  it("refuses directories where git reads a file", () => {
    assert.isDefined(kindProblem(".gitmodules", "directory"))
    assert.isDefined(kindProblem(".gitattributes", "directory"))
    assert.isUndefined(kindProblem(".gitignore", "directory"))
  })
})

describe("content that git reads", () => {
  const modules = (text: string) => contentProblem(".gitmodules", Buffer.from(text))
  it("allows plain submodules", () => {
    assert.isUndefined(modules(""))
    assert.isUndefined(
      modules('# ours\n[submodule "lib/x"]\n\tpath = lib/x\n\turl = https://example.org/x.git\n\tbranch = main\n')
    )
    assert.isUndefined(modules('[submodule "x"]\n\turl = ../x.git\n'))
  })
  it.each([
    '[submodule "../../x"]\n',
    '[submodule ".."]\n',
    '[submodule "x"]\n\turl = -u./payload\n',
    '[submodule "x"]\n\turl = --upload-pack=x\n',
    '[submodule "x"]\n\turl = ../../../../:/x\n',
    '[submodule "x"]\n\tpath = -x\n',
    '[submodule "x"]\n\tupdate = !sh\n',
    "[core\n",
    '[submodule "x"]\n\turl = "https://x/%0ahost"\n'
  ])("refuses %j", (text) => assert.isDefined(modules(text)))
  it("refuses long lines of attributes", () => {
    assert.isUndefined(contentProblem(".gitattributes", Buffer.from("*.png binary\n")))
    assert.isDefined(contentProblem(".gitattributes", Buffer.from("x".repeat(2048))))
  })
  it("asks nothing of other files", () => {
    assert.isFalse(hasReadContent(".gitignore"))
    assert.isUndefined(contentProblem("notes", Buffer.from("[core")))
  })
})

describe("targets of links", () => {
  it.each(["", "a\0b", "\ud800", "x".repeat(4096)])("refuses %j", (target) => assert.isDefined(targetProblem(target)))
  it.each(["a", "../a", "/etc/passwd"])("keeps %j", (target) => assert.isUndefined(targetProblem(target)))
})

it.prop("compareBytes orders as UTF-8 does", [Schema.String, Schema.String], ([a, b]) => {
  const [one, other] = [a.toWellFormed(), b.toWellFormed()]
  return Math.sign(compareBytes(one, other)) === Buffer.compare(Buffer.from(one), Buffer.from(other))
})
it("orders beyond U+FFFF after U+E000", () => assert.isAbove(compareBytes("a🪨", "a\uff00"), 0))

it.prop("sortedByBytes orders as UTF-8 does", [Schema.Array(Schema.String)], ([texts]) => {
  const known = texts.map((text) => text.toWellFormed())
  const expected = known.map((text) => Buffer.from(text)).sort(Buffer.compare)
  return sortedByBytes(known, (text) => text).every((text, index) => Buffer.from(text).equals(expected[index]!))
})
it("sortedByBytes orders beyond U+FFFF after U+E000, also among plain names", () =>
  assert.deepStrictEqual(
    sortedByBytes(["b", "a🪨", "a\uff00", "a"], (text) => text),
    ["a", "a\uff00", "a🪨", "b"]
  ))
