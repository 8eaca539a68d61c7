import { Context, Effect, Layer, PubSub, Semaphore } from "effect"
import { Bounds } from "#engine/ports/Bounds.ts"
import {
  type Advance,
  type Build,
  BuildMoved,
  type Difference,
  type Kept,
  type Met,
  ReadModels,
  ReadModelsUnavailable
} from "#engine/ports/ReadModels.ts"
import { beginning, type Position } from "../Position.ts"
import { dropped, folding, Given, type Projection, type Row, schemaOf, touched } from "../Projection.ts"
import { atOnce } from "../steps.ts"

type Rows = ReadonlyMap<string, Row>

/** One build as it is now. */
interface Kit {
  readonly projection: Projection
  readonly build: number
  position: Position
  changed: Position
  live: boolean
  tables: ReadonlyMap<string, Rows>
  /** Held while the build has to stay where it is. */
  readonly held: Semaphore.Semaphore
}

const empty = ({ tables }: Projection): ReadonlyMap<string, Rows> =>
  new Map(Object.keys(tables).map((table) => [table, new Map()]))

/** Reads the live build of read models in memory. */
export class Tables extends Context.Service<
  Tables,
  {
    /** A table's rows by id, as they are now; none if nobody has asked for the read model yet. */
    readonly rows: (projection: Projection, table: string) => ReadonlyMap<string, Row>
  }
>()("engine/memory/Tables") {}

