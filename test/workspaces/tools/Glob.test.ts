import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Overlay } from "#ports/WorkspaceStore.ts"
import { glob } from "#src/workspaces/tools/Glob.ts"
import { emptyOverlay, put } from "#test/overlay.ts"
import { workersHere } from "#test/workers.ts"

const globIn = (overlay: Overlay) => (input: unknown) => glob(overlay, workersHere).run(input)

describe("Glob", () => {
  it.effect("matches paths", () =>
    Effect.gen(function* () {
      const overlay = yield* emptyOverlay()
      const call = globIn(overlay)
      for (const path of ["a.ts", "b.js", "src/c.ts", "src/deep/d.ts", "src/deep/é.tsx", "src/[x].ts", ".hidden"]) {
        yield* put(overlay, path, "")
      }
      const expected: ReadonlyArray<readonly [pattern: string, paths: ReadonlyArray<string>, path?: string]> = [
        ["*.ts", ["a.ts"]],
        ["**/*.ts", ["a.ts", "src/[x].ts", "src/c.ts", "src/deep/d.ts"]],
        ["**", [".hidden", "a.ts", "b.js", "src/[x].ts", "src/c.ts", "src/deep/d.ts", "src/deep/é.tsx"]],
        ["/workspace/src/*", ["src/[x].ts", "src/c.ts"]],
        ["./src/**/?.ts*", ["src/c.ts", "src/deep/d.ts", "src/deep/é.tsx"]],
        ["*.{ts,js}", ["a.ts", "b.js"]],
        ["[!a].*", ["b.js"]],
        ["[a-b].[jt]s", ["a.ts", "b.js"]],
        ["src/\\[x\\].ts", ["src/[x].ts"]],
        ["**/deep/**", ["src/deep/d.ts", "src/deep/é.tsx"]],
        ["*", ["d.ts", "é.tsx"].map((name) => `src/deep/${name}`), "src/deep"]
      ]
      for (const [pattern, paths, path] of expected) {
        const { content } = yield* call({ pattern, ...(path !== undefined && { path }) })
        assert.deepStrictEqual(content.split("\n"), paths, pattern)
      }
      assert.strictEqual((yield* call({ pattern: "*.py" })).content, "No file matches.")
      assert.isTrue((yield* call({ pattern: "../*" })).isError)
      assert.isTrue((yield* call({ pattern: "{a,b}".repeat(20) })).isError)
      assert.strictEqual((yield* call({ pattern: `{${"x,".repeat(99)}b.js}` })).content, "b.js")
    })
  )

  it.effect("takes no time that grows with a pattern's stars, and bounds its answer", () =>
    Effect.gen(function* () {
      const overlay = yield* emptyOverlay()
      const call = globIn(overlay)
      for (let index = 0; index < 1_100; index++) yield* put(overlay, `${"a".repeat(60)}${index}`, "")
      const start = process.cpuUsage()
      assert.strictEqual((yield* call({ pattern: `${"*a".repeat(40)}b` })).content, "No file matches.")
      assert.strictEqual((yield* call({ pattern: `${"**/".repeat(300)}b` })).content, "No file matches.")
      // of this process's own, however busy the machine is: what backtracks takes for ever
      assert.isBelow(process.cpuUsage(start).user / 1e6, 5)
      const all = (yield* call({ pattern: "*" })).content.split("\n")
      assert.strictEqual(all.length, 1_001)
      assert.strictEqual(all.at(-1), "(the first 1000 of 1,100 paths)")
    })
  )
})
