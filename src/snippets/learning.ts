import { Cause, Clock, Context, Effect, Layer, PubSub, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { DomainEvent } from "#domain/events.ts"
import type { Scope } from "#domain/Scope.ts"
import type { TaskVote } from "#domain/search/learned.ts"
import { votedTask } from "#domain/search/votesForTasks.ts"
import { Codec } from "#engine/codec.ts"
import { schemaOf } from "#engine/Projection.ts"
import { decodeAll, inSteps } from "#engine/pages.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Projector } from "#engine/project.ts"
import { Embeddings } from "#ports/Embeddings.ts"
import { Learned, learnedChanges, uploadsOf } from "#projections/Learned.ts"
import { forgottenAmong, type RecalledVote, Retrievals, recalledBy, recallingSince } from "#projections/Retrievals.ts"
import { haveMoved, standsOf } from "#projections/stands.ts"
import { Lessons } from "./lessons.ts"

/** Rows that are taken in at once. */
const rows = 1_000
/** Milliseconds between two looks at whether the texts of searches are still kept. */
const lookAfter = 2_000
/** Milliseconds between two readings, and for how long a search waits for a read model that is behind the catalogue. */
const pause = 50
const patience = 500

/**
 * Keeps what was learned from votes for tasks in memory, in step with the read models. It reads on in their rows from
 * where it was, whichever process wrote them; at a start, from the beginning.
 */
export class Learning extends Context.Service<
  Learning,
  {
    /**
     * Waits until votes up to a position are taken in, for half a second at most. While a read model stands still, only
     * the first caller waits.
     */
    readonly reach: (position: number) => Effect.Effect<void>
    /** The votes for tasks that count for a scope. */
    readonly votesFor: (sight: Pick<Scope, "homes" | "includePublic">) => Iterable<TaskVote>
    /** A number that changes whenever what was learned changes. */
    readonly revision: () => number
  }
>()("cairn/Learning") {
  static readonly layer = Layer.effect(
    Learning,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* EventStore
      const log = Context.pick(Codec)(yield* Effect.context<Codec>())
      const lessons = new Lessons(yield* Embeddings)
      const most = Math.min(rows, (yield* Bounds).count)
      const projector = yield* Projector
      const one = yield* Semaphore.make(1)
      let build: number | undefined
      /** How far rows were read, and up to where searches can use what they say. */
      let readTo = 0
      let position = 0
      let recalledTo = 0
      let lookedAt = 0
      let stuckAt = -1
      let fails = false

      /**
       * Reads everything from the beginning. Reading then goes on from where the read model stood when this began,
       * since uploads may have changed meanwhile.
       */
      const anew = Effect.gen(function* () {
        lessons.forgetAll()
        recalledTo = 0
        const first = yield* learnedChanges(0, most, true)
        for (let page = first; ; page = yield* learnedChanges(page.position, most, true)) {
          lessons.votes.say(page.said)
          lessons.own(page.uploads)
          yield* inSteps(lessons.settle())
          if (page.position >= page.stands || page.build !== first.build) break
        }
        // not earlier: a reading that is broken off begins again
        build = first.build
        readTo = first.stands
      })

      const readOn = Effect.gen(function* () {
        for (;;) {
          const page = yield* learnedChanges(readTo, most, false)
          if (page.build === undefined) return
          if (page.build !== build) {
            yield* anew
            continue
          }
          lessons.votes.say(page.said)
          lessons.own(page.uploads)
          lessons.votes.leave(page.leavers)
          readTo = page.position
          if (readTo >= page.stands) return
        }
      })

      /** A vote with the task of the search before it; `undefined`: that search's text is gone. */
      const withTask = Effect.fnUntraced(function* (vote: RecalledVote) {
        const { stream, revision } = vote.search
        const held = lessons.votes.taskOf(vote)
        if (held !== undefined) return { ...vote, task: held }
        const { events } = yield* store.readStream(stream, revision - 1, { limit: 1 })
        const [found] = yield* Effect.provide(decodeAll<DomainEvent>(events), log)
        if (found?.event._tag !== "SearchAnswered" || found.event.text === null) return undefined
        return { ...vote, task: votedTask(found.event.text.query) }
      })

      const recallOn = Effect.gen(function* () {
        for (;;) {
          const page = yield* recallingSince(recalledTo, most)
          const voters = page.map(({ id }) => id)
          if (voters.length > 0) {
            const votes = yield* Effect.forEach(yield* recalledBy(voters), withTask)
            const known = votes.filter((vote) => vote !== undefined)
            lessons.votes.recall(voters, known)
            const unowned = lessons.unowned(known.map(({ snippet }) => snippet))
            if (unowned.length > 0) lessons.own(yield* uploadsOf(unowned))
          }
          recalledTo = Number(page.at(-1)?.changed ?? recalledTo)
          if (page.length < most) return
        }
      })

      /** Forgets the tasks of searches whose text is gone: the event that erased it names no vote. */
      const forget = Effect.gen(function* () {
        const { subjects } = lessons.votes
        for (let from = 0; from < subjects.length; from += most) {
          const gone = yield* forgottenAmong(subjects.slice(from, from + most))
          lessons.votes.forget(new Set(gone.map(({ id }) => id)))
        }
      })

      const readRows = Effect.andThen(readOn, recallOn)
      const areNew = haveMoved(standsOf([Learned, Retrievals]))
      const readNews = Effect.flatMap(areNew, (some) => (some || fails ? readRows : Effect.void))

      const stepBy = (reading: typeof readRows | typeof readNews) =>
        Effect.gen(function* () {
          yield* reading
          const now = yield* Clock.currentTimeMillis
          if (now - lookedAt >= lookAfter) {
            lookedAt = now
            yield* forget
          }
          yield* inSteps(lessons.settle())
          position = readTo
          fails = false
        }).pipe(
          Effect.provideService(SqlClient.SqlClient, sql),
          Effect.catchCause((cause): Effect.Effect<void> => {
            if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
            const said = fails ? Effect.void : Effect.logWarning("what was learned from votes can't be read on", cause)
            fails = true
            return said
          })
        )
      const step = stepBy(readRows)
      const catchUp = one.withPermits(1)(step)
      const lookOn = one.withPermits(1)(stepBy(readNews))
      // nothing is read if another caller's reading has reached the position
      const read = (to: number) => one.withPermits(1)(Effect.suspend(() => (position < to ? step : Effect.void)))

      const moves = yield* PubSub.subscribe(projector.moved)
      const names = new Set([schemaOf(Learned), schemaOf(Retrievals)])
      const moved = Effect.map(PubSub.takeAll(moves), (all) => all.some((name) => names.has(name)))
      yield* Effect.forkScoped(
        Effect.andThen(
          catchUp,
          Effect.forever(
            moved.pipe(
              Effect.map((mine) => (mine ? catchUp : Effect.void)),
              // another process may move the read models, and texts that were kept for a time go without a move
              Effect.timeoutOrElse({ duration: lookAfter, orElse: () => Effect.succeed(lookOn) }),
              Effect.flatten,
              Effect.andThen(Effect.sleep(pause))
            )
          )
        )
      )

      return Learning.of({
        reach: Effect.fnUntraced(function* (to) {
          const deadline = (yield* Clock.currentTimeMillis) + patience
          while (position < to && position !== stuckAt) {
            // at start there may be much to read
            yield* Effect.timeoutOption(read(to), patience)
            if (position >= to) return
            if (fails || (yield* Clock.currentTimeMillis) >= deadline) stuckAt = position
            else yield* Effect.sleep(pause / 5)
          }
        }),
        votesFor: (sight) => ({ [Symbol.iterator]: () => lessons.votesFor(sight) }),
        revision: () => lessons.revision
      })
    })
  )
}
