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
 * Where a read model stands; when it did not catch up with the log in time, the answer says that it is stale. By a look
 * that was `seen`, where there is one, without another.
 */
export const freshOrStale = (projection: Projection, seen?: Look) =>
  freshOrOlder(projection, seen).pipe(
    Effect.tap(({ stale }) => (stale ? setHeader("cairn-stale", "true") : Effect.void)),
    Effect.mapError(problemOf)
  )

/**
 * Whether an event is in all of these read models by now. Waits for none of them; when they can't be asked, it says no.
 */
export const isApplied = (position: Position, projections: ReadonlyArray<Projection>) =>
  Effect.flatMap(Asker, ({ look }) => look).pipe(
    Effect.map(({ models }) =>
      projections.every((projection) => hasReached(models.get(schemaOf(projection))?.position ?? beginning, position))
    ),
    Effect.orElseSucceed(() => false)
  )

/**
 * A search of the catalogue where it stands; `stale`: that, or the index behind it, did not catch up in time, as the
 * answer's head says.
 */
export const searched = Effect.fnUntraced(function* (question: SearchQuestion, scope: Sight, standing: MaybeStale) {
  const answer = yield* Effect.mapError((yield* Search).search(question, scope, standing), problemOf)
  if (answer.stale) yield* setHeader("cairn-stale", "true")
  return { ...answer, stale: answer.stale || standing.stale }
})

/** The same in an answer's body, for whoever is handed no head: only where it is so. */
export const staleIn = (stale: boolean) => (stale ? { stale: true as const } : {})

/** What a search found, with its texts, as it is shown: portion by portion. */
export const shownFound = <A, F extends Found, E, R>(
  found: ReadonlyArray<F>,
  scope: Sight,
  show: (read: ReadonlyArray<FoundSnippet>) => Effect.Effect<ReadonlyArray<A>, E, R>
) => byPortions(found, (portion) => Effect.flatMap(Search, ({ read }) => Effect.flatMap(read(portion, scope), show)))

/** The request's write, as `dispatch` takes it. */
export const commandMetadata = Effect.gen(function* () {
  const { commandId, request: identity } = yield* WriteIdentity
  const holder: Holder = yield* Caller
  const origin = yield* Origin
  const request = origin === undefined || identity === null ? identity : inEvent(identity, origin)
  const metadata: CommandMetadata = { commandId, correlationId: commandId, actor: actorOf(holder), request }
  return metadata
})

/** What a repeated request led to the first time: what it names may be there now, or not any more. */
export const doneBefore = Effect.gen(function* () {
  const { commandId, before } = yield* WriteIdentity
  if (before === undefined) return undefined
  const events = yield* Effect.mapError((yield* EventStore).outcome(before, commandId), () => new Unreadable())
  return events.length === 0 ? undefined : events.map(Codec.decode)
})
