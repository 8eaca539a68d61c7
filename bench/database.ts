import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { launch } from "#infra/postgres/launcher/launcher.ts"

/** An embedded Postgres of its own, in a temporary folder that goes with the scope. */
export const benchDatabase = Effect.gen(function* () {
  const dataDir = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "cairn-bench-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const { url } = yield* launch({ dataDir })
  return { url, dataDir }
})
