import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schedule } from "effect"
import { KeySightings } from "#ports/KeySightings.ts"

/** Older sightings are deleted: by then, the hour of the log's event is near enough. */
const kept = "90 days"

/** The sightings table; `projections/Keys/listed.ts` reads it where keys are listed. */
export const layer = Layer.effect(
  KeySightings,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* Effect.forkScoped(
      Effect.repeat(
        Effect.ignore(sql`DELETE FROM key_sightings WHERE seen_at < now() - ${kept}::interval`),
        Schedule.spaced("1 hour")
      )
    )
    return KeySightings.of({
      note: (seen) =>
        Effect.ignore(
          sql`INSERT INTO key_sightings AS known (key, seen_at)
            SELECT key, to_timestamp(at / 1000)
            FROM unnest(${[...seen.keys()]}::text[], ${[...seen.values()]}::float8[]) AS s (key, at)
            ON CONFLICT (key) DO UPDATE SET seen_at = greatest(known.seen_at, excluded.seen_at)`
        )
    })
  })
)
