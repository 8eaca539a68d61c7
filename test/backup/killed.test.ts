import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { startKillable } from "#test/cli/killable.ts"
import { from, run } from "#test/copy/command.ts"
import { model } from "#test/copy/filled.ts"
import { ownerKey } from "#test/e2e/kill/calls.ts"
import { newDataFolder, type ServiceProcess, startService, until } from "#test/e2e/kill/process.ts"
import { isLong } from "#test/long.ts"
import { type MessagesApi, startMessagesApi } from "#test/MessagesApi.ts"
import { freshDatabase } from "#test/postgres.ts"

/** In a long run for minutes, a backup every ten seconds; else as often as each of both is killed once. */
const rounds = isLong ? 24 : 2
const pause = isLong ? 10_000 : 0

const backing = (dataDir: string, folder: string) => startKillable(dataDir, ["backup", folder, "--json"])

describe("backups of a service under load, with kill -9 of it and of them", () => {
  let api: MessagesApi
  let service: ServiceProcess | undefined
  const dataDir = newDataFolder()
  const places: Array<string> = []
  const place = () => {
    const folder = mkdtempSync(join(tmpdir(), "cairn-backup-"))
    places.push(folder)
    return folder
  }
  beforeAll(async () => {
    api = await startMessagesApi(model)
  })
  afterAll(async () => {
    await service?.stop()
    await api.close()
    for (const folder of [...places, dataDir]) rmSync(folder, { recursive: true, force: true })
  })

  it(
    "are whole or none: each that is finished is restored, and found as it was written",
    async () => {
      const folder = place()
      let over = false
      let answered = 0
      const ask = async (path: string, body: object) => {
        try {
          const response = await fetch(`${service!.url}${path}`, {
            method: "POST",
            headers: { authorization: `Bearer ${ownerKey}`, "content-type": "application/json" },
            body: JSON.stringify(body)
          })
          await response.text()
          if (response.ok) answered += 1
        } catch {
          // it was killed
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      }
      const outside = await run({ CAIRN_DATA_DIR: dataDir }, "psql")
      assert.match(outside.err, /^cairn: No Postgres runs for /)
      service = await startService(dataDir, api)
      const { out } = await run({ CAIRN_DATA_DIR: dataDir }, "psql")
      assert.match(out, /^PGPASSWORD=[0-9a-f]{64} psql 'postgres:\/\/\w+@127\.0\.0\.1:\d+\/\w+'\n/)
      const load = [0, 1, 2].map(async (lane) => {
        for (let n = 0; !over; n++) {
          await ask("/api/agent-chat", { user_query: `file ${lane} ${n}`, user_id: `user ${lane}`, org_id: "acme" })
          const content = `def made_${lane}_${n}(value):\n    return value\n`
          await ask("/api/store/execution-result", {
            task: `make ${lane} ${n}`,
            succeeded: true,
            user_vote: 1,
            file_written: { path: "made.py", content }
          })
        }
      })
      const more = async () => {
        const before = answered
        await until(
          () => answered > before + 5,
          () => "nothing was answered"
        )
      }
      const finished = () => (readdirSync(folder).includes("backups") ? readdirSync(join(folder, "backups")).length : 0)
      let killed = 0
      for (let round = 0; round < rounds; round++) {
        await more()
        const doomed = backing(dataDir, folder)
        // in the middle of it: it has begun to write
        const before = finished()
        await until(
          () =>
            readdirSync(folder, { recursive: true }).some((name) => String(name).includes(".unfinished-")) ||
            finished() > before,
          () => "no backup was begun"
        )
        if (round % 2 === 0) doomed.kill()
        else {
          await service!.kill()
          killed += 1
        }
        const ended = await doomed.ended
        // what ended well is a backup, whatever was killed
        if (ended.code === 0) assert.strictEqual(finished(), before + 1)
        if (round % 2 === 1) service = await startService(dataDir, api)
        await more()
        const whole = await backing(dataDir, folder).ended
        assert.strictEqual(whole.code, 0, whole.err)
        assert.deepStrictEqual(
          readdirSync(folder).filter((name) => name.startsWith(".unfinished-")),
          []
        )
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
      over = true
      await Promise.all(load)
      assert.isAbove(killed, 0)
      const looked = await run({}, "backup", folder, "--verify", "--json")
      assert.strictEqual(looked.code, 0, looked.err)
      const all = finished()
      assert.isAtLeast(all, rounds)
      let events = 0
      for (let number = 1; number <= all; number++) {
        const target = from(await Effect.runPromise(freshDatabase), place())
        const restored = await run(target, "restore", folder, "--backup", String(number), "--json")
        assert.strictEqual(restored.code, 0, `${number}: ${restored.err}${restored.out}`)
        const told = JSON.parse(restored.out)
        assert.deepInclude(told, { success: true, number, found: 0 })
        assert.isAbove(told.events, events)
        events = told.events
      }
    },
    isLong ? 3_600_000 : 600_000
  )
})
