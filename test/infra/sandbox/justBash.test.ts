import { readdirSync, readFileSync } from "node:fs"
import { assert, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { MaxOpsBeforeYield } from "effect/Scheduler"
import { layer } from "#infra/sandbox/justBash/layer.ts"
import { Sandbox } from "#ports/Sandbox.ts"
import { emptyOverlay } from "#test/overlay.ts"
import { contract } from "./contract.ts"

contract("just-bash", layer, { writesThrough: true })

it.live("just-bash says in its own words that a program is not there", () =>
  Effect.gen(function* () {
    const shell = yield* Effect.flatMap(emptyOverlay(), (overlay) => Sandbox.use((sandbox) => sandbox.open(overlay)))
    const { exit, stderr } = yield* shell.exec("sqlite3 a.db")
    assert.strictEqual(exit, 127)
    assert.include(stderr, "sqlite3: command not found")
    assert.notMatch(stderr, /bundle|browser/)
  }).pipe(Effect.scoped, Effect.provide(layer))
)

/** Shells that run here: what Linux tells of this process's children, and other systems don't. */
const shells = (otherwise: number): number => {
  if (process.platform !== "linux") return otherwise
  const tasks = `/proc/${process.pid}/task`
  const children = readdirSync(tasks).flatMap((task) =>
    readFileSync(`${tasks}/${task}/children`, "utf8").split(" ").filter(Boolean)
  )
  const isShell = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").endsWith("justBash/program.ts\0")
    } catch {
      return false
    }
  }
  return children.filter(isShell).length
}

/** Linux may pass over a child while others come and go: what it tells is so in the end. */
const has = (count: number) =>
  Effect.promise(() => vi.waitFor(() => assert.strictEqual(shells(count), count), { timeout: 60_000 }))

it.live("just-bash has a shell for each run, also where runs give way between any two steps", () =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox
    for (const ops of [3, 4, 5, 6, 7]) {
      const said = Effect.gen(function* () {
        const overlays = yield* Effect.all([emptyOverlay(), emptyOverlay()])
        const opened = yield* Effect.forEach(overlays, sandbox.open, { concurrency: "unbounded" })
        yield* has(1)
        const answers = yield* Effect.forEach(opened, (shell) => shell.exec("echo a"), { concurrency: "unbounded" })
        return answers.map(({ stdout }) => stdout)
      })
      const gaveWay = Effect.provideService(Effect.scoped(said), MaxOpsBeforeYield, ops)
      assert.deepStrictEqual(yield* gaveWay, ["a\n", "a\n"], `after ${ops} steps each`)
      yield* has(0)
    }
  }).pipe(Effect.provide(layer))
)
