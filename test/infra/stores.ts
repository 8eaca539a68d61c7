import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, type Redacted } from "effect"
import { migrate } from "#infra/postgres/client.ts"
import * as PostgresEventStore from "#infra/postgres/log/layer.ts"
import * as Codec from "#src/codec.ts"
import { freshDatabase } from "#test/postgres.ts"

/** A pool that leaves room for others on the run's server. */
const clientOn = (url: Redacted.Redacted) =>
  Layer.effectDiscard(migrate).pipe(
    Layer.provideMerge(PgClient.layer({ url, maxConnections: 6, maxMessageSize: 256 * 1024 * 1024 }))
  )

/** A store on this database with a pool of its own, as another process would have; and its client. */
export const storeOn = (url: Redacted.Redacted) =>
  Layer.fresh(PostgresEventStore.layer.pipe(Layer.provideMerge(clientOn(url))))

/** A client on a database of its own, which has the store's tables. */
export const freshClient = Layer.unwrap(Effect.map(freshDatabase, clientOn))

/** A store of Cairn's events on a database of its own. */
export const freshStore = Layer.merge(Layer.unwrap(Effect.map(freshDatabase, storeOn)), Codec.layer)
