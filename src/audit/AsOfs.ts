import { randomUUID } from "node:crypto"
import { Context, Data, Effect, Exit, Layer } from "effect"
import type { Codec } from "#engine/codec.ts"
import { isAfter, type Position } from "#engine/Position.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { Erased } from "#engine/texts.ts"
import { type AsOfTable, AsOfTables } from "#ports/AsOfTables.ts"
import { type ReplayProgress, type ReplayRecord, ReplayRecords } from "#ports/ReplayRecords.ts"
import { projections } from "#src/readModels.ts"
import { asOf, positionIn, schemaAt } from "./asOf.ts"
import { carried } from "./carried.ts"

/** How many positions may have read models of their own: each takes about as much of the disk as all that is live. */
export const mostAsOf = 4

/** The read models as of a position, and how far their making is. */
export interface AsOfCopy {
  readonly position: Position
  /** `broken_off`: its making ended without a word, and no process goes on with it. */
  readonly state: "making" | "made" | "failed" | "broken_off"
  /** From 0 to 1. */
  readonly progress: number
  /** Who made it, and when it was begun and done; `undefined`: the command line made it, and notes none of this. */
  readonly key: string | undefined
  readonly startedAt: Date | undefined
  readonly endedAt: Date | undefined
  readonly fault: string | undefined
  readonly tables: ReadonlyArray<Omit<AsOfTable, "schema">>
}

/** Its making was told to end, and has not ended yet. */
class StillMade extends Data.TaggedError("StillMade") {
  override readonly message = "read models as of a position are told to end, and are made still"
}

/** What came of the request to make one: it has begun, is there already, or what stands in its way. */
export type Begun = "begun" | "there" | "busy" | "full"

const stateOf = ({ state }: ReplayRecord): AsOfCopy["state"] => {
  if (state === "running") return "making"
  return state === "done" ? "made" : state === "failed" ? "failed" : "broken_off"
}

const recordOf = (all: ReadonlyArray<ReplayRecord>, schema: string) => all.find(({ name }) => name === schema)

/** How far the making is, counted in read models. */
const progressOf = (record: ReplayRecord): number => (record.state === "done" ? 1 : record.events / projections.length)

/**
 * Makes read models as of positions, in the background, one at a time among all processes on a database, and never
 * beside a replay. In the record of a making, `events` counts the read models that are made, `goal` is their position,
 * and `position` is the log's head when the making began: what was erased up to there is not in them.
 */
export class AsOfs extends Context.Service<
  AsOfs,
  {
    /** In the order of their positions. */
    readonly all: Effect.Effect<ReadonlyArray<AsOfCopy>, unknown>
    /** Begins to make one for a key. */
    readonly make: (position: Position, key: string) => Effect.Effect<Begun, unknown>
    /** Removes one, or ends its making, which may take a second. `false`: there is none. */
    readonly drop: (position: Position) => Effect.Effect<boolean, unknown>
    /** Removes those that may hold what an event at this position has erased; fails while one is being made. */
    readonly dropErased: (erased: Position) => Effect.Effect<void, unknown>
  }
>()("cairn/AsOfs") {
  static readonly layer = Layer.effect(
    AsOfs,
    Effect.gen(function* () {
      const records = yield* ReplayRecords
      const tables = yield* AsOfTables
      const models = yield* ReadModels
      const store = yield* EventStore
      const erased = yield* Erased
      const scope = yield* Effect.scope
      const context = yield* Effect.context<EventStore | ReadModels | Codec | ReplayRecords>()

      const all = Effect.gen(function* () {
        const noted = (yield* records.all).filter(({ name }) => positionIn(name) !== undefined)
        const made = Map.groupBy(yield* tables.all, ({ schema }) => schema)
        const names = [...new Set([...noted.map(({ name }) => name), ...made.keys()])]
        const copies = names.flatMap((schema): ReadonlyArray<AsOfCopy> => {
          const record = recordOf(noted, schema)
          const found = made.get(schema)
          // someone with access to the database may have dropped it
          if (found === undefined && record?.state === "done") return []
          return [
            {
              position: positionIn(schema)!,
              state: record === undefined ? "made" : stateOf(record),
              progress: record === undefined ? 1 : progressOf(record),
              key: record?.key,
              startedAt: record?.startedAt,
              endedAt: record?.endedAt ?? undefined,
              fault: record?.fault ?? undefined,
              tables: (found ?? []).map(({ name, rows, bytes }) => ({ name, rows, bytes }))
            }
          ]
        })
        return copies.sort((one, other) => one.position - other.position)
      })

      const remove = (schema: string) => Effect.andThen(models.forget(schema), records.forget(schema))

      const work = (id: string, position: Position, first: ReplayProgress, head: Position) => {
        const schema = schemaAt(position)
        return carried(
          id,
          `making ${schema}`,
          first,
          (tell) =>
            // `dropErased` does not end this for erasures before its beginning, so their texts must be gone first
            Effect.andThen(
              erased(head),
              Effect.forEach(projections, (projection, index) =>
                Effect.andThen(
                  asOf(projection, position, () => undefined),
                  Effect.sync(() => tell({ ...first, events: index + 1 }))
                )
              )
            ),
          (exit, out) =>
            Effect.gen(function* () {
              const record = recordOf(yield* records.all, schema)
              // this one was silent for too long, and another was begun in its place: the tables are that one's
              if (record !== undefined && record.id !== id) return
              if (record === undefined || Exit.isFailure(exit)) yield* models.forget(schema)
              if (record === undefined) return
              // its end may have been requested when it was almost made
              const unwanted = yield* records.end(id, { ...out, differences: [] })
              if (unwanted || out.outcome === "cancelled") yield* remove(schema)
            }).pipe(Effect.ignore)
        )
      }

      const drop = Effect.fnUntraced(function* (schema: string) {
        const record = recordOf(yield* records.all, schema)
        if (record?.state === "running" && (yield* records.cancel(schema))) return "wanted"
        const gone = yield* models.forget(schema)
        yield* records.forget(schema)
        return gone || record !== undefined ? "gone" : "none"
      })

      return AsOfs.of({
        all,
        // a caller that leaves in between would leave a record that no process goes on with
        make: Effect.fnUntraced(function* (position, key) {
          const schema = schemaAt(position)
          if ((yield* all).some((one) => one.position === position && one.state === "made")) return "there"
          const id = randomUUID()
          if (!(yield* records.begin({ id, name: schema, promote: false, key }))) return "busy"
          const head = yield* store.head
          const first: ReplayProgress = { position: head, goal: position, events: 0 }
          // counted only after `begin`, so that two requests at once are counted one after the other
          if ((yield* all).filter((one) => one.position !== position).length >= mostAsOf) {
            yield* records.end(id, { ...first, differences: [], fault: null, outcome: "cancelled" })
            yield* remove(schema)
            return "full"
          }
          yield* records.beat(id, first)
          yield* Effect.forkIn(Effect.provideContext(Effect.ignore(work(id, position, first, head)), context), scope)
          return "begun"
        }, Effect.uninterruptible),
        drop: (position) => Effect.map(drop(schemaAt(position)), (came) => came !== "none"),
        dropErased: Effect.fnUntraced(function* (erased) {
          const older = (yield* records.all).filter(
            ({ name, position }) => positionIn(name) !== undefined && (position === null || isAfter(erased, position))
          )
          const came = yield* Effect.forEach(older, ({ name }) => drop(name))
          // the process that makes it may be killed before it hears that it must end, and its tables would stay
          if (came.includes("wanted")) return yield* new StillMade()
        })
      })
    })
  )
}
