import { Clock, Context, Effect, Layer, PubSub, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { meaningsOf } from "#domain/search/embeddings/vector.ts"
import { Bounds } from "#ports/Bounds.ts"
import { schemaOf } from "#ports/Projection.ts"
import { SnippetIndex } from "#ports/SnippetIndex.ts"
import { indexChanges } from "#projections/Snippets/changes.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { Projector } from "./project.ts"

const patience = 1_000
/** Of the catalogue that are taken in at once. */
const rows = 4_000
/** Milliseconds between two readings that nobody asked for. */
const pause = 50

/**
 * Keeps this process's snippet index like the catalogue: it reads on in the catalogue's rows from where it was, whichever
 * process had written them, and at start from the beginning, from terms and vectors that are stored there.
 */
export class Indexing extends Context.Service<
  Indexing,
  {
    /** Waits until the index holds every change up to a position, for a second at the most: whether it does. */
    readonly reach: (position: number) => Effect.Effect<boolean>
    readonly position: Effect.Effect<number>
  }
>()("cairn/Indexing") {
  static readonly layer = Layer.effect(
    Indexing,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const index = yield* SnippetIndex
      const most = yield* Bounds
      const projector = yield* Projector
      const one = yield* Semaphore.make(1)
      const name = schemaOf(Snippets)
      let position = 0
      let build: number | undefined

      const step = Effect.gen(function* () {
        const from = position
        const changes = yield* indexChanges(from, { rows: Math.min(rows, most.count), bytes: most.bytes })
        const replaced = build !== undefined && changes.build !== build
        build = changes.build
        if (replaced) {
          // another build was promoted, perhaps because this one was wrong: all of it again, over what is here
          position = 0
          return true
        }
        const meanings = meaningsOf(changes.put.map(({ vector, task_vector }) => [vector, task_vector]))
        yield* index.put(
          changes.put.map(({ published, human_up, vector: _, task_vector: _tasks, ...snippet }, place) => ({
            ...snippet,
            isPublic: published,
            humanUp: human_up,
            vector: meanings[place]!
          }))
        )
        yield* index.votes(changes.voted.map(({ human_up, ...votes }) => ({ ...votes, humanUp: human_up })))
        yield* index.remove(changes.removed)
        position = changes.position
        return changes.position > from
      }).pipe(Effect.provideService(SqlClient.SqlClient, sql))

      const catchUp = Effect.suspend(function again(): Effect.Effect<void> {
        return step.pipe(
          Effect.catch((error) => Effect.as(Effect.logWarning("the snippet index can't read on", error), false)),
          Effect.flatMap((more) => (more ? again() : Effect.void))
        )
      }).pipe(one.withPermits(1))

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

      const reach = Effect.fnUntraced(function* (to: number) {
        const deadline = (yield* Clock.currentTimeMillis) + patience
        while (position < to && (yield* Clock.currentTimeMillis) < deadline) yield* catchUp
        return position >= to
      })
      return Indexing.of({ reach, position: Effect.sync(() => position) })
    })
  )
}
