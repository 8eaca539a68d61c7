import { Cause, Clock, Context, Deferred, Effect, Fiber, Layer, Option, PubSub, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { profileOf } from "#domain/search/embeddings/Profile.ts"
import { meaningsOf } from "#domain/search/embeddings/vector.ts"
import { ReadPatience } from "#engine/ask.ts"
import { schemaOf } from "#engine/Projection.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { Projector } from "#engine/project.ts"
import { type IndexStand, IndexUnavailable, SnippetIndex } from "#ports/SnippetIndex.ts"
import { indexChanges, leftOutUpTo, type Page } from "#projections/Snippets/changes.ts"
import type { WhyLeftOut } from "#projections/Snippets/rows.ts"
import { Snippets } from "#projections/Snippets/tables.ts"

/** Of the catalogue that are taken in at once. */
const rows = 4_000

/** What an index is filled from: the catalogue's changes behind a position, with the vectors that it has. */
export interface Source {
  /** Up to where it may be taken in. */
  readonly read: (after: number, page: Page) => ReturnType<typeof indexChanges>
  /** Whether it is said of each snippet what can't be found of it: once of all that read the same rows. */
  readonly tells: boolean
}

const byTable: Source = { read: indexChanges, tells: true }
/** Ids in one line of the log. */
const told = 100
/** Milliseconds between two readings that nobody asked for. */
const pause = 50

/** Recovers from failures and defects alike. */
const unlessInterrupted = <A, E, R, B, R2>(
  effect: Effect.Effect<A, E, R>,
  otherwise: (cause: Cause.Cause<E>) => Effect.Effect<B, never, R2>
) =>
  Effect.catchCause(
    effect,
    (cause): Effect.Effect<B, never, R2> =>
      Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause as Cause.Cause<never>) : otherwise(cause)
  )

/**
 * Keeps this process's snippet index like the catalogue: it reads on in the catalogue's rows from where it was,
 * whichever process had written them, and at start from the beginning, from terms and vectors that are stored there.
 */
export class Indexing extends Context.Service<
  Indexing,
  {
    /** Waits until the index holds every change up to a position, for `ReadPatience` at the most: whether it does. */
    readonly reach: (position: number) => Effect.Effect<boolean>
    readonly position: Effect.Effect<number>
    /** The furthest that it was, also if it is away since. */
    readonly furthest: Effect.Effect<number>
    /** Why it can't read on, since its last try; `undefined`: it can. */
    readonly fault: Effect.Effect<string | undefined>
    /** Whether that is because the index can't be reached: it goes on by itself when it can. */
    readonly away: Effect.Effect<boolean>
    /** Snippets that are not found by all that they say, and why; `refused`: the index could not take them. */
    readonly leftOut: Effect.Effect<ReadonlyMap<string, WhyLeftOut | "refused">>
    /** How many snippets the index holds; `undefined`: it is elsewhere. */
    readonly size: Effect.Effect<number | undefined>
  }
