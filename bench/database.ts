import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Effect } from "effect"
import { launch } from "#infra/postgres/launcher/launcher.ts"

/** An embedded Postgres in a folder, which stays. */
export const databaseIn = Effect.fnUntraced(function* (folder: string) {
  const dataDir = resolve(folder)
  yield* Effect.sync(() => mkdirSync(dataDir, { recursive: true }))
  const { url } = yield* launch({ dataDir })
  return { url, dataDir }
})

/** The same in a temporary folder that goes with the scope. */
export const benchDatabase = Effect.gen(function* () {
  const dataDir = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "cairn-bench-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  return yield* databaseIn(dataDir)
})
