import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import type { Holder } from "#domain/Scope.ts"
import { Asker, freshOrOlder, type Look, type MaybeStale, Unreadable } from "#engine/ask.ts"
import type { CommandMetadata } from "#engine/CommandEnvelope.ts"
import { beginning, hasReached, type Position } from "#engine/Position.ts"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Origin } from "#ports/Origin.ts"
import { actorOf } from "#src/actor.ts"
import { Caller, WriteIdentity } from "#src/api/middleware.ts"
import * as Codec from "#src/codec.ts"
import { writtenPosition } from "#src/positions.ts"
import { type Found, type FoundSnippet, Search, type SearchQuestion, type Sight } from "#src/snippets/search.ts"
import { byPortions } from "./answers.ts"
import { inEvent } from "./observed/origin.ts"
import { problemOf } from "./refusals.ts"

const setHeader = (name: string, value: string) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, name, value))
  )

/** Tells the caller where in the log the write is. */
export const written = (position: Position) =>
  Effect.flatMap(writtenPosition(position), (position) => setHeader("cairn-position", position))

/**
 * Where a read model stands. If it does not catch up with the log in time, the answer's head says that it is stale.
 * Uses the look that was `seen`, if there is one, instead of taking another.
 */
export const freshOrStale = (projection: Projection, seen?: Look) =>
  freshOrOlder(projection, seen).pipe(
    Effect.tap(({ stale }) => (stale ? setHeader("cairn-stale", "true") : Effect.void)),
    Effect.mapError(problemOf)
  )

/** Whether all of these read models have applied an event by now. Waits for none; `false` if they can't be asked. */
export const isApplied = (position: Position, projections: ReadonlyArray<Projection>) =>
  Effect.flatMap(Asker, ({ look }) => look).pipe(
    Effect.map(({ models }) =>
      projections.every((projection) => hasReached(models.get(schemaOf(projection))?.position ?? beginning, position))
    ),
    Effect.orElseSucceed(() => false)
  )

/**
 * Searches the catalogue as it stands. `stale`: the catalogue or the index did not catch up in time, and the answer's
 * head says so.
 */
export const searched = Effect.fnUntraced(function* (question: SearchQuestion, scope: Sight, standing: MaybeStale) {
  const answer = yield* Effect.mapError((yield* Search).search(question, scope, standing), problemOf)
  if (answer.stale) yield* setHeader("cairn-stale", "true")
  return { ...answer, stale: answer.stale || standing.stale }
})

/** `stale` for the body of an answer whose reader does not get its head; left out if it is not stale. */
export const staleIn = (stale: boolean) => (stale ? { stale: true as const } : {})

/** What a search found, with its texts, as `show` shows it, portion by portion. */
export const shownFound = <A, F extends Found, E, R>(
  found: ReadonlyArray<F>,
  scope: Sight,
  show: (read: ReadonlyArray<FoundSnippet>) => Effect.Effect<ReadonlyArray<A>, E, R>
) => byPortions(found, (portion) => Effect.flatMap(Search, ({ read }) => Effect.flatMap(read(portion, scope), show)))

/** The metadata of the request's command, as `dispatch` takes it. */
export const commandMetadata = Effect.gen(function* () {
  const { commandId, request: identity } = yield* WriteIdentity
  const holder: Holder = yield* Caller
  const origin = yield* Origin
  const request = origin === undefined || identity === null ? identity : inEvent(identity, origin)
  const metadata: CommandMetadata = { commandId, correlationId: commandId, actor: actorOf(holder), request }
  return metadata
})

/** The events that a repeated request led to before; `undefined`: none. What it names may have come or gone since. */
export const doneBefore = Effect.gen(function* () {
  const { commandId, before } = yield* WriteIdentity
  if (before === undefined) return undefined
  const events = yield* Effect.mapError((yield* EventStore).outcome(before, commandId), () => new Unreadable())
  return events.length === 0 ? undefined : events.map(Codec.decode)
})
