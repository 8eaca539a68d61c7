import { assert, it } from "@effect/vitest"
import { contentCharacters, contentOf } from "#domain/search/embeddings/content.ts"

const content = {
  name: "csv_rows",
  path: "csv_rows.py",
  entrypoint: "csv_rows",
  description: "Reads a file.",
  tasks: ["read rows", "parse a CSV file"],
  source: "def csv_rows(path): ..."
}

it("what is embedded of a snippet begins with what says most, and is the same for the same tasks in any order", () => {
  const text = contentOf(content)
  assert.strictEqual(text, "csv_rows\nReads a file.\nparse a CSV file\nread rows\ndef csv_rows(path): ...")
  assert.strictEqual(contentOf({ ...content, tasks: content.tasks.toReversed() }), text)
  assert.strictEqual(
    contentOf({ ...content, path: "", entrypoint: "", name: "", description: "", tasks: [], source: " " }),
    ""
  )
})

it("what is embedded of a snippet is bounded, whatever its texts are, and has the latest tasks", () => {
  const tasks = Array.from({ length: 50 }, (_, at) => `task ${at} ${"x".repeat(100)}`)
  const long = "🙂".repeat(10_000)
  const text = contentOf({ ...content, name: long, description: long, source: long, tasks })
  assert.isBelow(text.length, 2 * contentCharacters + 1_400)
  assert.isTrue(text.isWellFormed())
  assert.include(text, "task 49")
  assert.notInclude(text, "task 30")
})
