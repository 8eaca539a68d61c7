import * as PgConnection from "@effect/sql-pg/PgConnection"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { newName } from "#test/elasticsearch/index.ts"
import { isHere, shared } from "#test/elasticsearch/shared.ts"
import { newInstallation, removeInstallation, type Service, startService } from "#test/service.ts"
import { findByName, matches, remove, stored } from "../../../http/store.ts"

const nodes = isHere ? await shared() : []

/** A copy of a database that nobody uses: what a backup of it would bring back. */
const copyOf = (database: Redacted.Redacted<string>) =>
  Effect.gen(function* () {
    const url = new URL(Redacted.value(database))
    const [name, copy] = [url.pathname.slice(1), `${url.pathname.slice(1)}_backup`]
    url.pathname = "/postgres"
    const connection = yield* PgConnection.make({ url: Redacted.make(url.href), ssl: false })
    yield* connection.query(`CREATE DATABASE ${copy} TEMPLATE ${name}`, [], false)
    url.pathname = `/${copy}`
    return Redacted.make(url.href)
  }).pipe(Effect.scoped, Effect.runPromise)

const names = async ({ call }: Service) =>
  (await matches(call, "radish task", { top_k: 100, min_verdict_score: 0 })).map(({ code_block }) => code_block.name)

describe.skipIf(!isHere)("a service whose index outlives what it was filled from", () => {
  it("finds what a restored backup has, and nothing that came after it", async () => {
    const environment = { ELASTICSEARCH_URL: nodes.join(","), ELASTICSEARCH_INDEX: newName() }
    const installation = await newInstallation()
    const at = async <A>(database: Redacted.Redacted<string>, use: (service: Service) => Promise<A>) => {
      const service = await startService(environment, { ...installation, database })
      try {
        return await use(service)
      } finally {
        await service.stop()
      }
    }
    try {
      await at(installation.database, async (service) => {
        for (const name of ["radish_old", "radish_doomed"]) await stored(service.call, name)
        assert.sameMembers(await names(service), ["radish_old", "radish_doomed"])
      })
      const backup = await copyOf(installation.database)
      await at(installation.database, async (service) => {
        const { code_block } = (await findByName(service.call, "radish_doomed"))!
        await remove(service.call, code_block.id)
        for (const n of [1, 2, 3]) await stored(service.call, `radish_late_${n}`)
        assert.lengthOf(await names(service), 4)
      })
      await at(backup, async (service) => {
        assert.sameMembers(await names(service), ["radish_old", "radish_doomed"])
        // as far as the log had come before, with something else
        for (const n of [1, 2, 3, 4, 5]) await stored(service.call, `radish_again_${n}`)
        assert.lengthOf(await names(service), 7)
        assert.isTrue(service.log.some((line) => line.includes("of a log that this one is not")))
      })
    } finally {
      removeInstallation(installation)
    }
  })

  it("still names what was left out, when it is another process that asks", async () => {
    const environment = { ELASTICSEARCH_URL: nodes.join(","), ELASTICSEARCH_INDEX: newName() }
    const installation = await newInstallation()
    // of which no terms can be made
    const marks = "\u0345\u0301".repeat(250_000)
    const leftOut = async (isFirst: boolean) => {
      const service = await startService(environment, installation)
      try {
        if (isFirst)
          await stored(service.call, "odd", {
            file_written: { path: "odd.py", content: `def odd(xs): pass\n# ${marks}` }
          })
        await matches(service.call, "odd")
        return (await service.call("GET", "/ready")).json.left_out
      } finally {
        await service.stop()
      }
    }
    try {
      const first = await leftOut(true)
      assert.strictEqual(first.count, 1)
      assert.deepStrictEqual(await leftOut(false), first)
    } finally {
      removeInstallation(installation)
    }
  })
})
