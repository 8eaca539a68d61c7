import { assert, describe, it } from "@effect/vitest"
import { repositoryDescription, repositoryName } from "#domain/Repository/description.ts"
import { parts } from "#domain/search/query.ts"
import { numberedLines } from "#domain/textFile.ts"

const picture = "😀"
/** Pictures behind an even and an odd count of units: where one of these is cut in two, the other is not. */
const shifted = (units: number) => ["", "a"].map((first) => first + picture.repeat(units / 2))

describe("a text that is cut has no half of a character", () => {
  it("as a line of a file", () => {
    for (const line of shifted(3_000)) {
      const shown = numberedLines(Buffer.from(`${line}\n`), 1, 10)
      assert.isTrue(shown.type === "lines" && shown.text.isWellFormed() && shown.text.includes("… ("))
    }
  })

  it("as a task that is searched, and as its parts", () => {
    for (const task of shifted(30_000)) {
      const all = parts(task)
      assert.isAbove(all.length, 1)
      for (const part of all) assert.isTrue(part.isWellFormed())
      for (const part of parts(`${task}a`)) assert.isTrue(part.isWellFormed())
    }
  })

  it("as the name and description of a repository", () => {
    // blanks up to the last place that is looked at
    for (const room of [99_996, 99_997]) {
      const blanks = " ".repeat(room)
      const readme = [{ path: "README.md", content: `# ${blanks}${picture}\n` }]
      assert.isTrue(repositoryName(readme, "task").isWellFormed())
      assert.isTrue(repositoryDescription(readme, "task").isWellFormed())
      const toml = [{ path: "go.mod", content: `module${blanks.slice(5)} ${picture}\n` }]
      assert.isTrue(repositoryName(toml, "task").isWellFormed())
      const said = [{ path: "README.md", content: `it${blanks}${picture}\n` }]
      assert.isTrue(repositoryDescription(said, "task").isWellFormed())
    }
  })
})
