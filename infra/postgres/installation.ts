import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { Installation } from "#ports/Installation.ts"

export const layer = Layer.effect(
  Installation,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const [row] = yield* sql<{ secret: string }>`SELECT secret FROM installation`
    return { secret: row!.secret }
  })
)
