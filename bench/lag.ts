import { randomUUID } from "node:crypto"
import { Effect, Layer, PubSub } from "effect"
import { UsageEvent } from "#domain/Usage.ts"
import { schemaOf } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { Projector } from "#engine/project.ts"
import * as Postgres from "#infra/postgres/client.ts"
import * as PostgresEventStore from "#infra/postgres/log/layer.ts"
import * as PostgresReadModels from "#infra/postgres/readModels/layer.ts"
import * as EmbeddingTable from "#infra/search/embeddings/layer.ts"
import { KeyUsage } from "#projections/KeyUsage.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import * as Codec from "#src/codec.ts"
import { benchDatabase } from "./database.ts"
import { nobodys } from "./nobodys.ts"
import { type Measured, milliseconds, percentile, thousands } from "./report.ts"

const model = schemaOf(KeyUsage)

/**
 * From the append's answer until the read model has passed it: idle, one by one, and under a steady stream of events.
 */
export const lag = (scale: number) =>
  Effect.gen(function* () {
    const { url } = yield* benchDatabase
    const services = yield* Layer.build(
      Projector.layer([KeyUsage, Snippets]).pipe(
        Layer.provideMerge(Layer.mergeAll(Codec.layer, PostgresEventStore.layer, PostgresReadModels.layer)),
        Layer.provideMerge(EmbeddingTable.layer),
        Layer.provideMerge(Postgres.layer(url))
      )
    )
    return yield* Effect.gen(function* () {
      const store = yield* EventStore
      const models = yield* ReadModels
      const { moved } = yield* Projector
      const append = Effect.suspend(() => {
        const commandId = randomUUID()
        const event = Codec.encode(UsageEvent.cases.KeyUsed.make({ key: commandId }))
        return store.append({
          tenant: "t",
          stream: `usage-${commandId}`,
          expected: "none",
          commands: [nobodys(commandId, [event])]
        })
      })
      const moves = yield* PubSub.subscribe(moved)
      const passed = Effect.fnUntraced(function* (position: number) {
        for (;;) {
          const checkpoints = yield* models.checkpoints([KeyUsage])
          if ((checkpoints.get(model)?.position ?? 0) >= position) return
          yield* PubSub.take(moves)
        }
      })
      const once = Effect.gen(function* () {
        const { positions } = yield* append
        const answered = performance.now()
        yield* passed(positions[0]!)
        return performance.now() - answered
      })
      yield* Effect.replicateEffect(once, 50)
      const idle = yield* Effect.replicateEffect(once, Math.max(50, 500 * scale))
      const perTick = 50
      const ticks = Math.max(50, 300 * scale)
      const started = performance.now()
      yield* Effect.forkScoped(
        Effect.gen(function* () {
          for (let tick = 0; tick < ticks; tick++) {
            yield* Effect.forkScoped(Effect.replicateEffect(append, perTick, { concurrency: "unbounded" }))
            const due = started + (tick + 1) * 10
            const wait = due - performance.now()
            if (wait > 0) yield* Effect.sleep(wait)
          }
        })
      )
      const busy: Array<number> = []
      while (performance.now() < started + ticks * 10 - 100) busy.push(yield* once)
      const rate = (ticks * perTick) / ((performance.now() - started) / 1000)
      const row = (name: string, samples: ReadonlyArray<number>, bar: string, limit: number): Measured => {
        const p99 = percentile(samples, 0.99)
        const value = `p50 ${milliseconds(percentile(samples, 0.5))}, p99 ${milliseconds(p99)}`
        return { name, value, bar, met: bar === "" ? null : p99 < limit }
      }
      return [
        row("projection lag, idle", idle, "p99 < 5 ms", 5),
        row(`projection lag at ${thousands(rate)} events/s`, busy, "", 0)
      ]
    }).pipe(Effect.provide(services))
  }).pipe(Effect.scoped)
