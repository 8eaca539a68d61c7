import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { Installation } from "#ports/Installation.ts"

export const layer = Layer.effect(
  Installation,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const [row] = yield* sql<{ secret: string; positions: string | null }>`SELECT secret, positions FROM installation`
    const { secret, positions } = row!
    return positions === null ? { secret } : { secret, positions }
  })
)
