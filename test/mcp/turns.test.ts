import { setImmediate } from "node:timers"
import type { Fiber } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { FairScheduler } from "#src/process/scheduler.ts"
import {
  newInstallation,
  ownerKey,
  removeInstallation,
  type Service,
  startService,
  type TestInstallation
} from "#test/service.ts"
import { initialize, post, request } from "./rpc.ts"

/**
 * A machine that stands still for longer than a stretch each time a fiber of the service begins or is woken, and never
 * otherwise: whoever began it goes on.
 */
const standing = () => {
  let now = 0
  let isWorking = false
  const machine = { stands: false }
  class Standing extends FairScheduler {
    override shouldYield(fiber: Fiber.Fiber<unknown, unknown>): boolean {
      isWorking = fiber.currentOpCount > 1
      if (machine.stands && !isWorking) now += 11
      const gives = super.shouldYield(fiber)
      isWorking = false
      return gives
    }
  }
  return { machine, scheduler: new Standing({ now: () => (isWorking ? 0 : now), later: setImmediate }) }
}

describe("where the time is over for each fiber as it begins", () => {
  let installation: TestInstallation
  const { machine, scheduler } = standing()
  let a: Service
  let b: Service
  beforeAll(async () => {
    installation = await newInstallation()
    const start = () => startService({ CAIRN_DATABASE_CONNECTIONS: "6" }, installation, undefined, scheduler)
    a = await start()
    b = await start()
    machine.stands = true
  })
  afterAll(async () => {
    machine.stands = false
    await a.stop()
    await b.stop()
    removeInstallation(installation)
  })

  const asked: ReadonlyArray<readonly [string, Record<string, unknown>]> = [
    ["tools/list", {}],
    ["tools/call", { name: "search", arguments: { task: "anything", top_k: 1 } }],
    ["tools/call", { name: "patterns", arguments: {} }],
    ["resources/list", {}],
    ["resources/templates/list", {}],
    ["resources/read", { uri: "cairn://skill.md" }],
    ["resources/read", { uri: "cairn://nothing" }],
    ["nothing", {}]
  ]

  /** Each has its own answer, a result or an error. */
  const answered = (answers: ReadonlyArray<Awaited<ReturnType<typeof post>>>, ids: ReadonlyArray<unknown>) =>
    assert.deepStrictEqual(
      answers.map(({ json, text }) => [json?.id, json?.result !== undefined || json?.error?.code < 0 || text]),
      ids.map((id) => [id, true])
    )

  it("each request is answered, without a session", async () => {
    for (const [method, params] of asked) {
      const { json, text } = await request(a.url, ownerKey, method, params)
      assert.isDefined(json?.result ?? json?.error, `${method}: ${text}`)
      assert.isNumber(json.id, text)
    }
  })

  it("each request of a session is answered, many at once, and where it is begun again", async () => {
    for (const { url } of [a, b]) {
      const session = await initialize(a.url, ownerKey)
      const answers = await Promise.all(
        asked.map(([method, params], id) => post(url, ownerKey, { jsonrpc: "2.0", id, method, params }, session))
      )
      answered(answers, [...asked.keys()])
    }
  })

  it("each request of a batch is answered", async () => {
    for (const { url } of [a, b]) {
      const session = await initialize(a.url, ownerKey, "2025-03-26")
      const batch = asked.map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params }))
      const { status, text } = await post(url, ownerKey, batch, session)
      assert.strictEqual(status, 200, text)
      const lines = text.startsWith("[") ? [text] : [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data!)
      const messages: ReadonlyArray<{ id: number }> = lines.flatMap((line) => JSON.parse(line))
      assert.sameMembers(
        messages.map(({ id }) => id),
        [...asked.keys()]
      )
    }
  })

  it("nothing is said of it in the log", () => {
    const faults = [...a.log, ...b.log].filter((line) => /ended without writing/.test(line))
    assert.deepStrictEqual(faults, [])
  })
})
