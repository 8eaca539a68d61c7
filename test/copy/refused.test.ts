import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, expect, it } from "vitest"
import { alone } from "#src/repositories.ts"
import { stored } from "#test/http/store.ts"
import { ProtocolDouble } from "#test/kurrent/ProtocolDouble.ts"
import { freshDatabase } from "#test/postgres.ts"
import {
  newInstallation,
  removeInstallation,
  type Service,
  startService,
  type TestInstallation
} from "#test/service.ts"
import { from, rowsOf, run, to } from "./command.ts"

const fresh = () => Effect.runPromise(freshDatabase)
const sql = rowsOf
const tables = `SELECT count(*)::int AS count FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'public' AND c.relkind = 'r'`

/** A copy is refused in one line, which is answered. */
const refused = async (env: { readonly [name: string]: string }, ...args: ReadonlyArray<string>) => {
  const { code, err, out } = await run(env, "copy", ...args)
  assert.strictEqual(code, 1, out)
  assert.strictEqual(err.trimEnd().split("\n").length, 1, err)
  assert.notInclude(err, "geheim")
  return err
}

/** A copy while another process has a database for itself, as that one says by its lock. */
const besideHolder = (of: Redacted.Redacted, env: { readonly [name: string]: string }) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.andThen(
        Layer.build(Layer.provide(alone, PgClient.layer({ url: of }))),
        Effect.promise(() => run(env, "copy"))
      )
    )
  )

/** A copy while a service has the source. */
const besideService = (env: { readonly DATABASE_URL: string; readonly [name: string]: string }) =>
  besideHolder(Redacted.make(env.DATABASE_URL), env)