>()("cairn/Indexing") {
  static readonly make = ({ read: readChanges, tells }: Source) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const index = yield* SnippetIndex
      const most = yield* Bounds
      const patience = yield* ReadPatience
      const projector = yield* Projector
      const one = yield* Semaphore.make(1)
      const name = schemaOf(Snippets)
      const leftOut = new Map<string, WhyLeftOut | "refused">()
      let stand: IndexStand | undefined
      let fault: string | undefined
      let isAway = false
      let furthest = 0
      /** Who waits for a position: they go on as soon as it is reached, whatever is read behind it. */
      const waiting = new Map<Deferred.Deferred<void>, number>()
      const scope = yield* Effect.scope

      /** Says once of each snippet what became of it. */
      const tell = Effect.fnUntraced(function* (before: ReadonlyMap<string, string>) {
        const news = [...leftOut].filter(([id, why]) => before.get(id) !== why)
        for (let at = 0; at < news.length; at += told) {
          const some = news.slice(at, at + told).map(([id, why]) => `${id} (${why})`)
          yield* Effect.logWarning(`snippets that are not found by all that they say: ${some.join(", ")}`)
        }
      })

      /** Where the index says that it is, and what it had left out before this process came. */
      const begin = Effect.gen(function* () {
        const found = yield* index.stand
        leftOut.clear()
        if (found.position === 0) return found
        for (const { id, left_out } of yield* leftOutUpTo(found.position)) leftOut.set(id, left_out)
        for (const id of found.refused ?? []) leftOut.set(id, "refused")
        return found
      })

      const step = Effect.gen(function* () {
        const from = stand ?? (yield* begin)
        stand = from
        furthest = Math.max(furthest, from.position)
        const changes = yield* readChanges(from.position, { rows: Math.min(rows, most.count), bytes: most.bytes })
        const { build, position } = changes
        if (build === undefined) return false
        if (from.build !== undefined && build !== from.build) {
          // another build was promoted, perhaps because this one was wrong: all of it again, over what is here
          const anew = { build, position: 0 }
          yield* index.apply({ put: [], voted: [], removed: [] }, anew)
          stand = anew
          leftOut.clear()
          return true
        }
        const before = new Map(leftOut)
        for (const { id, left_out } of changes.put) {
          if (left_out === null) leftOut.delete(id)
          else leftOut.set(id, left_out)
        }
        const meanings = meaningsOf(changes.put.map(({ vector, task_vector }) => [vector, task_vector]))
        const put = changes.put.map(
          (
            { published, human_up, changed: _at, left_out: _why, vector: _, task_vector: _tasks, profile, ...snippet },
            place
          ) => ({
            ...snippet,
            isPublic: published,
            humanUp: human_up,
            vector: meanings[place]!,
            profile: profileOf(profile)
          })
        )
        const voted = changes.voted.map(({ human_up, ...votes }) => ({ ...votes, humanUp: human_up }))
        const upTo = { build, position }
        const { refused } = yield* index.apply({ put, voted, removed: changes.removed }, upTo)
        for (const id of refused) leftOut.set(id, "refused")
        for (const id of changes.removed) leftOut.delete(id)
        if (tells) yield* tell(before)
        stand = upTo
        furthest = Math.max(furthest, position)
        for (const [reached, to] of waiting) if (to <= position) yield* Deferred.succeed(reached, undefined)
        return position > from.position
      }).pipe(Effect.provideService(SqlClient.SqlClient, sql))

      /** Says once that it can't go on, and what it then finds is what the index itself says of where it is. */
      const failed = (cause: Cause.Cause<unknown>) =>
        Effect.suspend(() => {
          const error = Option.getOrUndefined(Cause.findErrorOption(cause))
          const before = fault
          isAway = error instanceof IndexUnavailable
          fault = error instanceof IndexUnavailable ? error.fault : "it can't read on"
          stand = undefined
          if (fault === before) return Effect.succeed(false)
          const said = isAway ? Effect.logWarning(`the snippet index is away: ${fault}`) : undefined
          return Effect.as(said ?? Effect.logWarning("the snippet index can't read on", cause), false)
        })

      const read = step.pipe(
        Effect.tap(() => {
          const wasAway = fault !== undefined
          fault = undefined
          isAway = false
          return wasAway ? Effect.logInfo("the snippet index is back") : Effect.void
        }),
        (reading) => unlessInterrupted(reading, failed)
      )
      const catchUp = Effect.repeat(read.pipe(one.withPermits(1)), { until: (more) => !more })

      const moves = yield* PubSub.subscribe(projector.moved)
      const moved = Effect.map(PubSub.takeAll(moves), (names) => names.includes(name))
      yield* Effect.forkScoped(
        Effect.andThen(
          catchUp,
          // another process may be the one that moves the catalogue: then no message comes here
          Effect.forever(
            moved.pipe(
              Effect.timeoutOrElse({ duration: "1 second", orElse: () => Effect.succeed(true) }),
              Effect.flatMap((mine) => (mine ? catchUp : Effect.void)),
              // whoever asks does not wait for this: it only keeps little to be left to do then
              Effect.andThen(Effect.sleep(pause))
            )
          )
        )
      )

      const position = () => stand?.position ?? 0
      // a step, unless another's has brought it there: of much that is written meanwhile nobody waits for the end
      const readTo = (to: number) =>
        Effect.suspend(() => (position() < to ? Effect.asVoid(read) : Effect.void)).pipe(one.withPermits(1))
      const reach = Effect.fnUntraced(function* (to: number) {
        const deadline = (yield* Clock.currentTimeMillis) + patience
        while (position() < to) {
          const left = deadline - (yield* Clock.currentTimeMillis)
          if (left <= 0) break
          const before = position()
          // whoever waits no longer leaves it at work: broken off again and again it would never end
          const reading = yield* Effect.forkIn(readTo(to), scope)
          const reached = yield* Deferred.make<void>()
          waiting.set(reached, to)
          yield* Effect.raceFirst(Fiber.await(reading), Deferred.await(reached)).pipe(
            Effect.timeoutOption(left),
            Effect.ensuring(Effect.sync(() => waiting.delete(reached)))
          )
          // who searches asks the index itself next, which says that it is away
          if (isAway) break
          // nothing that it may read on by has come yet
          if (fault !== undefined || (position() === before && position() < to)) yield* Effect.sleep(pause)
        }
        return position() >= to
      })
      return Indexing.of({
        reach,
        position: Effect.sync(position),
        furthest: Effect.sync(() => furthest),
        fault: Effect.sync(() => fault),
        away: Effect.sync(() => isAway),
        leftOut: Effect.sync(() => new Map(leftOut)),
        size: index.size ?? Effect.undefined
      })
    })

  static readonly layer = Layer.effect(Indexing, Indexing.make(byTable))
}
