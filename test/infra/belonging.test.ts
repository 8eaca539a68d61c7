import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { admit } from "#infra/belonging.ts"
import { mark } from "#infra/git/repositories.ts"
import { freshClient } from "./stores.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "cairn-belonging-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

it.live("a service's file is there as long as the service; what a killed one left is taken away after a minute", () =>
  Effect.gen(function* () {
    const directory = yield* folder
    writeFileSync(join(directory, mark), "id\n")
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE installation SET folder = 'id'`
    const present = join(directory, ".services")
    mkdirSync(present)
    const age = (name: string, seconds: number) => {
      writeFileSync(join(present, name), "")
      const made = Date.now() / 1_000 - seconds
      utimesSync(join(present, name), made, made)
    }
    // one that runs, for however long; one on its way to the database; one that was killed
    age("runs", 86_400)
    age("begins", 30)
    age("killed", 90)
    const others = Effect.succeed([{ token: "runs", who: "another" }])
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* admit(directory)("own", others)
        assert.sameMembers(readdirSync(present), ["own", "runs", "begins"])
      })
    )
    assert.isFalse(existsSync(join(present, "own")))
    assert.sameMembers(readdirSync(present), ["runs", "begins"])
  }).pipe(Effect.provide(freshClient), Effect.scoped)
)
