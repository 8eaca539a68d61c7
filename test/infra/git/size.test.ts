import fs from "node:fs"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { layer } from "#test/gitWorkspaceStore.ts"
import { fsck, noGit, temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))

const pathOf = (file: number) => `src/d${file % 100}/f${file}.ts`
const author = { name: "a", email: "a@cairn" }

describe("a workspace of 10,000 files", () => {
  it.live("takes a commit of one file and of a thousand", () =>
    Effect.gen(function* () {
      const filled = yield* Effect.gen(function* () {
        const workspaces = yield* WorkspaceStore
        const overlay = yield* workspaces.open("large", undefined)
        for (let file = 0; file < 10_000; file++)
          yield* overlay.writeFile(pathOf(file), Buffer.from(`export const x = ${file}\n`))
        return yield* workspaces.save("large", overlay)
      }).pipe(Effect.provide(layer({ directory }), { local: true }))

      // a service that has just started
      const workspaces = yield* WorkspaceStore
      const changed = Effect.fnUntraced(function* (base: string, count: number, text: string) {
        const began = performance.now()
        const overlay = yield* workspaces.open("large", base)
        for (let file = 0; file < count; file++)
          yield* overlay.writeFile(pathOf(file * 7), Buffer.from(`${text} ${file}\n`))
        const tree = yield* workspaces.save("large", overlay)
        const commit = yield* workspaces.commit("large", { tree, parents: [], author, time: 0, message: text })
        yield* workspaces.moveRef("large", commit)
        return { tree, overlay, ms: performance.now() - began }
      })
      const cold = yield* changed(filled, 1, "cold")
      let warm = yield* changed(cold.tree, 1, "warm")
      const times: Array<number> = []
      for (let round = 0; round < 20; round++) {
        warm = yield* changed(warm.tree, 1, `warm ${round}`)
        times.push(warm.ms)
      }
      const many = yield* changed(warm.tree, 1000, "many")
      times.sort((a, b) => a - b)
      const shown = [cold.ms, times[10]!, times[19]!, many.ms].map((ms) => `${ms.toFixed(1)} ms`)
      console.log(`one file: ${shown[0]} cold, ${shown[1]} median, ${shown[2]} worst; 1,000 files: ${shown[3]}`)
      assert.strictEqual((yield* many.overlay.changes()).length, 1000)
      assert.strictEqual((yield* workspaces.open("large", many.tree)).paths().length, 10_000)
      if (!noGit) assert.strictEqual(fsck(`${directory}/large.git`), "")
    }).pipe(Effect.provide(layer({ directory })))
  )
})
