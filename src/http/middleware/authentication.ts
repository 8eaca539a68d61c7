import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Clock, Effect, Layer, Option, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { SqlClient } from "effect/sql"
import { isExpired, refusalOf } from "#domain/access/permitted.ts"
import { keyHash, keyPattern } from "#domain/Key.ts"
import type { Holder } from "#domain/Scope.ts"
import { Asker, longPatience } from "#engine/ask.ts"
import { hasReached } from "#engine/Position.ts"
import { WorkingFor } from "#ports/Workers.ts"
import { holderOf } from "#projections/Keys/holders.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { Authentication, Caller } from "#src/api/middleware.ts"
import { Problem } from "#src/api/Problem.ts"
import { Disks } from "#src/disks.ts"
import { Notes } from "#src/notes.ts"
import { remembered } from "#src/remembered.ts"
import { Arrived } from "../arrived.ts"
import { havingRoom } from "../nearlyFull.ts"
import { Labels } from "../observed/labels.ts"
import { problemOf } from "../refusals.ts"

const missing = new Problem({
  code: "auth/missing_api_key",
  message: "No API key. Send the header Authorization: Bearer cairn_live_…"
})

const wrong = new Problem({
  code: "auth/invalid_api_key",
  message:
    "The API key is not valid: it is not one of this service's, or it was revoked. Check it, or ask your organization's owner for a new one."
})

const expired = new Problem({
  code: "auth/invalid_api_key",
  message: "The API key has expired. Ask your organization's owner or an admin for a new one."
})

const unavailable = new Problem({
  code: "unavailable/keys",
  message: "Keys can't be checked at the moment. Send the same request again.",
  retryAfter: 1
})

const holdersKept = 10_000

/** An endpoint's name in the table of permissions. */
const operationOf = (of: { readonly group: { readonly identifier: string }; readonly endpoint: object }): string =>
  `${of.group.identifier}.${(of.endpoint as { readonly identifier: string }).identifier}`

/**
 * Gives a function that says whether the whole body has come. A body that came with its head is read just after it, so
 * this looks again in a microtask, before anything else can come.
 */
const bodyHasCome = (request: Option.Option<HttpServerRequest.HttpServerRequest>): (() => boolean) => {
  if (Option.isNone(request)) return () => false
  const incoming = NodeHttpServerRequest.toIncomingMessage(request.value)
  let isWhole = incoming.complete
  if (!isWhole) {
    queueMicrotask(() => {
      isWhole = incoming.complete
    })
  }
  return () => isWhole
}

/**
 * Finds out who calls, and whether they may: one table lists every operation. A holder stays known until the keys' read
 * model changes; that a key is unknown is never remembered. If the read model is behind, nobody gets in. If only the
 * log is away, callers still get in as long as the read model had all that was seen of the log: nothing can be revoked
 * meanwhile.
 */
export const layer = Layer.effect(
  Authentication,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const asker = yield* Asker
    const notes = yield* Notes
    const disks = yield* Disks
    const known = remembered<Holder>("keys", holdersKept)

    const find = Effect.fnUntraced(function* (key: string) {
      const hash = keyHash(key)
      const isWhole = bodyHasCome(yield* Effect.serviceOption(HttpServerRequest.HttpServerRequest))
      const seen = yield* asker.look
      const { changed } = yield* asker
        .freshBy(seen, Keys, longPatience)
        .pipe(
          Effect.catchTag("Stale", (stale) =>
            stale.away && hasReached(stale.standing.position, stale.standing.due)
              ? Effect.succeed(stale.standing)
              : Effect.fail(stale)
          )
        )
      const holder = yield* known(changed, hash, holderOf(hash))
      return { holder, arrived: isWhole() ? seen : undefined }
    })

    const bearer: Authentication["Service"]["bearer"] = (httpEffect, { credential, ...asked }) =>
      Effect.gen(function* () {
        const key = Redacted.value(credential)
        if (key === "") return yield* missing
        if (!keyPattern.test(key)) return yield* wrong
        const { holder, arrived } = yield* find(key).pipe(
          Effect.provideService(SqlClient.SqlClient, sql),
          Effect.mapError(() => unavailable)
        )
        if (holder === undefined) return yield* wrong
        if (isExpired(holder, yield* Clock.currentTimeMillis)) return yield* expired
        const refusal = refusalOf(holder, operationOf(asked))
        if (refusal !== undefined) return yield* problemOf(refusal)
        yield* Effect.provideService(havingRoom(operationOf(asked)), Disks, disks)
        const labels = yield* Labels
        if (labels !== undefined) labels.key = holder.key
        yield* notes.used(holder)
        return yield* httpEffect.pipe(
          Effect.provideService(Caller, holder),
          Effect.provideService(Arrived, arrived),
          Effect.provideService(WorkingFor, holder.tenant)
        )
      })
    return Authentication.of({ bearer })
  })
)
