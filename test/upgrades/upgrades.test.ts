import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { verify } from "#src/audit/verify.ts"
import { audit } from "#src/layers.ts"
import { projections } from "#src/readModels.ts"
import { stored } from "#test/http/store.ts"
import { isLong } from "#test/long.ts"
import { connectTo, freshDatabase } from "#test/postgres.ts"
import { startNpm, startProcess } from "#test/service/process.ts"
import {
  newInstallation,
  removeInstallation,
  type Service,
  startService,
  type TestInstallation
} from "#test/service.ts"
import { ownerAt, told } from "./told.ts"

const fixtures = fileURLToPath(new URL(".", import.meta.url))
const versions = readdirSync(fixtures).filter((name) => name.includes(".schema-"))
/** CI leaves out two of three between the oldest, which goes through all migrations, and the newest. */
const sample = isLong ? versions : versions.filter((_, n) => n % 3 === 0 || n === versions.length - 1)

/** The database and the folder that a service of that version has left. */
const installed = async (version: string) => {
  const installation = await newInstallation(freshDatabase)
  const folder = join(fixtures, version)
  const connection = await connectTo(installation)
  try {
    // one statement, as a migration is; a block has no place for what a SELECT gives
    const dump = gunzipSync(readFileSync(join(folder, "dump.sql.gz"))).toString()
    await connection.query(`DO $dump$ BEGIN\n${dump.replace(/^SELECT (?=pg_catalog\.)/gm, "PERFORM ")}\nEND $dump$`)
  } finally {
    await connection.close()
  }
  execFileSync("tar", ["-xzf", join(folder, "folder.tar.gz"), "-C", installation.dataDir])
  return installation
}

const toldBefore = (version: string) => JSON.parse(readFileSync(join(fixtures, version, "told.json"), "utf8"))

describe.each(sample)("a folder of %s", (version) => {
  let service: Service
  beforeAll(async () => {
    service = await startService({}, await installed(version))
  })
  afterAll(async () => {
    await service?.close()
    if (service !== undefined) removeInstallation(service)
  })

  it("is served as it was: snippets, votes, keys, and workspaces with their history", async () => {
    assert.deepStrictEqual(await told(service.call), toldBefore(version))
  })

  it("has a slug for its organization, which had none", async () => {
    assert.strictEqual((await service.call("GET", "/api/organization")).json.slug, "cairn")
  })

  it("is verified, event by event, read models and repositories as well", async () => {
    const { findings, ...counts } = await service.run(
      verify(projections, () => undefined).pipe(Effect.provide(audit({ dataDir: service.dataDir })))
    )
    assert.deepStrictEqual(findings, [])
    assert.deepInclude(counts, { workspaces: 1, commits: 2, refsBehind: 0 })
  })

  it("goes on: an upload, a vote on what was there, a further commit on its history", async () => {
    await stored(service.call, "afterwards")
    const old = toldBefore(version)
    const [{ id, name, votes }] = old.snippets
    const vote = {
      task: "again",
      code_block_id: id,
      code_block_name: name,
      code_block_description: "",
      succeeded: true
    }
    assert.strictEqual((await service.call("POST", "/api/store/cache-usage", vote)).status, 200)
    const chat = { user_query: "afterwards task", user_id: "ada", org_id: "acme", model: "local" }
    const answer = await service.call("POST", "/api/agent-chat", chat)
    assert.strictEqual(answer.json.success, true, answer.text)
    const now = await told(service.call)
    assert.deepStrictEqual(now.snippets.find((snippet: { id: string }) => snippet.id === id)?.votes, [
      votes[0] + 1,
      votes[1]
    ])
    assert.deepStrictEqual(
      now.workspaces.map(({ commits }: { commits: number }) => commits),
      [3]
    )
  })
})

/** As if a newer release had been there. */
const changed = async (installation: TestInstallation, name: string) => {
  const connection = await connectTo(installation)
  await connection.query(`INSERT INTO migrations (migration_id, name) VALUES (9999, '${name}')`)
  await connection.close()
}

describe("a folder", () => {
  it("that is the oldest is migrated and served by npm start", async () => {
    const installation = await installed(versions[0]!)
    const service = startNpm(installation, "serve")
    try {
      const [, url] = await service.said(/Cairn is at (http:\S+)/)
      assert.deepStrictEqual(await told(ownerAt(url!)), toldBefore(versions[0]!))
    } finally {
      await service.stop()
      removeInstallation(installation)
    }
  })

  it("is refused in one line when a newer release has changed it", async () => {
    const installation = await installed(versions.at(-1)!)
    await changed(installation, "of_tomorrow")
    const service = startProcess(installation)
    try {
      assert.strictEqual(await service.ended, 78)
      assert.match(
        service.output.text.trim(),
        /^cairn: The database was changed by a newer release of Cairn \(migration 9999, of_tomorrow; this release knows those up to \d+\): start that one, or restore a backup from before it \(docs\/upgrade\.md\)\.$/
      )
    } finally {
      await service.stop()
      removeInstallation(installation)
    }
  })

  it("is served when a newer release has only added to it", async () => {
    const installation = await installed(versions.at(-1)!)
    await changed(installation, "of_tomorrow.adds")
    const service = await startService({}, installation)
    try {
      assert.deepStrictEqual(await told(service.call), toldBefore(versions.at(-1)!))
    } finally {
      await service.close()
      removeInstallation(installation)
    }
  })
})
