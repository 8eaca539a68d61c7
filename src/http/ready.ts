import { Context, Effect, Layer } from "effect"
import { Asker } from "#engine/ask.ts"
import { LeftOut } from "#engine/leftOut.ts"
import { hasReached, type Position, positionOf } from "#engine/Position.ts"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Projector } from "#engine/project.ts"
import { Reacting } from "#engine/reacting.ts"
import { type Disk, Disks, nearlyFull } from "#src/disks.ts"
import { ByModel, type ModelLook } from "#src/snippets/embedding/ByModel.ts"
import { Indexing } from "#src/snippets/indexing.ts"

export interface Report {
  readonly status: "ready" | "starting" | "failing"
  /** Read model → `ok`, `behind`, or why it stopped. */
  readonly read_models: { readonly [name: string]: string }
  /** Reaction that this process runs → `ok`, `behind`, or why it stands still. Does not affect readiness. */
  readonly reactions: { readonly [name: string]: string }
  /**
   * What is unavailable at the moment; the service reconnects by itself. Without `search` or the `log` all else goes
   * on, and this process stays ready: every other one misses the same. Without the `database` nothing goes on.
   */
  readonly missing: ReadonlyArray<"database" | "log" | "search">
  /** The embedding model, if one is named: `ok`, `filling`, or what is wrong. Does not affect readiness. */
  readonly embeddings?: ModelLook
  /** Disks with so little room left that writes to them are refused. Does not affect readiness. */
  readonly nearly_full: ReadonlyArray<Disk>
  /**
   * Stored snippets that searches can't find by all of their text: how many, and some of their ids. Does not affect
   * readiness.
   */
  readonly left_out: {
    readonly count: number
    readonly snippets: ReadonlyArray<string>
    /** Streams for which a reaction to their events has not succeeded yet. */
    readonly streams: ReadonlyArray<string>
  }
}

type Standings = Effect.Success<Asker["Service"]["look"]>

/** The most ids that are told. */
const mostTold = 20

/**
 * Whether every read model, and the index, has passed the head that the log had at start. An index that becomes
 * unavailable later takes no process out of service.
 */
export class Readiness extends Context.Service<
  Readiness,
  {
    readonly look: Effect.Effect<Report>
    /** The same, from a look at the read models that was just taken; `undefined`: they can't be asked. */
    readonly report: (standings: Standings | undefined) => Effect.Effect<Report>
    /** The read models that it looks at. */
    readonly projections: ReadonlyArray<Projection>
  }
>()("cairn/Readiness") {
  static readonly layer = (projections: ReadonlyArray<Projection>) =>
    Layer.effect(
      Readiness,
      Effect.gen(function* () {
        const asker = yield* Asker
        const projector = yield* Projector
        const indexing = yield* Indexing
        const byModel = yield* ByModel
        const store = yield* EventStore
        const undone = yield* LeftOut
        const reacting = yield* Reacting
        const disks = yield* Disks
        const start = yield* store.head

        const report = Effect.fnUntraced(function* (standings: Standings | undefined) {
          const failures = yield* projector.failures
          const indexed = positionOf(yield* indexing.position)
          const fault = yield* indexing.fault
          const away = yield* indexing.away
          const passed = (position: Position | undefined) => position !== undefined && hasReached(position, start)
          const read_models = Object.fromEntries([
            ...projections.map((projection): [string, string] => {
              const name = schemaOf(projection)
              const fine = passed(standings?.models.get(name)?.position) ? "ok" : "behind"
              return [name, failures.get(name) ?? fine]
            }),
            ["snippet_index", fault ?? (passed(indexed) ? "ok" : "behind")]
          ])
          // an index that once had all of it finds it again
          const goesOn = (away || fault === undefined) && passed(positionOf(yield* indexing.furthest))
          const states = Object.entries(read_models).flatMap(([name, state]) =>
            name === "snippet_index" && goesOn ? [] : [state]
          )
          const fine = states.every((state) => state === "ok")
          const status = fine
            ? "ready"
            : standings !== undefined && states.every((state) => ["ok", "behind"].includes(state))
              ? "starting"
              : "failing"
          const missing = [
            ...(standings === undefined ? (["database"] as const) : []),
            ...(standings?.away ? (["log"] as const) : []),
            ...(away ? (["search"] as const) : [])
          ]
          const nearly_full = nearlyFull(disks())
          const leftOut = yield* indexing.leftOut
          const streams = new Set([...undone.values()].flatMap((events) => events.map(({ stream }) => stream)))
          const left_out = {
            count: leftOut.size,
            snippets: [...leftOut.keys()].slice(0, mostTold),
            streams: [...streams].slice(0, mostTold)
          }
          const reactions = Object.fromEntries(
            [...(reacting ?? [])].map(([name, progress]) => {
              const { lag, fault } = progress()
              return [name, fault ?? (lag === 0 ? "ok" : "behind")]
            })
          )
          const embeddings = yield* byModel.look
          const told: Report = { status, read_models, reactions, missing, nearly_full, left_out }
          return embeddings === undefined ? told : { ...told, embeddings }
        })
        const look = Effect.suspend(() => asker.look).pipe(
          Effect.orElseSucceed(() => undefined),
          Effect.flatMap(report)
        )
        return Readiness.of({ look, report, projections })
      })
    )
}
