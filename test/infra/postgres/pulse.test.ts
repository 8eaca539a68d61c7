import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { unmigratedOn } from "#infra/postgres/client.ts"
import { passes } from "#ports/passes.ts"
import { freshDatabase } from "#test/postgres.ts"
import { stillLine } from "./stillLine.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "cairn-pulse-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

const ways = [
  ["a host and a port", Effect.undefined],
  ["a socket in a folder", folder]
] as const

it.effect.each(ways)("a server that answers nothing any more has no connections left (%s)", ([, at]) =>
  Effect.gen(function* () {
    const line = yield* stillLine(yield* freshDatabase, yield* at)
    yield* Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      assert.deepStrictEqual(yield* sql`SELECT 1 AS one`, [{ one: 1 }])
      line.die()
      const asked = yield* Effect.forkChild(sql`SELECT 2 AS two`)
      yield* TestClock.adjust("12 seconds")
      assert.isTrue(passes(yield* Effect.flip(Fiber.join(asked))))
    }).pipe(Effect.provide(unmigratedOn(line.url, {})))
  }).pipe(Effect.scoped)
)
