import { PassThrough } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import type { AllStreamRecordedEvent, KurrentDBClient } from "@kurrent/kurrentdb-client"
import { Effect } from "effect"
import type { StoredEvent } from "#engine/ports/EventStore.ts"
import { Kurrent } from "#infra/kurrent/client.ts"
import { follow } from "#infra/kurrent/follow.ts"
import { Log, logOf } from "#infra/kurrent/Log.ts"

type Position = { readonly commit: bigint; readonly prepare: bigint }
type Asked = Parameters<KurrentDBClient["subscribeToAll"]>[0] & {
  readonly filter: { readonly checkpointReached: (subscription: unknown, position: Position) => void }
}

const log = crypto.randomUUID()
const at = (commit: number): Position => ({ commit: BigInt(commit), prepare: BigInt(commit) })
const event = (commit: number) => ({
  event: {
    id: crypto.randomUUID(),
    streamId: "stream",
    type: "Noted",
    revision: 0n,
    isJson: false,
    data: Buffer.from("{}"),
    metadata: { cairn: log, tenant: "tenant" },
    position: at(commit)
  } as unknown as AllStreamRecordedEvent
})

/** What the client gives, and when it says how far the server is: with an event that nobody has taken yet. */
describe("a subscription whose connection breaks", () => {
  /** Follows what the client gives each time; gives where each subscription was to begin, and what was taken. */
  const following = (
    connections: ReadonlyArray<(subscription: PassThrough, asked: Asked) => void>,
    made: (subscription: PassThrough) => void = () => undefined
  ) =>
    Effect.gen(function* () {
      const from: Array<unknown> = []
      const taken: Array<number> = []
      const subscribeToAll = (asked: Asked) => {
        const subscription = new PassThrough({ objectMode: true })
        if (from.length === 0) made(subscription)
        const connection = connections[from.push(asked.fromPosition) - 1]
        // as the client does it: later
        setImmediate(() => connection?.(subscription, asked))
        return Object.assign(subscription, { unsubscribe: async () => undefined })
      }
      const kurrent = { client: { subscribeToAll } } as unknown as Kurrent["Service"]
      const take = ({ position }: StoredEvent) => Effect.sync(() => void taken.push(position))
      yield* Effect.forkScoped(
        follow(7, take, () => Effect.void).pipe(
          Effect.provideService(Kurrent, kurrent),
          Effect.provideService(Log, logOf(log))
        )
      )
      while (from.length <= Math.max(1, connections.length)) yield* Effect.sleep("2 millis")
      return { from, taken }
    }).pipe(Effect.scoped)

  it.live("goes on behind the last event that was taken, whatever the server has looked at", () =>
    Effect.gen(function* () {
      const { from, taken } = yield* following([
        (subscription, { filter }) => {
          subscription.write(event(10))
          subscription.write(event(20))
          filter.checkpointReached(subscription, at(20))
          // with what it has
          subscription.destroy(new Error("lost"))
        },
        (subscription) => {
          subscription.end(event(20))
        },
        (subscription, { filter }) => {
          filter.checkpointReached(subscription, at(90))
          subscription.emit("error", new Error("lost"))
        }
      ])
      const last = taken.at(-1)
      assert.strictEqual(last, 20)
      assert.deepStrictEqual(from[0], at(7))
      // of what was lost with the connection, nothing was seen
      assert.deepInclude([at(7), at(10)], from[1])
      assert.deepStrictEqual(from.slice(2), [at(20), at(90)])
    })
  )

  it.live("before anybody waits for it, as of a process with much else to do, is begun again", () =>
    Effect.gen(function* () {
      const { from } = yield* following([], (subscription) => {
        const iterate = subscription[Symbol.asyncIterator].bind(subscription)
        subscription[Symbol.asyncIterator] = () => {
          subscription.emit("error", new Error("lost"))
          return iterate()
        }
      })
      assert.deepStrictEqual(from, [at(7), at(7)])
    })
  )
})
