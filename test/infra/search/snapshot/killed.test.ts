import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { folder, keptIn, opened, saying } from "./kept.ts"
import { snippets } from "./several.ts"

const program = fileURLToPath(new URL("writing.ts", import.meta.url))
const runtime = process.versions["deno"] === undefined ? [] : ["run", "-A"]

/** Begins to write a snapshot over the one in a folder, and kills it before one of its frames. */
const killed = (directory: string, frame: number) =>
  Effect.promise(async () => {
    const args = [...runtime, program, directory, String(frame)]
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
    const gone = once(child, "exit")
    await once(child.stdout, "data")
    child.kill("SIGKILL")
    assert.strictEqual((await gone)[1], "SIGKILL")
  })

it.live("a process that is killed while it writes leaves the snapshot before it, whole", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const directory = yield* folder
      yield* opened(keptIn(directory), ({ apply }) =>
        apply({ put: snippets(100), voted: [], removed: [] }, { build: 1, position: 7 })
      )
      for (const frame of [0, 7]) {
        yield* killed(directory, frame)
        const left = readdirSync(directory).filter((name) => name.endsWith("unfinished"))
        assert.lengthOf(left, 1)
        if (frame > 0) assert.isAbove(statSync(join(directory, left[0]!)).size, 1_000_000)
        const looked = opened(keptIn(directory, { least: 1_000_000 }), ({ stand, size }) => Effect.all([stand, size!]))
        assert.deepStrictEqual(yield* saying(looked), { value: [{ build: 1, position: 7 }, 100], lines: [] })
        assert.deepStrictEqual(readdirSync(directory), ["snippets.index"])
      }
    })
  )
)
