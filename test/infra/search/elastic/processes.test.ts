import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { newName } from "#test/elasticsearch/index.ts"
import { startProxy } from "#test/elasticsearch/proxy.ts"
import { isHere, shared } from "#test/elasticsearch/shared.ts"
import { type Call, send } from "#test/service/call.ts"
import { startProcess } from "#test/service/process.ts"
import { newInstallation, ownerKey, removeInstallation, type TestInstallation } from "#test/service.ts"
import { stored } from "../../../http/store.ts"

const [url] = (isHere ? await shared() : ["http://127.0.0.1:9"]) as [string]

const index = newName()

/** A process, by a way to Elasticsearch of its own. */
const start = async (installation: TestInstallation) => {
  const proxy = await startProxy(url)
  const service = startProcess(installation, {
    CAIRN_OWNER_KEY: ownerKey,
    CAIRN_RATE_LIMITS: "off",
    // whoever is waited for in vain is so for half of that
    CAIRN_READ_PATIENCE_MS: "20000",
    ELASTICSEARCH_URL: proxy.url,
    ELASTICSEARCH_INDEX: index
  })
  const [, at] = await service.said(/Cairn is at (http:\S+)/)
  const call: Call = (method, path, body, headers = {}) =>
    send(at!, method, path, body, { authorization: `Bearer ${ownerKey}`, ...headers })
  const found = async (name: string) => {
    const asked = { task: `${name} task`, top_k: 100, min_verdict_score: 0 }
    const { status, headers, text } = await call("POST", "/api/retrieve/search", asked)
    assert.deepStrictEqual([status, headers.get("cairn-stale")], [200, null], `${name}: ${text}`)
    assert.include(text, `${name}.py`)
  }
  return {
    call,
    found,
    wrote: () => proxy.seen.filter(({ path }) => path.includes("/_bulk")).length,
    cut: () => proxy.cutAfter(0, false),
    heal: proxy.heal,
    signal: (name: NodeJS.Signals) => process.kill(service.pid!, name),
    stop: async (signal?: NodeJS.Signals) => {
      await service.stop(signal)
      proxy.stop()
    }
  }
}

describe.skipIf(!isHere)("two processes on one Elasticsearch", () => {
  let installation: TestInstallation
  let one: Awaited<ReturnType<typeof start>>
  let two: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    installation = await newInstallation()
    // it has all that one of them has to itself
    one = await start(installation)
    await stored(one.call, "apricot")
    await one.found("apricot")
    two = await start(installation)
  })
  afterAll(async () => {
    await Promise.all([one?.stop("SIGKILL"), two?.stop("SIGKILL")])
    removeInstallation(installation)
  })

  it("are fed for by one of them, and each finds at once what its callers have stored, at whichever", async () => {
    for (const [at, name] of ["blueberry", "cherry", "damson", "elderberry"].entries()) {
      await stored((at % 2 === 0 ? one : two).call, name)
      await Promise.all([one.found(name), two.found(name)])
    }
    assert.isAbove(one.wrote(), 0)
    assert.strictEqual(two.wrote(), 0)
  })

  it("are fed for by the other one when the first does not reach it any more", async () => {
    one.cut()
    await stored(one.call, "fig")
    await two.found("fig")
    assert.isAbove(two.wrote(), 0)
    one.heal()
    const before = one.wrote()
    await stored(one.call, "gooseberry")
    await two.found("gooseberry")
    await one.found("gooseberry")
    assert.strictEqual(one.wrote(), before, "whoever feeds it goes on with it")
  })

  it("find what was stored also while the one that feeds it is stopped, and when it was killed", async () => {
    two.signal("SIGSTOP")
    try {
      await stored(one.call, "huckleberry")
      await one.found("huckleberry")
    } finally {
      two.signal("SIGCONT")
    }
    await two.found("huckleberry")
    const before = one.wrote()
    await two.stop("SIGKILL")
    for (const name of ["juniper", "kumquat"]) {
      await stored(one.call, name)
      await one.found(name)
    }
    assert.isAbove(one.wrote(), before)
  })
})
