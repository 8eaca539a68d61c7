import { assert, describe, it } from "@effect/vitest"
import {
  repositoryDescription,
  repositoryEntrypoint,
  repositoryName,
  repositorySource
} from "#domain/Repository/description.ts"
import { fileTreeOf, readmeOf, readmePreviewOf, searchedTextOf } from "#domain/Repository/files.ts"
import { frameworkOf } from "#domain/Repository/framework.ts"
import { fenced } from "#domain/text/fenced.ts"
import { isPlainText } from "#domain/text/plainText.ts"

const file = (path: string, content = "") => ({ path, content })

describe("a repository", () => {
  it.each([
    ["next.js", [file("package.json", '{"dependencies": {"react": "19", "next": "16"}}')]],
    ["react", [file("web/package.json", '{"dependencies": {"react": "19"}}')]],
    ["express", [file("package.json", '{"dependencies": {"express":"5"}}')]],
    ["node.js", [file("package.json", '{"name": "next"}')]],
    ["fastapi", [file("requirements.txt", "uvicorn\nfastapi==0.110\n")]],
    ["django", [file("pyproject.toml", '[project]\ndependencies = ["Django>=5"]\n')]],
    ["flask", [file("requirements-dev.txt", "flask")]],
    ["python", [file("pyproject.toml", '[project]\nname = "x"\n')]],
    ["gin", [file("go.mod", "require github.com/gin-gonic/gin v1.9.0")]],
    ["go", [file("go.mod", "module x")]],
    ["axum", [file("Cargo.toml", '[dependencies]\naxum = "0.8"\n')]],
    ["cargo", [file("Cargo.toml", '[package]\nname = "axum-like"\n')]],
    ["rails", [file("Gemfile", "gem 'rails'")]],
    ["spring-boot", [file("build.gradle.kts", 'id("org.springframework.boot") // spring-boot')]],
    ["deno", [file("deno.json", "{}")]],
    ["make", [file("Makefile", "all:")]],
    [null, [file("a.py", "import flask")]],
    [null, []]
  ])("is of the framework %s", (framework, files) => {
    assert.strictEqual(frameworkOf(files), framework)
  })

  it("has the readme nearest to its root", () => {
    const files = [file("docs/README.md", "docs"), file("readme.rst", "mine"), file("README.mdx", "no")]
    assert.strictEqual(readmeOf(files)?.content, "mine")
    assert.isUndefined(readmeOf([file("README.mdx"), file("areadme.md")]))
    const long = file("README.md", `${"x".repeat(499)}🎉 tail`)
    assert.strictEqual(readmePreviewOf([long]), "x".repeat(499))
    assert.strictEqual(readmePreviewOf([]), "")
    assert.strictEqual(fileTreeOf([file("b"), file("a/c")]), "a/c\nb")
  })

  it.each([
    ["manifest", [file("package.json", '{"name": "manifest"}'), file("README.md", "# Other")]],
    ["toml", [file("pyproject.toml", "[tool.x]\nname = 'no'\n[project]\nname = \"toml\"\n")]],
    ["crate", [file("Cargo.toml", '[package]\nname = "crate"\n[dependencies]\nname = "no"')]],
    ["mod", [file("go.mod", "module example.org/a/mod\n")]],
    ["Heading", [file("README.md", "[badge]\n\n# Heading\n\n## Second")]],
    ["Underlined", [file("README.rst", "Underlined\n==========\n")]],
    ["the task", [file("package.json", "{nonsense"), file("a.py")]],
    ["the task", [file("package.json", '{"name": 7}')]]
  ])("calls itself %s", (name, files) => {
    assert.strictEqual(repositoryName(files, "the  task"), name)
  })

  it("describes itself, or is described by its task", () => {
    const readme = file("README.md", "# Title\n\n![badge](x)\n\nFirst words\nof it.\n\nSecond.")
    assert.strictEqual(repositoryDescription([readme], "t"), "First words of it.")
    assert.strictEqual(repositoryDescription([readme, file("package.json", '{"description": "Said."}')], "t"), "Said.")
    assert.strictEqual(repositoryDescription([file("a.py")], "the task"), "the task")
  })

  it("is started by what says so", () => {
    const main = file("package.json", '{"main": "./lib/start.js"}')
    assert.strictEqual(repositoryEntrypoint([main, file("lib/start.js"), file("index.js")]), "lib/start.js")
    assert.strictEqual(repositoryEntrypoint([main, file("index.js")]), "index.js")
    assert.strictEqual(repositoryEntrypoint([file("src/main.rs"), file("tests/main.rs")]), "src/main.rs")
    assert.strictEqual(repositoryEntrypoint([file("lib.rs")]), "")
  })

  it("has its readme or a summary as source, with the list of its files", () => {
    const hostile = file("a```\nb.py")
    assert.strictEqual(
      repositorySource([file("README.md", "# Hi"), hostile], "n", "d"),
      "# Hi\n\n## Files\n\n````\nREADME.md\na```\nb.py\n````\n"
    )
    assert.match(repositorySource([file("a.py")], "n", "d"), /^# n\n\nd\n\n## Files/)
  })

  it("is found by the beginning of each of its files", () => {
    const files = [
      file("README.md", "welcome"),
      ...Array.from({ length: 200 }, (_, n) => file(`f${n}.py`, `def only${n}():\n${"#".repeat(100_000)}`))
    ]
    const text = searchedTextOf(files)
    for (const words of ["welcome", "f7.py", "only199"]) assert.include(text, words)
    assert.isBelow(text.length, 250_000)
  })
})

describe("a fence", () => {
  it("is longer than any run of backticks that could end it, and takes no more than a word behind it", () => {
    assert.strictEqual(fenced("x", "python"), "```python\nx\n```")
    assert.strictEqual(fenced("a ```` b\n"), "`````\na ```` b\n`````")
    assert.strictEqual(fenced("", "c++ \n```<b>"), "```c++b\n\n```")
  })
})

describe("plain text", () => {
  it.each([
    ["", true],
    ["def f():\n\treturn 'ä日🎉'\r\n", true],
    ["\u001b[31mred\u001b[0m\f", true],
    ["one \ufffd replaced character in a text", true],
    ["\u0001\u0002\u0003PNG", false],
    ["\ufffd\ufffdab", false],
    ["\u0080\u0081 \u0082\u0083", false]
  ])("%j: %s", (text, plain) => {
    assert.strictEqual(isPlainText(text), plain)
  })
})
