import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, assert, it } from "vitest"
import { from, rowsOf, run } from "#test/copy/command.ts"
import { startModel } from "#test/e2e/kill/agent.ts"
import { findSnippet, ownerKey, post } from "#test/e2e/kill/calls.ts"
import { Ledger, type Operation } from "#test/e2e/kill/Ledger.ts"
import { checkAnswers } from "#test/e2e/kill/log.ts"
import { newDataFolder, type ServiceProcess, startService } from "#test/e2e/kill/process.ts"
import { Workload } from "#test/e2e/kill/Workload.ts"
import { isLong } from "#test/long.ts"
import { freshDatabase } from "#test/postgres.ts"
import { send } from "#test/service/call.ts"

/** Times that the service is started; in each it is backed up twice, and killed in the midst of the second. */
const lives = isLong ? 12 : 1
const pause = isLong ? 10_000 : 0

/** What was taken, and what had been told by then. */
interface Taken {
  readonly file: string
  /** Whether all of it came, as the connection says. */
  readonly ended: boolean
  readonly acknowledged: ReadonlyArray<Operation>
  readonly erased: ReadonlyArray<Erased>
}

/** A snippet or a workspace of which nothing may come back. */
interface Erased {
  readonly word: string
  readonly workspace?: string
}

const places: Array<string> = []
const place = () => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-streamed-"))
  places.push(folder)
  return folder
}
const dataDir = newDataFolder()
let service: ServiceProcess | undefined
let model: Awaited<ReturnType<typeof startModel>> | undefined
afterAll(async () => {
  await service?.stop()
  await model?.close()
  for (const folder of [...places, dataDir]) rmSync(folder, { recursive: true, force: true })
})

const ledger = new Ledger()
const erased: Array<Erased> = []

