import { Effect, Layer, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import * as Client from "#infra/postgres/client.ts"
import * as Store from "#infra/PostgresEventStore/layer.ts"
import { EventStore } from "#ports/EventStore.ts"
const url = Redacted.make(process.env.PGURL ?? "postgres://postgres@127.0.0.1:5599/postgres")
const program = Effect.gen(function* () {
  const store = yield* EventStore
  const one = Effect.gen(function* () {
    const id = randomUUID()
    return yield* store.append({ tenant: "t", stream: `s-${id}`, expected: "none", commands: [{ commandId: id, correlationId: id, causationId: null, actor: { key: null, user: null, organization: null }, erases: [], request: null, events: [{ type: "KeyUsed", schemaVersion: 1, data: '{"a":1,"b":"some data of about a hundred characters, like an id or two and a number or so 1234567890"}', payload: null }] }] })
  })
  for (const [clients, n] of [[1, 500], [32, 20000], [256, 60000], [256, 60000]] as const) {
    const t = performance.now()
    yield* Effect.all(Array.from({ length: clients }, () => Effect.repeat(one, { times: Math.floor(n / clients) - 1 })), { concurrency: "unbounded" })
    console.log(clients, Math.round((n / (performance.now() - t)) * 1000), "appends/s")
  }
  for (const limit of [5000,5000]) { let at = 0, n = 0; const t = performance.now(); while (true) { const es = yield* store.readAll(at, { limit }); if (es.length === 0) break; n += es.length; at = es.at(-1)!.position } console.log("read", Math.round(n / (performance.now() - t) * 1000)) }
})
Effect.runPromise(program.pipe(Effect.provide(Store.layer.pipe(Layer.provide(Client.layer(url))))) as any).catch(console.error).finally(()=>process.exit())
