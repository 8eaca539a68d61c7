import { execFileSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { launch } from "#infra/postgres/launcher/launcher.ts"
import { alone } from "#src/repositories.ts"
import { ended } from "#test/http/agent.ts"
import { stored } from "#test/http/store.ts"
import { type MessagesApi, startMessagesApi } from "#test/MessagesApi.ts"
import { freshDatabase } from "#test/postgres.ts"
import { newInstallation, removeInstallation, startService, type TestInstallation } from "#test/service.ts"
import { from, rowsOf, run } from "./command.ts"
import { model } from "./filled.ts"

/** Where a copy and a restore make an installation: in a folder of its own, not beside what is somebody's. */
describe("a data folder to be made", () => {
  let api: MessagesApi
  let source: TestInstallation
  let base: string
  let backup: string

  beforeAll(async () => {
    base = mkdtempSync(join(tmpdir(), "cairn-new-"))
    backup = join(base, "backup")
    api = await startMessagesApi(model)
    source = await newInstallation()
    const service = await startService({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url }, source)
    await stored(service.call, "alpha")
    await ended(service.call, "kept", "ada")
    await service.stop()
    const { code, err } = await run(from(source.database, source.dataDir), "backup", backup)
    assert.strictEqual(code, 0, err)
  })
  afterAll(async () => {
    await api.close()
    removeInstallation(source)
    rmSync(base, { recursive: true, force: true })
  })

  const copies = (dataDir: string) => run(from(source.database, source.dataDir), "copy", "--to", dataDir, "--json")
  const restores = (dataDir: string) => run({ CAIRN_DATA_DIR: dataDir }, "restore", backup, "--json")
  const ways = { copy: copies, restore: restores }

  it.each(["copy", "restore"] as const)("has nothing of anybody's in it before a %s", async (way) => {
    const filled = (name: string, fill: (folder: string) => void) => {
      const folder = join(base, `${way}-${name}`)
      mkdirSync(folder)
      fill(folder)
      return folder
    }
    const folders = {
      "note.txt": filled("note", (folder) => writeFileSync(join(folder, "note.txt"), "mine")),
      photos: filled("folder", (folder) => mkdirSync(join(folder, "photos"))),
      ".hidden": filled("hidden", (folder) => writeFileSync(join(folder, ".hidden"), "")),
      "owner.key": filled("used", (folder) => {
        for (const name of ["owner.key", "service.lock", "service.pid"]) writeFileSync(join(folder, name), "")
      }),
      // somebody's own server
      postgres: filled("server", (folder) => {
        mkdirSync(join(folder, "postgres"))
        writeFileSync(join(folder, "postgres", "16"), "")
      }),
      // repositories of a Cairn whose database is elsewhere
      workspaces: filled("elsewhere", (folder) => {
        mkdirSync(join(folder, "workspaces"))
        writeFileSync(join(folder, "workspaces", ".installation"), "another's\n")
      }),
      backups: backup
    }
    for (const [name, folder] of Object.entries(folders)) {
      const before = readdirSync(folder)
      const { code, out, err } = await ways[way](folder)
      assert.deepStrictEqual([code, out], [1, ""], err)
      assert.strictEqual(
        err,
        `cairn: ${way === "copy" ? "The copy can't be made" : "It can't be restored"}: ${folder} has files that no unfinished ${way} has left (${name}): name an empty folder.\n`
      )
      assert.deepStrictEqual(readdirSync(folder), before)
    }
    const file = join(folders["note.txt"], "note.txt")
    assert.match((await ways[way](file)).err, /can't be (made|restored): .*note\.txt can't be read: ENOTDIR/)
  })

  it("of a named database has no repositories, nor what belongs to them, before a restore", async () => {
    const database = await Effect.runPromise(freshDatabase)
    const dataDir = join(base, "named")
    mkdirSync(dataDir)
    writeFileSync(join(dataDir, "note.txt"), "mine")
    const restoring = () => run(from(database, dataDir), "restore", backup)
    assert.match((await restoring()).err, /no unfinished restore has left \(note\.txt\)/)
    rmSync(join(dataDir, "note.txt"))
    mkdirSync(join(dataDir, "workspaces"))
    writeFileSync(join(dataDir, "workspaces", ".installation"), "another's\n")
    assert.match((await restoring()).err, /has repositories already, or did: name an empty data folder/)
    assert.deepStrictEqual(readdirSync(join(dataDir, "workspaces")), [".installation"])
    // a restore that was killed as it began
    renameSync(join(dataDir, "workspaces", ".installation"), join(dataDir, "workspaces", ".installation.new"))
    const { code, err } = await restoring()
    assert.strictEqual(code, 0, err)
  })

  /** A named database, with a data folder. */
  const named = async (name: string) => {
    const dataDir = join(base, name)
    mkdirSync(dataDir)
    const database = await Effect.runPromise(freshDatabase)
    const restoring = () => run(from(database, dataDir), "restore", backup)
    return { database, workspaces: join(dataDir, "workspaces"), restoring }
  }

  it("of a named database that can't have repositories gets no log either", async () => {
    const { database, workspaces, restoring } = await named("away")
    // their disk is not there
    symlinkSync(join(base, "unmounted"), workspaces)
    assert.match((await restoring()).err, /^cairn: can't use the folder .*workspaces: ENOENT/)
    assert.deepStrictEqual(await rowsOf(database, "SELECT 1 FROM events"), [])
    mkdirSync(join(base, "unmounted"))
    const { code, err } = await restoring()
    assert.strictEqual(code, 0, err)
  })

  it("of a named database that has a part of the log keeps the repositories that the restore has not made", async () => {
    const { database, workspaces, restoring } = await named("part")
    const there = () => readdirSync(workspaces, { recursive: true }).map(String).sort()
    assert.strictEqual((await restoring()).code, 0)
    // killed before its end, and while it erased
    for (const erasing of ["NULL", `'{"organizations":[],"workspaces":[],"until":"2026-01-01T00:00:00.000Z"}'`]) {
      rmSync(workspaces, { recursive: true })
      await rowsOf(database, `UPDATE log_copy SET finished_at = NULL, erasing = ${erasing}`)
      cpSync(join(source.dataDir, "workspaces"), workspaces, { recursive: true })
      writeFileSync(join(workspaces, readdirSync(workspaces).find((name) => name.endsWith(".git"))!, "newer"), "")
      const before = there()
      assert.match((await restoring()).err, /has repositories already, or did: name an empty data folder, or the one/)
      assert.deepStrictEqual(there(), before)
      // one that has lost its id may be anybody's
      for (const name of [".installation", ".services"])
        rmSync(join(workspaces, name), { recursive: true, force: true })
      const without = there()
      assert.match((await restoring()).err, /has repositories already, or did/)
      assert.deepStrictEqual(there(), without)
      rmSync(workspaces, { recursive: true })
      const { code, err } = await restoring()
      assert.strictEqual(code, 0, err)
    }
  })

  /** What killed commands leave, and a disk of its own has. */
  const leave = (dataDir: string, ...more: ReadonlyArray<string>) => {
    for (const name of ["postgres.new-0123abcd", "lost+found", "workspaces/lost+found", ...more])
      mkdirSync(join(dataDir, name), { recursive: true })
    for (const name of ["service.lock", "service.pid"]) writeFileSync(join(dataDir, name), "")
  }

  it("may have what an unfinished copy has left, which goes on", async () => {
    const dataDir = join(base, "copied")
    leave(dataDir)
    // a service runs on the source
    const held = Layer.build(Layer.provide(alone, PgClient.layer({ url: source.database })))
    const first = await Effect.runPromise(
      Effect.scoped(
        Effect.andThen(
          held,
          Effect.promise(() => copies(dataDir))
        )
      )
    )
    assert.strictEqual(first.code, 1)
    assert.match(first.err, /The copy is not finished: a service runs on the source/)
    // repositories take long, and are copied before the source's services are stopped
    cpSync(join(source.dataDir, "workspaces"), join(dataDir, "workspaces"), { recursive: true })
    const then = await copies(dataDir)
    assert.strictEqual(then.code, 0, then.err)
    assert.deepInclude(JSON.parse(then.out), { finished: true, copied: 0, found: 0 })
    assert.match((await copies(dataDir)).err, /is a finished copy of this log/)
  })

  it("keeps a folder that is called as what a restore unpacks into", async () => {
    const archive = join(base, "backup.tar")
    const files = (readdirSync(backup, { recursive: true }) as ReadonlyArray<string>).filter((name) =>
      statSync(join(backup, name)).isFile()
    )
    // the manifest is an archive's last file
    const names = ["backups/", ""].map((folder) =>
      files.filter((name) => /\.(json|gz|pack|idx)$/.test(name) && name.startsWith("backups/") === (folder !== ""))
    )
    execFileSync("tar", ["--format=ustar", "-cf", archive, "-C", backup, ...names[1]!, ...names[0]!])
    const dataDir = join(base, "same-name")
    const kept = join(dataDir, "restoring", "log")
    mkdirSync(kept, { recursive: true })
    writeFileSync(join(kept, "mine.txt"), "mine")
    const restoring = () => run({ CAIRN_DATA_DIR: dataDir }, "restore", archive)
    assert.match((await restoring()).err, /no unfinished restore has left \(restoring\)/)
    const database = await Effect.runPromise(freshDatabase)
    assert.match((await run(from(database, dataDir), "restore", archive)).err, /has left \(restoring\)/)
    assert.deepStrictEqual(readdirSync(kept), ["mine.txt"])
    rmSync(join(dataDir, "restoring"), { recursive: true })
    symlinkSync(base, join(dataDir, "restoring"))
    assert.match((await restoring()).err, /has left \(restoring\)/)
    rmSync(join(dataDir, "restoring"))
    const { code, err } = await run(from(database, dataDir), "restore", archive)
    assert.strictEqual(code, 0, err)
    assert.notInclude(readdirSync(dataDir), "restoring")
  })

  it("may have what an unfinished restore has left, which goes on", async () => {
    const dataDir = join(base, "restored")
    leave(dataDir, "restoring")
    for (const name of ["restore.lock", "restore.pid"]) writeFileSync(join(dataDir, name), "")
    // killed when Postgres had just been made
    await Effect.runPromise(Effect.scoped(launch({ dataDir })))
    const first = await restores(dataDir)
    assert.strictEqual(first.code, 0, first.err)
    assert.isTrue(existsSync(join(dataDir, "workspaces")))
    // killed before its end
    await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(launch({ dataDir }), ({ url }) =>
          Effect.promise(() => rowsOf(url, "UPDATE log_copy SET finished_at = NULL"))
        )
      )
    )
    const then = await restores(dataDir)
    assert.strictEqual(then.code, 0, then.err)
    assert.deepInclude(JSON.parse(then.out), { success: true, found: 0 })
  })
})
