import { createHash } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, PubSub, Schedule } from "effect"
import { McpSessions, type SaidElsewhere, SessionsUnavailable } from "#ports/McpSessions.ts"
import { Telling } from "#ports/Telling.ts"
import * as PostgresTelling from "./telling.ts"

/** How long an answer may take. */
const patience = "10 seconds"
/** How long a session lives without a request. */
const idle = "1 hour"
const mostOfKey = 100
const mostOfTenant = 1_000

const about = "mcp"
/** The most bytes of a message to other processes; Postgres takes 8,000. */
const longest = 6_900

const unavailable = new SessionsUnavailable({ message: "the sessions can't be reached" })

/** The table has digests, so that whoever reads it, or a backup, can use nobody's session. */
const digestOf = (id: string) => createHash("sha256").update(id).digest()

const bounded = <A, E, R>(asked: Effect.Effect<A, E, R>) =>
  Effect.mapError(Effect.timeout(asked, patience), () => unavailable)

const nameOf = (id: string) => digestOf(id).toString("base64")

/** The table of sessions. When many end at once, rows that somebody else has locked are passed over. */
export const layer = Layer.effect(
  McpSessions,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const telling = yield* Telling
    const told = yield* telling.told(about)
    const heard = yield* PubSub.sliding<SaidElsewhere>(64)
    const pass = Effect.flatMap(PubSub.take(told), (text) => {
      const at = text.indexOf(" ")
      return PubSub.publish(heard, { isOf: (id) => nameOf(id) === text.slice(0, at), message: text.slice(at + 1) })
    })
    yield* Effect.forkScoped(Effect.forever(pass))
    yield* Effect.forkScoped(
      Effect.repeat(
        Effect.ignore(sql`DELETE FROM mcp_sessions WHERE id = ANY (ARRAY(
          SELECT id FROM mcp_sessions WHERE used_at < clock_timestamp() - ${idle}::interval FOR UPDATE SKIP LOCKED))`),
        Schedule.spaced("10 minutes")
      )
    )
    return McpSessions.of({
      tell: (id, message) =>
        Buffer.byteLength(message) <= longest ? telling.tell(about, `${nameOf(id)} ${message}`) : Effect.void,
      told: PubSub.subscribe(heard),
      begin: ({ key, tenant }, id, initialize) =>
        bounded(
          Effect.andThen(
            sql`INSERT INTO mcp_sessions (id, key, tenant, begun) VALUES (${digestOf(id)}, ${key}, ${tenant}, ${initialize})
              ON CONFLICT DO NOTHING`,
            sql`DELETE FROM mcp_sessions WHERE id = ANY (ARRAY(
              SELECT id FROM mcp_sessions WHERE id IN (
                SELECT id FROM (
                  SELECT id, row_number() OVER (PARTITION BY key ORDER BY used_at DESC) AS of_key,
                    row_number() OVER (ORDER BY used_at DESC) AS of_tenant
                  FROM mcp_sessions WHERE tenant = ${tenant}
                ) AS placed WHERE of_key > ${mostOfKey} OR of_tenant > ${mostOfTenant}
              ) FOR UPDATE SKIP LOCKED))`
          )
        ).pipe(Effect.asVoid),
      // a crash of the server may lose the last uses
      use: (key, id) =>
        bounded(
          sql<{ readonly begun: string }>`UPDATE mcp_sessions SET used_at = clock_timestamp()
            FROM (SELECT set_config('synchronous_commit', 'off', true)) AS faster
            WHERE id = ${digestOf(id)} AND key = ${key} AND used_at > clock_timestamp() - ${idle}::interval
            RETURNING begun`
        ).pipe(Effect.map(([row]) => row?.begun)),
      end: (key, id) =>
        bounded(
          sql<{ readonly live: boolean }>`DELETE FROM mcp_sessions WHERE id = ${digestOf(id)} AND key = ${key}
            RETURNING used_at > clock_timestamp() - ${idle}::interval AS live`
        ).pipe(Effect.map(([row]) => row?.live === true))
    })
  })
).pipe(Layer.provide(PostgresTelling.layer))
