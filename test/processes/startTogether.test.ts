import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { schemaOf } from "#engine/Projection.ts"
import { projections } from "#src/readModels.ts"
import { isLong } from "#test/long.ts"
import { connectTo } from "#test/postgres.ts"
import { send } from "#test/service/call.ts"
import { startCli, startServed } from "#test/service/process.ts"
import { newInstallation, removeInstallation, type TestInstallation } from "#test/service.ts"

const count = isLong ? 10 : 2
const minutes = 60_000

describe(`${count} whole services that start at once on an empty database`, () => {
  let installation: TestInstallation
  const services: Array<ReturnType<typeof startServed>> = []
  const urls: Array<string> = []
  let database: Awaited<ReturnType<typeof connectTo>>

  beforeAll(async () => {
    installation = await newInstallation()
    database = await connectTo(installation)
    const environment = { CAIRN_RATE_LIMITS: "off", CAIRN_DATABASE_CONNECTIONS: "6", ANTHROPIC_API_KEY: "none" }
    const since = performance.now()
    for (let n = 0; n < count; n++) services.push(startServed(installation, environment))
    const said = await Promise.all(services.map((service) => service.said(/Cairn is at (http:\S+)/)))
    urls.push(...said.map(([, url]) => url!))
    await vi.waitFor(
      async () => {
        for (const url of urls) assert.strictEqual((await fetch(`${url}/ready`)).status, 200)
      },
      { timeout: 5 * minutes }
    )
    const seconds = ((performance.now() - since) / 1000).toFixed(1)
    const [told] = await database.query(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database()"
    )
    const again = services.flatMap(({ output }) => output.text.match(/starting it again/g) ?? []).length
    console.log(
      `${count} services at once: all ready after ${seconds} s, ${again} times one was started again, ${told!["n"]} connections to the database`
    )
  }, 10 * minutes)

  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()))
    await database?.close()
    removeInstallation(installation)
  })

  it("are all ready, with one owner's key that each of them takes", async () => {
    const file = join(installation.dataDir, "owner.key")
    assert.isTrue(existsSync(file))
    const authorization = `Bearer ${readFileSync(file, "utf8").trim()}`
    for (const url of urls) {
      const { status, text } = await send(url, "POST", "/api/retrieve/search", { task: "anything" }, { authorization })
      assert.strictEqual(status, 200, text)
    }
    const told = services.filter(({ output }) => output.text.includes("Owner's key:"))
    assert.lengthOf(told, 1)
  })

  it("have made nothing twice, and what they have made is sound", async () => {
    const one = async (statement: string) => assert.lengthOf(await database.query(statement), 1, statement)
    await one("SELECT 1 FROM events WHERE type = 'OrganizationRegistered'")
    await one("SELECT 1 FROM installation")
    const models = await database.query("SELECT name, version, live FROM read_models ORDER BY name")
    assert.deepStrictEqual(
      models.map(({ name, version, live }) => `${name}_v${version} ${live}`),
      projections.map((projection) => `${schemaOf(projection)} true`).sort()
    )
    const verifying = startCli(installation, "verify")
    assert.strictEqual(await verifying.ended, 0, verifying.output.text)
  })
})
