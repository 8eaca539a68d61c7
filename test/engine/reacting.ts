import { randomUUID } from "node:crypto"
import { Effect, Layer, Logger, References } from "effect"
import type { DomainEvent } from "#domain/events.ts"
import { UsageEvent } from "#domain/Usage.ts"
import { UserEvent } from "#domain/User.ts"
import { LeftOut } from "#engine/leftOut.ts"
import * as MemoryEventStore from "#engine/memory/EventStore.ts"
import type { Position } from "#engine/Position.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { type Advance, ReadModels } from "#engine/ports/ReadModels.ts"
import { Tail } from "#engine/tail.ts"
import * as Codec from "#src/codec.ts"

type Store = EventStore["Service"]

/**
 * Checkpoints in memory, which another process may move as well, and a store in memory, some of whose operations a test
 * replaces.
 */
export const world = (change: (store: Store) => Partial<Store> = () => ({}), log = MemoryEventStore.layer) => {
  const checkpoints = new Map<string, number>()
  /** Each time that a checkpoint was asked for, and each that it was to be moved. */
  const asked: Array<string> = []
  const advances: Array<readonly [string, number, number]> = []
  /** Of how many at once those were that were to be moved together. */
  const goes: Array<number> = []
  const advance = ({ name, from, to }: Advance) => {
    advances.push([name, from, to])
    if ((checkpoints.get(name) ?? 0) !== from) return false
    checkpoints.set(name, to)
    return true
  }
  const models = Layer.succeed(ReadModels, {
    reaction: (name: string) =>
      Effect.sync(() => {
        asked.push(name)
        return checkpoints.get(name) ?? 0
      }),
    advance: (name: string, from: Position, to: Position) => Effect.sync(() => advance({ name, from, to })),
    advanceAll: (steps: ReadonlyArray<Advance>) =>
      Effect.sync(() => {
        goes.push(steps.length)
        return new Set(steps.filter(advance).map(({ name }) => name))
      })
  } as unknown as ReadModels["Service"])
  const store = Layer.effect(
    EventStore,
    Effect.map(EventStore, (store) => ({ ...store, ...change(store) }))
  ).pipe(Layer.provide(log))
  /** What was logged: the level, the message, and what is noted with it. */
  const logged: Array<readonly [string, string, Readonly<Record<string, unknown>>]> = []
  const logger = Logger.make(({ fiber, logLevel, message }) => {
    logged.push([logLevel, [message].flat().join(" "), { ...fiber.getRef(References.CurrentLogAnnotations) }])
  })
  return {
    checkpoints,
    asked,
    advances,
    goes,
    logged,
    layer: Layer.mergeAll(
      Codec.layer,
      Layer.provideMerge(Tail.layer, store),
      models,
      LeftOut.layer,
      Logger.layer([logger])
    )
  }
}

const happened = Effect.fnUntraced(function* (stream: string, event: DomainEvent) {
  const { append } = yield* EventStore
  const commandId = randomUUID()
  const { positions } = yield* append({
    tenant: "t",
    stream,
    expected: "any",
    commands: [
      {
        commandId,
        correlationId: commandId,
        causationId: null,
        request: null,
        actor: { key: null, user: null, organization: null },
        events: [Codec.encode(event)]
      }
    ]
  })
  return positions[0]!
})

export const used = (key: string) => happened(`usage-${key}`, UsageEvent.cases.KeyUsed.make({ key }))

/** An event with text. */
export const registered = (user: string) =>
  happened(
    `user-${user}`,
    UserEvent.cases.UserRegistered.make({ user, subject: user, text: { email: "a@example.org", secret: "s" } })
  )

export const until = (condition: () => boolean) =>
  Effect.gen(function* () {
    while (!condition()) yield* Effect.yieldNow
  })

/** Whatever would run without anybody's doing has run. */
export const idle = Effect.forEach(Array.from({ length: 200 }), () => Effect.yieldNow, { discard: true })
