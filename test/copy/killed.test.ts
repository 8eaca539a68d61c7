import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Redacted } from "effect"
import { afterAll, assert, describe, expect, it } from "vitest"
import { type Running, serve, within } from "#src/cli/demo/programs.ts"
import { makeFolder } from "#test/cli/cairn.ts"
import { startKillable } from "#test/cli/killable.ts"
import { freshDatabase } from "#test/postgres.ts"
import { run as runIn } from "./command.ts"

interface Found {
  readonly matches: ReadonlyArray<{
    readonly score: number
    readonly code_block: { readonly id: string; readonly name: string }
  }>
}

const copying = (dataDir: string, target: string) =>
  startKillable(dataDir, ["copy", "--json"], { CAIRN_COPY_TO: target })

const snippet = (name: string, length: number) =>
  JSON.stringify({
    name,
    description: `Does ${name}.`,
    source: `def ${name}(value):\n    """Does ${name}."""\n    return value\n# ${"x".repeat(length)}\n`,
    language: "python"
  })

describe("a data folder that is copied to a Postgres server", () => {
  const folder = makeFolder()
  let service: Running | undefined
  afterAll(async () => {
    await service?.stop()
    folder.remove()
  })

  it("goes on after kill -9, has no text that was erased meanwhile, and is served with the folder's repositories", async () => {
    const { dataDir, run } = folder
    const url = await Effect.runPromise(freshDatabase)
    const target = Redacted.value(url)
    // two pages of the log
    const lines = Array.from({ length: 7 }, (_, index) => snippet(`snippet_${index}`, 700_000))
    service = await serve(dataDir)
    assert.strictEqual((await run("import", folder.file("a.jsonl", lines))).code, 0)
    const search = () => service!.ask<Found>("POST", "/api/retrieve/search", { task: "does snippet 3", top_k: 20 })
    await service.ask("POST", "/api/agent-chat", {
      user_query: "snippet_3",
      user_id: "ada",
      org_id: "acme",
      model: "local"
    })
    const { matches } = await search()

    const beside = await copying(dataDir, target).ended
    assert.strictEqual(beside.code, 1, beside.out)
    assert.match(beside.err, /^cairn: The copy is not finished: a service runs on the source/)
    await service.ask("POST", "/api/snippets/delete", { snippet_id: matches[0]!.code_block.id })
    const more = folder.file("b.jsonl", [snippet("later", 700_000)])
    assert.strictEqual((await run("import", more)).code, 0)
    const before = await search()
    const { workspaces } = await service.ask<{ workspaces: ReadonlyArray<object> }>("GET", "/api/workspaces")
    await service.stop()
    service = undefined

    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const connection = yield* PgConnection.make({ url, ssl: false })
          const query = (statement: string) => Effect.map(connection.query(statement, [], false), ({ rows }) => rows)
          const [texts] = yield* query("SELECT count(*)::int AS count FROM payloads")
          yield* query("BEGIN")
          yield* query("LOCK TABLE events IN ACCESS EXCLUSIVE MODE")
          const stuck = copying(dataDir, target)
          // in the middle of its transaction
          yield* Effect.promise(() =>
            within(120_000, "copying the next page", async () => {
              const rows = await Effect.runPromise(
                query("SELECT 1 FROM pg_locks WHERE relation = 'events'::regclass AND NOT granted")
              )
              return rows.length > 0 ? true : undefined
            })
          )
          stuck.kill()
          assert.strictEqual((yield* Effect.promise(() => stuck.ended)).code, "SIGKILL")
          yield* query("ROLLBACK")
          assert.deepStrictEqual(yield* query("SELECT count(*)::int AS count FROM payloads"), [texts!])
        })
      )
    )
    await expect(serve(dataDir, { DATABASE_URL: target })).rejects.toThrow(
      /cairn: this database is the unfinished copy/
    )

    const copied = await copying(dataDir, target).ended
    assert.strictEqual(copied.code, 0, copied.err)
    const told = JSON.parse(copied.out)
    assert.deepInclude(told, { success: true, finished: true, found: 0 })
    assert.isAbove(told.erased, 0)
    assert.isBelow(told.copied, told.events)

    await expect(serve(dataDir, { DATABASE_URL: target })).rejects.toThrow(/cairn installation adopt/)
    assert.strictEqual(
      (await runIn({ DATABASE_URL: target, CAIRN_DATA_DIR: dataDir }, "installation", "adopt")).code,
      0
    )
    service = await serve(dataDir, { DATABASE_URL: target })
    // what is read is made anew from the log
    await within(120_000, "reading the log", () => service!.ask<object>("GET", "/ready").catch(() => undefined))
    assert.deepStrictEqual(await search(), before)
    assert.deepStrictEqual(
      (await service.ask<{ workspaces: ReadonlyArray<object> }>("GET", "/api/workspaces")).workspaces,
      workspaces
    )
  }, 1_200_000)
})
