import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { load } from "#infra/search/embeddings/layer.ts"

it.effect("refuses any other table or bank than its own, and says in one line what to do", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "cairn-table-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    )
    const file = join(folder, "table.bin")
    for (const paths of [{ table: file }, { bank: file }]) {
      rmSync(file, { force: true })
      const refused = Effect.map(Effect.flip(load(paths)), ({ message }) => message)
      assert.include(yield* refused, "ENOENT")
      writeFileSync(file, "SEM1 another one")
      const message = yield* refused
      const what = "bank" in paths ? "bank of docstrings" : "table of embeddings"
      for (const said of [what, file, "SHA-256", "restore it from the repository"]) assert.include(message, said)
      assert.notInclude(message, "\n")
    }
  })
)