/** Stores what is deleted at once, and opens workspaces that are erased at once, until the service is killed. */
const erase = async (url: string, lane: number, isOver: () => boolean) => {
  for (let n = 0; !isOver(); n++) {
    const word = `gone${lane}x${n}x${erased.length}x${ledger.operations.length}`
    try {
      if (lane === 0) {
        const content = `def ${word}(value):\n    return value\n`
        const body = { task: `make ${word}`, succeeded: true, user_vote: 1, file_written: { path: "gone.py", content } }
        if ((await post(url, "/api/store/execution-result", body)).status !== 200) continue
        const { match } = await findSnippet(url, word)
        if (match === undefined) continue
        const gone = await post(url, "/api/snippets/delete", { snippet_id: match.code_block.id })
        if (gone.status === 200) erased.push({ word })
      } else {
        const body = { user_query: `Take a note: ${word}.`, user_id: word, org_id: "kill", model: "sonnet" }
        const { status, json } = await post(url, "/api/agent-chat", body)
        if (status !== 200) continue
        const headers = { authorization: `Bearer ${ownerKey}` }
        const gone = await send(url, "DELETE", `/api/workspaces/${json.workspace_id}`, undefined, headers)
        if (gone.status === 200) erased.push({ word, workspace: json.workspace_id })
      }
    } catch {
      // it was killed
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

/** What comes of a backup; the service is killed when so many bytes of it have come. */
const take = async (url: string, killAt: number): Promise<Taken> => {
  const acknowledged = ledger.operations.filter(({ answer }) => answer !== undefined)
  const before = [...erased]
  const pieces: Array<Uint8Array> = []
  let bytes = 0
  let ended = false
  let killed: Promise<unknown> | undefined
  try {
    const response = await fetch(`${url}/api/admin/backup`, { headers: { authorization: `Bearer ${ownerKey}` } })
    assert.strictEqual(response.status, 200)
    for await (const piece of response.body!) {
      pieces.push(piece)
      bytes += piece.length
      if (bytes >= killAt) killed ??= service!.kill()
    }
    ended = true
  } catch (error) {
    if (killed === undefined) throw error
  }
  if (killAt !== Number.POSITIVE_INFINITY) await (killed ?? service!.kill())
  const file = join(place(), "backup.tar")
  writeFileSync(file, Buffer.concat(pieces))
  return { file, ended, acknowledged, erased: before }
}

/** The database of what was restored has what was acknowledged, and nothing that was erased. */
const look = async (
  { database, dataDir }: { readonly database: Awaited<ReturnType<typeof fresh>>; readonly dataDir: string },
  acknowledged: ReadonlyArray<Operation>,
  gone: ReadonlyArray<Erased>
) => {
  await checkAnswers(
    (statement, parameters = []) =>
      rowsOf(
        database,
        statement.replace("$1::bigint[]", `'{${(parameters[0] as ReadonlyArray<string>).join(",")}}'::bigint[]`)
      ),
    acknowledged
  )
  const texts = await rowsOf<{ text: string }>(database, "SELECT convert_from(bytes, 'UTF8') AS text FROM payloads")
  const all = texts.map(({ text }) => text).join("\n")
  for (const { word, workspace } of gone) {
    // what a workspace's chat was asked stays among the searches' and chats' texts only as long as the workspace is
    // there
    assert.isFalse(all.includes(workspace === undefined ? `def ${word}(` : word), `${word} is back`)
    if (workspace !== undefined) {
      assert.isFalse(existsSync(join(dataDir, "workspaces", `${workspace}.git`)), `${workspace} is back`)
    }
  }
  const kept = acknowledged.filter(({ kind, answer }) => kind === "upload" && answer!.position > 0)
  for (const { word } of kept) assert.isTrue(all.includes(`def ${word}(`), `${word} is lost`)
}
const fresh = () => Effect.runPromise(freshDatabase)

it(
  "a running service's backups in one file, under load and kill -9 of it, are whole or refused; nothing acknowledged is lost, nothing erased comes back",
  async () => {
    const taken: Array<Taken> = []
    let usual = 0
    for (let life = 0; life < lives; life++) {
      await model?.close()
      model = await startModel(() => false)
      service = await startService(dataDir, model)
      const { url } = service
      let over = false
      const workload = new Workload(url, ledger)
      const running = [workload.run(life), ...[0, 1].map((lane) => erase(url, lane, () => over))]
      const had = erased.length
      await workload.reached(({ upload, chat }) => upload > 3 && chat > 1)
      while (erased.length < had + 2) await new Promise((resolve) => setTimeout(resolve, 10))
      const whole = await take(url, Number.POSITIVE_INFINITY)
      assert.isTrue(whole.ended)
      taken.push(whole)
      await new Promise((resolve) => setTimeout(resolve, pause))
      // at its first bytes, or somewhere in it
      usual = statSync(whole.file).size
      workload.end()
      taken.push(await take(url, life % 2 === 0 ? 1 : Math.floor(Math.random() * usual)))
      over = true
      await Promise.all(running)
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
    await model?.close()
    model = await startModel(() => false)
    service = await startService(dataDir, model)
    // what a killed service was sending is not left
    assert.isFalse(existsSync(join(dataDir, "outgoing")))
    const last = await take(service.url, Number.POSITIVE_INFINITY)
    taken.push(last)
    await service.stop()
    service = undefined

    let cut = 0
    let restoredUrl = ""
    for (const { file, ended, acknowledged, erased } of taken) {
      const target = { database: await fresh(), dataDir: place() }
      const into = from(target.database, target.dataDir)
      restoredUrl = into.DATABASE_URL
      const looked = await run({}, "backup", file, "--verify", "--json")
      if (looked.code !== 0) {
        assert.isFalse(ended, looked.err)
        const refused = await run(into, "restore", file)
        assert.match(refused.err, /^cairn: .*(cut off|nothing in it).*\n$/)
        assert.isFalse(existsSync(join(target.dataDir, "workspaces")))
        cut += 1
        continue
      }
      const newer = file === last.file ? [] : ["--erasures", last.file]
      const restored = await run(into, "restore", file, ...newer, "--json")
      assert.strictEqual(restored.code, 0, restored.err + restored.out)
      assert.deepInclude(JSON.parse(restored.out), { success: true, found: 0 })
      await look(target, acknowledged, newer.length === 0 ? erased : last.erased)
    }
    // the last one goes on, by the keys that there were
    service = await startService(places.at(-1)!, model, { DATABASE_URL: restoredUrl, CAIRN_OWNER_KEY: "" })
    assert.notInclude(service.output(), "owner.key")
    const known = last.acknowledged.findLast(({ kind }) => kind === "upload")!
    assert.isDefined((await findSnippet(service.url, known.word)).match)
    assert.isAtLeast(taken.length - cut, lives + 1)
    assert.isAbove(cut, 0)
    console.log(
      `${taken.length} backups, ${cut} cut off; ${last.acknowledged.length} writes acknowledged, ${last.erased.length} erased; the last has ${usual} bytes`
    )
  },
  isLong ? 3_600_000 : 600_000
)
