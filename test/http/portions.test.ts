import { Effect, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { Answers, copies } from "#src/http/answers.ts"
import { fewShotExamples } from "#src/http/Patterns.ts"
import { foundLogs } from "#src/http/Raw.ts"
import { search } from "#src/http/Snippets/search.ts"
import { organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { recorded } from "./executed.ts"
import { stored } from "./store.ts"

const count = 6
const task = "count tall herons"
const lines = 20_000
const content = (n: number) => `def herons${n}(rows):\n${"    rows = sorted(rows)\n".repeat(lines)}    return rows\n`
const large = content(0).length

let service: Service
let tenant: string
beforeAll(async () => {
  service = await startService()
  const organized = await organization(service, "PRO")
  tenant = organized.id
  for (let n = 0; n < count; n++) {
    const name = `herons${n}`
    const execution_logs = `seen ${"herons and storks\n".repeat(5_000)}`
    await stored(organized.call, name, {
      task,
      file_written: { path: `${name}.py`, content: content(n) },
      execution_logs
    })
    const { json } = await organized.call("POST", "/api/retrieve/search", { task: name, top_k: 1 })
    const id = json.matches[0].code_block.id
    await recorded(organized.call, id, { io: { input_data: { a: "i".repeat(200_000) }, output_data: n } })
  }
})
afterAll(() => service.close())

/** Runs for a request of the tenant's, and says how much room it took in all, and at a time. */
const taking = <A>(run: Effect.Effect<A, unknown, never>) => {
  let [all, most, held] = [0, 0, 0]
  const answers = {
    take: (bytes: number) =>
      Effect.sync(() => {
        all += bytes
        held += bytes
        most = Math.max(most, held)
        let mine = bytes
        const hold = (now: number) => {
          held += now - mine
          mine = now
        }
        return { enter: Effect.void, hold, leave: () => hold(0) }
      })
  }
  const holder = { tenant, organization: tenant, user: "u", email: "o@example.org", key: "k", role: "owner" }
  const scope = { home: tenant, homes: [tenant], includePublic: false, agent: null, workspace: null }
  const provided = run.pipe(
    Effect.provideService(Answers as never, answers as never),
    Effect.provideService(Caller as never, holder as never),
    Effect.provideService(CallerScope as never, scope as never),
    Effect.provideService(HttpServerRequest.HttpServerRequest as never, {} as never)
  )
  return Effect.map(provided as Effect.Effect<A>, (value) => ({ value, all, most }))
}

/** How many rows come at a time. */
const sizes = (rows: Stream.Stream<ReadonlyArray<unknown>, unknown, unknown>) =>
  Stream.runCollect(Stream.map(rows, ({ length }) => length)) as unknown as Effect.Effect<ReadonlyArray<number>>

describe("large texts that are found", () => {
  it("by a search are read one by one, each when the one before was taken", async () => {
    const found = Effect.flatMap(search({ task, top_k: count }), ({ matches }) => sizes(matches))
    const { value, all, most } = await service.run(taking(found as unknown as Effect.Effect<ReadonlyArray<number>>))
    assert.deepStrictEqual(value, Array(count).fill(1))
    assert.isAtLeast(all, copies * count * large)
    assert.isBelow(most, copies * 1.1 * large)
  })

  it("as examples are read one by one, each with its run, whose data has room too", async () => {
    const found = Effect.flatMap(fewShotExamples({ task, k: count }), ({ examples }) => sizes(examples.rows))
    const { value, all, most } = await service.run(taking(found as unknown as Effect.Effect<ReadonlyArray<number>>))
    assert.deepStrictEqual(value, Array(count).fill(1))
    assert.isAtLeast(all, copies * count * (large + 200_000))
    assert.isBelow(most, copies * 1.1 * (large + 200_000))
  })

  it("in logs are read one by one, and of each is left what is shown", async () => {
    const found = Effect.flatMap(foundLogs({ query: "storks", limit: 100 }), ({ matches }) => sizes(matches.rows))
    const { value } = await service.run(taking(found as unknown as Effect.Effect<ReadonlyArray<number>>))
    assert.deepStrictEqual(value, Array(count).fill(1))
  })
})
