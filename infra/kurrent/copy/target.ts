import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, type Redacted } from "effect"
import { CopyRefused } from "#ports/LogCopy.ts"
import * as Belonging from "../belonging.ts"
import { Kurrent } from "../client.ts"
import * as KurrentEventStore from "../layer.ts"
import { type MaxAge, MaxAges } from "../retention.ts"
import { hasTables } from "../tables.ts"
import * as Texts from "../texts.ts"
import { check } from "../version.ts"
import * as Intake from "./intake.ts"
import * as Source from "./source.ts"

const server = (url: Redacted.Redacted) => Layer.effectDiscard(check).pipe(Layer.provideMerge(Kurrent.layer(url)))

/** Checks, without writing, that the server has no log but this copy's. Fails with `CopyRefused` if it has another. */
export const look = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { address } = yield* Kurrent
    const there = yield* Belonging.markOf
    if (there === undefined) return
    const rows = (yield* hasTables) ? yield* sql<{ id: string }>`SELECT id FROM kurrent_log` : []
    if (rows[0]?.id === there) return
    return yield* new CopyRefused({ message: `the KurrentDB at ${address.place} has another log: name an empty one.` })
  }).pipe(Effect.provide(server(url)), Effect.scoped)

/** The copy's log in KurrentDB, on the server at a URL, with the database that was made the copy. */
export const layer = (url: Redacted.Redacted, maxAges: ReadonlyArray<MaxAge>) =>
  Layer.merge(Intake.layer, Layer.provideMerge(Source.layer, KurrentEventStore.layer)).pipe(
    Layer.provide(Texts.layer),
    Layer.provide(Layer.succeed(MaxAges, maxAges)),
    Layer.provide(Layer.provideMerge(Belonging.layer, server(url)))
  )