describe("a copy", () => {
  let source: TestInstallation
  let service: Service

  beforeAll(async () => {
    source = await newInstallation()
    service = await startService({}, source)
    for (const name of ["alpha", "beta"]) await stored(service.call, name)
    await service.stop()
  })
  afterAll(() => removeInstallation(source))

  it("is refused, before anything is written, where the target is not empty", async () => {
    const strange = await fresh()
    await sql(strange, "CREATE TABLE others (id integer)")
    assert.match(await refused({ ...from(source.database), ...to(strange) }), /has tables that are not Cairn's/)
    assert.deepStrictEqual(await sql(strange, tables), [{ count: 1 }])

    const another = await startService()
    const [before] = await another.sql("SELECT count(*) AS count FROM events")
    await another.stop()
    assert.match(await refused({ ...from(source.database), ...to(another.database) }), /has a log of its own/)
    assert.deepStrictEqual((await sql(another.database, "SELECT count(*) AS count FROM events"))[0], before)
    assert.match(await refused({ ...from(source.database), ...to(source.database) }), /has a log of its own/)
    await another.close()
  })

  it("is refused where the target is a copy of another log, or is finished", async () => {
    const target = await fresh()
    const first = await run({ ...from(source.database), ...to(target) }, "copy")
    assert.strictEqual(first.code, 0, first.err)
    assert.match(await refused({ ...from(source.database), ...to(target) }), /is a finished copy of this log/)
    await sql(target, "UPDATE log_copy SET finished_at = NULL")
    const other = await newInstallation()
    const running = await startService({}, other)
    await running.stop()
    assert.match(await refused({ ...from(other.database), ...to(target) }), /is a copy of another log/)
    // of this log, as it was before it was restored from a backup
    await sql(target, "UPDATE log_copy SET event_id = gen_random_uuid()")
    assert.match(await refused({ ...from(source.database), ...to(target) }), /has events that the source has not/)
    removeInstallation(other)
  })

  it("is refused, before anything is written, while another process has the target", async () => {
    const target = await fresh()
    const { code, err } = await besideHolder(target, { ...from(source.database), ...to(target) })
    assert.strictEqual(code, 1)
    assert.match(
      err,
      /^cairn: The copy can't be made: the database is in use by another Cairn \(process \d+ on [^)]+\)\./
    )
    assert.deepStrictEqual(await sql(target, tables), [{ count: 0 }])
  })

  it("is refused where there is nothing to copy, and leaves the target as it is", async () => {
    const target = await fresh()
    assert.match(await refused({ ...from(await fresh()), ...to(target) }), /There is nothing to copy: the log is empty/)
    assert.deepStrictEqual(await sql(target, tables), [{ count: 0 }])
  })

  it("is refused to a KurrentDB that has another log, before anything is written", async () => {
    const double = new ProtocolDouble()
    await double.start()
    const kurrent = await startService({ KURRENTDB_URL: double.url })
    await kurrent.stop()
    const target = await fresh()
    const env = { ...from(source.database), ...to(target), CAIRN_COPY_TO_KURRENTDB: double.url }
    assert.match(await refused(env), /has another log: name an empty one/)
    assert.deepStrictEqual(await sql(target, tables), [{ count: 0 }])
    assert.deepStrictEqual(double.refused, [])
    await kurrent.close()
    double.stop()
  })

  it("that was begun is served by nobody, and goes on where it was begun only", async () => {
    const target = await fresh()
    const { code, err } = await besideService({ ...from(source.database), ...to(target) })
    assert.strictEqual(code, 1)
    assert.match(err, /^cairn: The copy is not finished: a service runs on the source/)
    assert.isAbove(Number((await sql<{ count: number }>(target, "SELECT count(*) AS count FROM events"))[0]!.count), 2)

    const folder = mkdtempSync(join(tmpdir(), "cairn-copy-"))
    await expect(startService({}, { database: target, dataDir: folder })).rejects.toThrow(/is the unfinished copy/)
    const events = await run(from(target, folder), "events")
    assert.match(
      events.err,
      /^cairn: this database is the unfinished copy of another one's log, or of a backup: finish it/
    )
    assert.match(
      await refused({
        ...from(source.database),
        ...to(target),
        CAIRN_COPY_TO_KURRENTDB: "kurrentdb://127.0.0.1:1?tls=false"
      }),
      /was begun with its log in Postgres/
    )
    assert.strictEqual((await run({ ...from(source.database), ...to(target) }, "copy")).code, 0)
    assert.strictEqual((await run(from(target, folder), "events")).code, 0)
    rmSync(folder, { recursive: true })
  })

  it("that differs is told, and stays unfinished", async () => {
    const target = await fresh()
    await besideService({ ...from(source.database), ...to(target) })
    await sql(target, "UPDATE events SET actor_user = 'somebody' WHERE position = 2")
    await sql(
      target,
      "DELETE FROM payloads WHERE id = (SELECT event_id FROM events WHERE has_text ORDER BY position DESC LIMIT 1)"
    )
    const said = await refused({ ...from(source.database), ...to(target) })
    assert.match(said, /The copy is not equal to its source \(2 events\)/)
    assert.match(said, /position 2: \w+ has another actor in the target/)
    assert.match(said, /has another text \(one has none\) in the target/)
    assert.match((await run(from(target), "events")).err, /is the unfinished copy/)
  })

  it("whose database has no room says so, and goes on when it has", async () => {
    const target = await fresh()
    await besideService({ ...from(source.database), ...to(target) })
    for (const statement of [
      "DELETE FROM payloads",
      "DELETE FROM events",
      "UPDATE log_copy SET position = 0, event_id = NULL",
      `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         RAISE EXCEPTION 'could not extend file "base/1": No space left on device' USING ERRCODE = '53100'; END $$`,
      "CREATE TRIGGER full_disk BEFORE INSERT ON events EXECUTE FUNCTION full_disk()"
    ])
      await sql(target, statement)
    const env = { ...from(source.database), ...to(target) }
    assert.match(
      await refused(env),
      /The copy's database can't be written: could not extend file .+ \(53100\)\. Give the command again/
    )
    await sql(target, "DROP TRIGGER full_disk ON events")
    assert.strictEqual((await run(env, "copy")).code, 0)
  })

  it("takes no password from the command line, and shows none", async () => {
    const target = Redacted.value(await fresh())
    const { DATABASE_URL, CAIRN_DATA_DIR } = from(source.database)
    const env = { DATABASE_URL, CAIRN_DATA_DIR }
    const url = new URL(target)
    url.password = "geheim"
    assert.match(await refused(env, "--to", url.href), /--to has a password in it/)
    assert.match(await refused(env, "--to", "postgres://127.0.0.1/x?password=geheim"), /--to has a password in it/)
    assert.match(await refused(env), /It is not said where to: set CAIRN_COPY_TO, or give --to/)
    for (const wrong of [
      "mysql://me:geheim@127.0.0.1/x",
      "postgres://me:geheim@127.0.0.1:1/x",
      "postgres://me:geheim@127.0.0.1:1/x?sslmode=prefer"
    ]) {
      assert.match(await refused({ ...env, CAIRN_COPY_TO: wrong }), /CAIRN_COPY_TO/)
    }
    assert.match(
      await refused({
        ...env,
        CAIRN_COPY_TO: target,
        CAIRN_COPY_TO_KURRENTDB: "kurrentdb://me:geheim@127.0.0.1:1?tls=false"
      }),
      /CAIRN_COPY_TO_KURRENTDB/
    )
    const { password } = new URL(target)
    url.password = ""
    const copied = await run({ ...env, CAIRN_COPY_TO_PASSWORD: decodeURIComponent(password) }, "copy", "--to", url.href)
    assert.strictEqual(copied.code, 0, copied.err)
  })
})
