import { randomUUID } from "node:crypto"
import { Effect, Layer, Logger } from "effect"
import { UsageEvent } from "#domain/Usage.ts"
import * as MemoryEventStore from "#engine/memory/EventStore.ts"
import { beginning, type Position, positionOf } from "#engine/Position.ts"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { type Build, BuildMoved, ReadModels, ReadModelsUnavailable } from "#engine/ports/ReadModels.ts"
import { table } from "#projections/table.ts"
import * as Codec from "#src/codec.ts"

const model = (name: string, type: "KeyUsed" | "SnippetPublished"): Projection => ({
  name,
  version: 1,
  tables: {
    rows: table<{ readonly id: string }>({
      columns: { id: "text" },
      on: { [type]: { rows: () => [], to: () => undefined } }
    })
  }
})
export const [Keys, More, Snippets] = [
  model("keys", "KeyUsed"),
  model("more", "KeyUsed"),
  model("snips", "SnippetPublished")
]

/** One call to `apply`, as it went through. */
interface Applied {
  readonly models: string
  readonly keys: ReadonlyArray<string>
  readonly to: number
}

/**
 * Read models that note what they take in; a test says which of them can't, and may move them as another process does.
 */
export const world = (
  options: { readonly at?: Readonly<Record<string, number>> } = {},
  log = MemoryEventStore.layer
) => {
  const positions = new Map<string, Position>(
    Object.entries(options.at ?? {}).map(([name, at]) => [name, positionOf(at)])
  )
  const applied: Array<Applied> = []
  const broken = new Set<string>()
  const asked: Array<string> = []
  const away = new ReadModelsUnavailable({ message: "away" })
  let standings = 0
  let reads = 0
  let down = false
  /** What another process does between a look at a read model and the next call to apply. */
  const between: Array<() => void> = []
  const buildOf = (projection: Projection): Build => ({
    projection,
    build: 1,
    live: true,
    position: positions.get(projection.name) ?? beginning
  })
  const models = Layer.sync(ReadModels, () => {
    const models = {
      live: (projection: Projection) =>
        Effect.sync(() => {
          asked.push(projection.name)
          return buildOf(projection)
        }),
      apply: (builds: ReadonlyArray<Build>, events: ReadonlyArray<{ event: { key?: string } }>, to: Position) =>
        Effect.suspend((): Effect.Effect<ReadonlyArray<Build>, BuildMoved | ReadModelsUnavailable> => {
          const names = builds.map(({ projection }) => projection.name)
          between.shift()?.()
          if (builds.some((build) => build.position !== buildOf(build.projection).position)) {
            return Effect.fail(new BuildMoved({ name: names.join() }))
          }
          if (names.some((name) => broken.has(name))) return Effect.fail(away)
          for (const name of names) positions.set(name, to)
          applied.push({ models: names.join(), keys: events.map(({ event }) => event.key!), to })
          return Effect.succeed(builds.map((build) => ({ ...build, position: to })))
        }),
      checkpoints: (projections: ReadonlyArray<Projection>) =>
        Effect.suspend(() => {
          standings += 1
          if (down) return Effect.fail(away)
          const at = (one: Projection) => ({ position: buildOf(one).position, changed: beginning })
          return Effect.succeed(new Map(projections.map((one) => [schemaOf(one), at(one)])))
        })
    }
    return models as unknown as ReadModels["Service"]
  })
  const store = Layer.effect(
    EventStore,
    Effect.map(EventStore, (store) => ({
      ...store,
      readAll: (...args: Parameters<typeof store.readAll>) =>
        Effect.suspend(() => {
          reads += 1
          return store.readAll(...args)
        })
    }))
  ).pipe(Layer.provide(log))
  const layer = Layer.provideMerge(models, Layer.mergeAll(store, Codec.layer, Logger.layer([])))
  const looks = () => standings
  const pages = () => reads
  const isDown = (now: boolean) => void (down = now)
  return { positions, applied, broken, asked, between, looks, pages, isDown, layer }
}

export const used = Effect.fnUntraced(function* (...keys: ReadonlyArray<string>) {
  const { append, head } = yield* EventStore
  for (const key of keys) {
    const commandId = randomUUID()
    yield* append({
      tenant: "t",
      stream: `usage-${key}`,
      expected: "any",
      commands: [
        {
          commandId,
          correlationId: commandId,
          causationId: null,
          request: null,
          actor: { key: null, user: null, organization: null },
          events: [Codec.encode(UsageEvent.cases.KeyUsed.make({ key }))]
        }
      ]
    })
  }
  return yield* head
})

export const until = (condition: () => boolean) =>
  Effect.gen(function* () {
    while (!condition()) yield* Effect.yieldNow
  })

export const idle = Effect.forEach(Array.from({ length: 200 }), () => Effect.yieldNow, { discard: true })