/** Read models in memory, for tests and the example. They keep every promise of the port except durability. */
export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const most = yield* Bounds
    const given = yield* Given
    const kits = new Set<Kit>()
    const kept = new Map<string, ReadonlyArray<Kept>>()
    const reactions = new Map<string, Position>()
    const advance = ({ name, from, to }: Advance) => {
      if ((reactions.get(name) ?? beginning) !== from) return false
      reactions.set(name, to)
      return true
    }
    const moves = yield* PubSub.sliding<string>(64)

    const buildsOf = (projection: Projection) =>
      [...kits].filter((kit) => schemaOf(kit.projection) === schemaOf(projection))
    const liveOf = (projection: Projection) => buildsOf(projection).find(({ live }) => live)
    const asBuild = ({ projection, build, position, live }: Kit): Build => ({ projection, build, position, live })

    const make = (projection: Projection, live: boolean): Kit => {
      const build = Math.max(0, ...buildsOf(projection).map((kit) => kit.build)) + 1
      const kit: Kit = {
        projection,
        build,
        live,
        position: beginning,
        changed: beginning,
        tables: empty(projection),
        held: Semaphore.makeUnsafe(1)
      }
      kits.add(kit)
      return kit
    }

    const kitOf = ({ projection, build }: Build) => buildsOf(projection).find((kit) => kit.build === build)

    /** A build's tables after events, and whether any row may have changed. */
    const folded = (kit: Kit, events: Parameters<typeof folding>[2]) => {
      let changed = false
      const tables = new Map<string, Rows>()
      for (const [name, table] of Object.entries(kit.projection.tables)) {
        const ids = touched(table, events)
        if (ids.length === 0 && dropped(table, events).length === 0) {
          tables.set(name, kit.tables.get(name)!)
          continue
        }
        const rows = new Map<string, Row | undefined>(kit.tables.get(name)!)
        for (const id of ids) if (!rows.has(id)) rows.set(id, undefined)
        atOnce(folding(table, rows, events, given))
        tables.set(name, new Map([...rows].flatMap(([id, row]) => (row === undefined ? [] : [[id, row]]))))
        changed = true
      }
      return { tables, changed }
    }

    /** Holds builds one after the other, in one order everywhere. */
    const holding = <A, E, R>(held: ReadonlyArray<Kit>, use: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      held
        .toSorted((a, b) => (schemaOf(a.projection) < schemaOf(b.projection) ? -1 : 1))
        .reduceRight((inner, { held }) => held.withPermits(1)(inner), use)

    const apply: ReadModels["Service"]["apply"] = (builds, events, to) =>
      Effect.suspend(() => {
        const moved = new BuildMoved({ name: builds.map(({ projection }) => projection.name).join(", ") })
        const mine = builds.flatMap((build) => kitOf(build) ?? [])
        if (mine.length < builds.length) return Effect.fail(moved)
        const move = Effect.suspend(() => {
          const stand = mine.every((kit, index) => {
            const { position, live } = builds[index]!
            return kits.has(kit) && kit.position === position && kit.live === live
          })
          if (!stand) return Effect.fail(moved)
          // all changes are made before any of them can be seen
          const made = mine.map((kit) => folded(kit, events))
          for (const [index, kit] of mine.entries()) {
            kit.position = to
            kit.tables = made[index]!.tables
            if (made[index]!.changed) kit.changed = events.at(-1)!.position
          }
          return Effect.succeed(mine.map(asBuild))
        })
        return holding(mine, move)
      })

    /** Holds the live build where it is while `bring` brings another one there, then uses both. */
    const meeting = <A, E, R>(
      projection: Projection,
      bring: (live: Build) => Effect.Effect<Build, E, R>,
      use: (met: Met, live: Kit, rebuilt: Kit) => A
    ): Effect.Effect<A, E | ReadModelsUnavailable, R> =>
      Effect.suspend(() => {
        const replaced = new ReadModelsUnavailable({ message: `${projection.name} was just replaced` })
        const kit = liveOf(projection)
        if (kit === undefined) return Effect.fail(replaced)
        const meet = Effect.suspend((): Effect.Effect<A, E | ReadModelsUnavailable, R> => {
          if (!kit.live) return Effect.fail(replaced)
          const live = asBuild(kit)
          return Effect.map(bring(live), (rebuilt) => use({ live, rebuilt }, kit, kitOf(rebuilt)!))
        })
        return holding([kit], meet)
      })

    const differences = (live: Kit, rebuilt: Kit, limit: number): ReadonlyArray<Difference> => {
      let bytes = 0
      return Object.keys(live.projection.tables).flatMap((table) => {
        const [a, b] = [live.tables.get(table)!, rebuilt.tables.get(table)!]
        const json = (row: Row | undefined) => (row === undefined ? null : JSON.stringify(row))
        const ids = [...new Set([...a.keys(), ...b.keys()])].sort()
        const differing = ids.filter((id) => json(a.get(id)) !== json(b.get(id)))
        return differing.slice(0, limit).map((id) => {
          const full = bytes < most.bytes
          const shown = (row: Row | undefined) => (full ? json(row) : json(row && { id }))
          const difference = { table, id, live: shown(a.get(id)), rebuilt: shown(b.get(id)) }
          bytes += (difference.live?.length ?? 0) + (difference.rebuilt?.length ?? 0)
          return difference
        })
      })
    }

    const models = ReadModels.of({
      live: (projection) => Effect.sync(() => asBuild(liveOf(projection) ?? make(projection, true))),
      begin: (projection) =>
        Effect.sync(() => {
          for (const kit of buildsOf(projection)) if (!kit.live) kits.delete(kit)
          return asBuild(make(projection, false))
        }),
      apply,
      compare: (projection, bring, limit) =>
        meeting(projection, bring, (met, live, rebuilt) => ({
          ...met,
          differences: differences(live, rebuilt, limit)
        })),
      promote: (projection, bring) =>
        meeting(projection, bring, (met, live, rebuilt) => {
          live.live = false
          rebuilt.live = true
          rebuilt.changed = rebuilt.position
          return met
        }),
      keep: (build, schema) =>
        Effect.suspend(() => {
          const kit = kitOf(build)
          const { name } = build.projection
          if (kit === undefined || kit.live) return Effect.fail(new BuildMoved({ name }))
          const made = [...kit.tables].map(
            ([table, rows]): Kept => ({ table, name: `${schema}.${name}_${table}`, rows: rows.size })
          )
          const others = (kept.get(schema) ?? []).filter((one) => !made.some((now) => now.name === one.name))
          kept.set(schema, [...others, ...made])
          kits.delete(kit)
          return Effect.succeed(made)
        }),
      forget: (schema) => Effect.sync(() => kept.delete(schema)),
      unfinished: Effect.sync(() =>
        [...kits]
          .filter(({ live }) => !live)
          .map((kit) => ({ ...asBuild(kit), projection: { ...kit.projection, tables: {} } }))
      ),
      drop: (build) =>
        Effect.sync(() => {
          const kit = kitOf(build)
          if (kit !== undefined && !kit.live) kits.delete(kit)
        }),
      checkpoints: (projections) =>
        Effect.sync(
          () =>
            new Map(
              projections.flatMap((projection) => {
                const kit = liveOf(projection)
                return kit === undefined
                  ? []
                  : [[schemaOf(projection), { position: kit.position, changed: kit.changed }]]
              })
            )
        ),
      others: (projections) =>
        Effect.sync(() => {
          const known = new Set(projections.map(schemaOf))
          return [...kits]
            .filter(({ live, projection }) => live && !known.has(schemaOf(projection)))
            .map(({ projection: { name, version }, position }) => ({ name, version, position }))
        }),
      retire: ({ name, version, position }) =>
        Effect.sync(() => {
          const projection = { name, version, tables: {} }
          if (liveOf(projection)?.position !== position) return false
          for (const kit of buildsOf(projection)) kits.delete(kit)
          return true
        }),
      reaction: (name) => Effect.sync(() => reactions.get(name) ?? beginning),
      advance: (name, from, to) => Effect.sync(() => advance({ name, from, to })),
      advanceAll: (advances) => Effect.sync(() => new Set(advances.filter(advance).map(({ name }) => name))),
      // the process that tells hears it, too: all that share these read models are in this process
      tell: (names) => PubSub.publishAll(moves, names),
      told: PubSub.subscribe(moves)
    })
    const tables = Tables.of({
      rows: (projection, table) => liveOf(projection)?.tables.get(table) ?? new Map()
    })
    return Context.make(ReadModels, models).pipe(Context.add(Tables, tables))
  })
)
