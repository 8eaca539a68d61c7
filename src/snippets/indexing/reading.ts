import { Cause, Clock, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { inSteps } from "#engine/pages.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { type IndexStand, IndexUnavailable, SnippetIndex } from "#ports/SnippetIndex.ts"
import { type indexChanges, leftOutUpTo, type RowsAtOnce } from "#projections/Snippets/changes.ts"
import type { WhyLeftOut } from "#projections/Snippets/rows.ts"
import { haveMoved, type standsOf } from "#projections/stands.ts"
import { snippetsOf } from "./snippetsOf.ts"

/** What an index is filled from: the catalogue's changes after a position, with their vectors. */
export interface Source {
  /** The next changes, up to where they may be taken in. */
  readonly read: (after: number, page: RowsAtOnce) => ReturnType<typeof indexChanges>
  /** Where the source stands, if one statement can tell: while that stays the same, there is nothing new to read. */
  readonly stands?: ReturnType<typeof standsOf>
  /** Whether to log snippets that can't be found by all of their text; of indexes over the same rows, one does. */
  readonly tells: boolean
}

/** Rows of the catalogue that are taken in at once, and their bytes: reading them holds up all other work. */
const page = { rows: 2_000, bytes: 2 * 1024 * 1024 }
/** Ids in one line of the service's log. */
const told = 100
/** Milliseconds between two looks at what another process has left out: each look reads all of the catalogue. */
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
 * Moves an index on as this process feeds it, or hears how far another has fed it, one step after another. `arrived` is
 * told each position that the index reaches.
 */
export const makeReading = Effect.fnUntraced(function* (
  { read: readChanges, stands: standsNow, tells }: Source,
  arrived: (position: number) => Effect.Effect<void>
) {
  const sql = yield* SqlClient.SqlClient
  const index = yield* SnippetIndex
  const most = yield* Bounds
  const leftOut = new Map<string, WhyLeftOut | "refused">()
  /** The stand that `leftOut` belongs to, and when it was read. */
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

  /** Logs what became of each snippet, once. */
  const tell = Effect.fnUntraced(function* (before: ReadonlyMap<string, string>) {
    const news = [...leftOut].filter(([id, why]) => before.get(id) !== why)
    for (let at = 0; at < news.length; at += told) {
      const some = news.slice(at, at + told).map(([id, why]) => `${id} (${why})`)
      yield* Effect.logWarning(`snippets that are not found by all that they say: ${some.join(", ")}`)
    }
  })

  /** Reads which snippets were left out of what the index holds, by any process. */
  const readLeftOut = Effect.fnUntraced(function* (of: IndexStand) {
    const { position, refused } = of
    leftOutOf = of
    leftOutAt = yield* Clock.currentTimeMillis
    const found = position === 0 ? [] : yield* leftOutUpTo(position)
    leftOut.clear()
    for (const { id, left_out } of found) leftOut.set(id, left_out)
    for (const id of refused ?? []) leftOut.set(id, "refused")
  })

  /** Reads where the index is, and what was left out of it before; logs that if the index is this process's own. */
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
      // another build was promoted, perhaps because this one was wrong: read all of it again, over what the index holds
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
    // rows that come later are announced
    return more && position > from.position
  })

  /**
   * Whether nothing is new since this was last asked, and the index holds everything up to then. For an index outside
   * this service, `false`: only a reading shows whether it is there.
   */
  const isStill = Effect.gen(function* () {
    if (moved === undefined || index.sharedAs !== undefined || fault !== undefined) return false
    return !(yield* moved) && (yield* index.stand).position === stand?.position
  }).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.orElseSucceed(() => false)
  )

  /** Asks an index that another process feeds how far it is. */
  const hear = Effect.gen(function* () {
    const found = yield* index.stand
    const { build, position } = leftOutOf
    // first of all, since callers wait for it
    yield* stands(found)
    const isLater = (yield* Clock.currentTimeMillis) - leftOutAt >= between
    if (build !== found.build || (isLater && position !== found.position)) yield* readLeftOut(found)
    return false
  })

  /** Logs once that reading can't go on. The next reading begins with where the index itself says that it is. */
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
    /** Takes in the next rows of the catalogue. Gives whether there may be more. */
    read: orFault(step),
    isStill,
    /** The same for an index that another process feeds: asks only how far it is. */
    hear: orFault(hear),
    /** The next reading begins where the index itself says that it is. */
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
