import { Cause, Clock, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { inSteps } from "#engine/pages.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { type IndexStand, IndexUnavailable, SnippetIndex } from "#ports/SnippetIndex.ts"
import { type indexChanges, leftOutUpTo, type RowsAtOnce } from "#projections/Snippets/changes.ts"
import type { WhyLeftOut } from "#projections/Snippets/rows.ts"
import { haveMoved, type standsOf } from "#projections/stands.ts"
import { snippetsOf } from "./snippetsOf.ts"

/** What an index is filled from: the catalogue's changes behind a position, with the vectors that it has. */
export interface Source {
  /** Up to where it may be taken in. */
  readonly read: (after: number, page: RowsAtOnce) => ReturnType<typeof indexChanges>
  /** Where it stands, where one statement tells: as long as it is the same, there is nothing new to be read. */
  readonly stands?: ReturnType<typeof standsOf>
  /** Whether it is said of each snippet what can't be found of it: once of all that read the same rows. */
  readonly tells: boolean
}

/** Rows of the catalogue that are taken in at once, and bytes of them: what is read on end holds up all others. */
const page = { rows: 2_000, bytes: 2 * 1024 * 1024 }
/** Ids in one line of the log. */
const told = 100
/**
 * Milliseconds between two looks at what another process has left out: each of them passes over all of the catalogue.
 */
const between = 10_000

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
 * How an index gets on, as this process feeds it, or hears it say; one thing after another. `arrived` hears of each
 * place to which it has come.
 */
export const makeReading = Effect.fnUntraced(function* (
  { read: readChanges, stands: standsNow, tells }: Source,
  arrived: (position: number) => Effect.Effect<void>
) {
  const sql = yield* SqlClient.SqlClient
  const index = yield* SnippetIndex
  const most = yield* Bounds
  const leftOut = new Map<string, WhyLeftOut | "refused">()
  /** Of which place that is, and when it was looked at. */
  let leftOutOf: IndexStand = { build: undefined, position: 0 }
  let leftOutAt = 0
  let stand: IndexStand | undefined
  let isAnew = false
  let fault: string | undefined
  let isAway = false
  let furthest = 0
  const moved = standsNow && haveMoved(standsNow)

  const stands = (at: IndexStand) =>
    Effect.suspend(() => {
      const isNew = stand?.position !== at.position
      stand = at
      furthest = Math.max(furthest, at.position)
      return isNew ? arrived(at.position) : Effect.void
    })

  /** Says once of each snippet what became of it. */
  const tell = Effect.fnUntraced(function* (before: ReadonlyMap<string, string>) {
    const news = [...leftOut].filter(([id, why]) => before.get(id) !== why)
    for (let at = 0; at < news.length; at += told) {
      const some = news.slice(at, at + told).map(([id, why]) => `${id} (${why})`)
      yield* Effect.logWarning(`snippets that are not found by all that they say: ${some.join(", ")}`)
    }
  })

  /** What was left out of what it holds, by whichever process. */
  const readLeftOut = Effect.fnUntraced(function* (of: IndexStand) {
    const { position, refused } = of
    leftOutOf = of
    leftOutAt = yield* Clock.currentTimeMillis
    const found = position === 0 ? [] : yield* leftOutUpTo(position)
    leftOut.clear()
    for (const { id, left_out } of found) leftOut.set(id, left_out)
    for (const id of refused ?? []) leftOut.set(id, "refused")
  })

  /** Where the index says that it is, and what it had left out before this process came: of its own it says so. */
  const begin = Effect.gen(function* () {
    const before = new Map(leftOut)
    const found = yield* index.stand
    yield* readLeftOut(found)
    if (tells && index.sharedAs === undefined) yield* tell(before)
    return found
  })

  const step = Effect.gen(function* () {
    const from = stand === undefined || isAnew ? yield* begin : stand
    isAnew = false
    yield* stands(from)
    const changes = yield* readChanges(from.position, {
      rows: Math.min(page.rows, most.count),
      bytes: Math.min(page.bytes, most.bytes)
    })
    const { build, position, more } = changes
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
    const put = yield* inSteps(snippetsOf(changes.put))
    const voted = changes.voted.map(({ human_up, ...votes }) => ({ ...votes, humanUp: human_up }))
    const upTo = { build, position }
    const { refused } = yield* index.apply({ put, voted, removed: changes.removed }, upTo)
    for (const id of refused) leftOut.set(id, "refused")
    for (const id of changes.removed) leftOut.delete(id)
    if (tells) yield* tell(before)
    yield* stands(upTo)
    // what comes later says so
    return more && position > from.position
  })

  /**
   * Whether the index has all that there was when this was asked before, and nothing has come since. Of one that is
   * elsewhere only a reading shows whether it is there.
   */
  const isStill = Effect.gen(function* () {
    if (moved === undefined || index.sharedAs !== undefined || fault !== undefined) return false
    return !(yield* moved) && (yield* index.stand).position === stand?.position
  }).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.orElseSucceed(() => false)
  )

  /** Hears where it is, of an index that another process feeds. */
  const hear = Effect.gen(function* () {
    const found = yield* index.stand
    const { build, position } = leftOutOf
    // before all else: others wait for it
    yield* stands(found)
    const isLater = (yield* Clock.currentTimeMillis) - leftOutAt >= between
    if (build !== found.build || (isLater && position !== found.position)) yield* readLeftOut(found)
    return false
  })

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

  const orFault = (reading: typeof step | typeof hear) =>
    reading.pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      Effect.tap(() => {
        const wasAway = fault !== undefined
        fault = undefined
        isAway = false
        return wasAway ? Effect.logInfo("the snippet index is back") : Effect.void
      }),
      (reading) => unlessInterrupted(reading, failed)
    )

  return {
    /** Takes in the next rows of the catalogue: whether there may be more. */
    read: orFault(step),
    isStill,
    /** The same for an index that another process feeds: only asks where it is. */
    hear: orFault(hear),
    /** What is fed from here on begins where the index itself says that it is. */
    anew: () => {
      isAnew = true
    },
    position: () => stand?.position ?? 0,
    furthest: () => furthest,
    fault: () => fault,
    isAway: () => isAway,
    leftOut: () => new Map(leftOut) as ReadonlyMap<string, WhyLeftOut | "refused">
  }
})
