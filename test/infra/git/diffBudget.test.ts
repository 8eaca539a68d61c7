import fs from "node:fs"
import { afterAll, assert, layer as withLayer } from "@effect/vitest"
import { Effect } from "effect"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { layer } from "#test/gitWorkspaceStore.ts"
import { temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }))

const remark = /^\.\.\. the diff of this file is left out: it would take too much work$/gm

withLayer(layer({ directory }))("what a diff may cost", (it) => {
  const differing = Effect.fnUntraced(function* (workspace: string, texts: ReadonlyArray<readonly [string, string]>) {
    const workspaces = yield* WorkspaceStore
    const overlay = yield* workspaces.open(workspace, undefined)
    for (const [index, [text]] of texts.entries()) yield* overlay.writeFile(`${index}.txt`, Buffer.from(text))
    const before = yield* workspaces.save(workspace, overlay)
    for (const [index, [, text]] of texts.entries()) yield* overlay.writeFile(`${index}.txt`, Buffer.from(text))
    const after = yield* workspaces.save(workspace, overlay)
    return yield* workspaces.diff(workspace, before, after, { maxBytes: 100_000_000 })
  })

  it.effect("leaves out files past so many lines, and names each; what is small goes on", () =>
    Effect.gen(function* () {
      const lines = "\n".repeat(400_000)
      const texts = Array.from({ length: 6 }, (): readonly [string, string] => [`a\n${lines}`, `b\n${lines}c\n`])
      const diff = yield* differing("lines", [...texts, ["one\n", "two\n"]])
      assert.strictEqual(diff.match(/^diff --git /gm)?.length, 7)
      assert.strictEqual(diff.match(/^@@ -1,4 \+1,4 @@$/gm)?.length, 2)
      assert.strictEqual(diff.match(remark)?.length, 4)
      assert.include(diff, "-one\n+two\n")
    })
  )

  it.effect("leaves out files past so many bytes", () =>
    Effect.gen(function* () {
      const line = `${"x".repeat(1_000_000)}\n`
      const texts = Array.from({ length: 6 }, (): readonly [string, string] => [
        `a\n${line}${line}`,
        `b\n${line}${line}`
      ])
      const diff = yield* differing("bytes", texts)
      assert.strictEqual(diff.match(remark)?.length, 2)
      assert.strictEqual(diff.match(/^-a$/gm)?.length, 4)
    })
  )

  it.effect("is true to the texts also where the least changes are too much to look for", () =>
    Effect.gen(function* () {
      const of = (step: number) => Array.from({ length: 4_000 }, (_, n) => `${(n * step) % 4_001}\n`).join("")
      const [before, after] = [of(7), of(1_234)]
      const diff = yield* differing("orders", [[before, after]])
      const kept = (mark: string) =>
        diff
          .split("\n")
          .filter((line) => line.startsWith(mark) || line.startsWith(" "))
          .filter((line) => !/^(?:---|\+\+\+)/.test(line))
          .map((line) => `${line.slice(1)}\n`)
          .join("")
      assert.strictEqual(kept("-"), before)
      assert.strictEqual(kept("+"), after)
    })
  )
})
