import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { run } from "./load.ts"
import { program, service } from "./process.ts"
import { type Measured, milliseconds, percentile, thousands } from "./report.ts"

// a vocabulary about as large as that of real tasks, where most words are in few snippets
const syllables = "ba de fi go lu ma ne pi ro su ta ve wi zo ka lem nor pas rin tok".split(" ")
const words = syllables.flatMap((a) => syllables.flatMap((b) => syllables.slice(0, 4).map((c) => a + b + c)))
const pick = () => words[Math.floor(Math.random() ** 2 * words.length)]!
const task = () => `${pick()} ${pick()} ${pick()} ${pick()} ${Math.floor(Math.random() * 1e6)}`

export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "cairn-bench-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

interface Stored {
  readonly matches: ReadonlyArray<{ readonly code_block: { readonly id: string } }>
}

/** Requests a second of search and vote beside a bare HttpApi echo, by the same client in the same run. */
export const http = (scale: number) =>
  Effect.gen(function* () {
    const duration = Math.max(500, 5_000 * scale)
    const echo = yield* program("bench/echo.ts", "/echo", {})
    const { port, key } = yield* service(yield* temporaryFolder)
    const post = (path: string, body: unknown) =>
      Effect.promise(() =>
        fetch(`http://127.0.0.1:${port}${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify(body)
        }).then((response) => response.json() as Promise<Stored>)
      )
    for (let n = 0; n < 200; n++) {
      const content = `def f${n}(rows):\n    """${task()}"""\n    return sorted(rows)[${n}]\n`
      yield* post("/api/store/execution-result", {
        task: task(),
        succeeded: true,
        file_written: { path: `f${n}.py`, content },
        user_vote: 1
      })
    }
    const { matches } = yield* post("/api/retrieve/search", { task: "return sorted rows", top_k: 100 })
    const ids = matches.map(({ code_block }) => code_block.id)
    const id = () => ids[Math.floor(Math.random() * ids.length)]!

    const load = (port: number, next: () => { path: string; body: string }) =>
      Effect.promise(() => run({ port, key, connections: 64, milliseconds: duration, next }))
    const echoNext = () => ({ path: "/echo", body: JSON.stringify({ task: task() }) })
    const kinds = {
      search: () => ({ path: "/api/retrieve/search", body: JSON.stringify({ task: task() }) }),
      vote: () => ({
        path: "/api/store/cache-usage",
        body: JSON.stringify({ task: task(), code_block_id: id(), succeeded: Math.random() < 0.8 })
      })
    }
    yield* load(echo.port, echoNext)
    const rows: Array<Measured> = []
    for (const [name, next] of Object.entries(kinds)) {
      yield* load(port, next)
      const ours = yield* load(port, next)
      const bare = yield* load(echo.port, echoNext)
      const ratio = ours.perSecond / bare.perSecond
      const p99 = milliseconds(percentile(ours.latencies, 0.99))
      const value = `${thousands(ours.perSecond)}/s, p99 ${p99}, ${ours.failed} failed; echo ${thousands(bare.perSecond)}/s (× ${ratio.toFixed(2)})`
      rows.push({
        name: `${name}, 64 connections`,
        value,
        bar: "≥ × 0.3 of the echo",
        met: ratio >= 0.3 && ours.failed === 0
      })
    }
    return rows
  }).pipe(Effect.scoped)
