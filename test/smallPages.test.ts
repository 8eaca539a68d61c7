import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { personId } from "#domain/Person.ts"
import { RetrievalEvent, searchSubject } from "#domain/Retrieval.ts"
import { User, UserCommand } from "#domain/User.ts"
import { dispatch } from "#engine/dispatch.ts"
import { schemaOf } from "#engine/Projection.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { Installation } from "#ports/Installation.ts"
import { inputSchemas } from "#projections/Snippets/queries.ts"
import { schema as catalogue, Snippets } from "#projections/Snippets/tables.ts"
import { replay } from "#src/audit/replay.ts"
import { retain } from "#src/audit/retention.ts"
import { reactions } from "#src/layers.ts"
import { Notes } from "#src/notes.ts"
import { projections } from "#src/readModels.ts"
import { Indexing } from "#src/snippets/indexing.ts"
import { noteSearch } from "./audit/searches.ts"
import { castVote, uploadSnippet } from "./commands.ts"
import { organization, personal } from "./service/tenants.ts"
import { newInstallation, removeInstallation, type Service, startService, type TestInstallation } from "./service.ts"

/** Hardly anything that a service does fits into this. */
const tiny = { count: 3, bytes: 3_000 }
const day = 86_400_000
const email = "p@example.org"

describe("a service that takes three things at once", () => {
  let installation: TestInstallation
  let service: Service
  beforeAll(async () => {
    installation = await newInstallation()
    service = await startService({}, installation, tiny)
  })
  afterAll(async () => {
    await service.close()
    removeInstallation(installation)
  })

  const store = (call: Service["call"], n: number, more: object = {}) =>
    call("POST", "/api/store/execution-result", {
      task: `tiny task ${n}`,
      succeeded: true,
      user_vote: 1,
      file_written: { path: `f${n}.py`, content: `def tiny_${n}():\n    return "${"x".repeat(400)}"\n` },
      ...more
    })
  const caughtUp = (service: Service) =>
    vi.waitFor(
      async () => {
        const head = await service.head()
        const reached = await service.run(
          Effect.flatMap(ReadModels, (models) => Effect.forEach(reactions, ({ name }) => models.reaction(name)))
        )
        for (const position of reached) assert.isAtLeast(position, head)
      },
      { timeout: 60_000, interval: 50 }
    )
  const found = async () => {
    const { json } = await service.call("POST", "/api/retrieve/search", { task: "tiny task", top_k: 50 })
    return json.matches
  }

  it("reads models, index and reactions to their end, and builds read models anew as they are", async () => {
    for (let n = 0; n < 10; n++) assert.strictEqual((await store(service.call, n)).status, 200)
    await service.run(uploadSnippet("voted"))
    for (let n = 0; n < 10; n++) await service.run(castVote("voted"))
    for (const projection of projections) {
      const { differences, events } = await service.run(replay(projection, { promote: false, progress: () => {} }))
      assert.deepStrictEqual(differences, [], projection.name)
      if (projection.name === "snippets") assert.isAtLeast(events, 31)
    }
    const [row] = await service.sql<{ up: number }>(`SELECT up FROM ${schemaOf(Snippets)}.votes WHERE id = 'voted'`)
    assert.strictEqual(row!.up, 10)
    await caughtUp(service)
  })

  it("fills its index at a start, and finds all that was stored before", async () => {
    await service.stop()
    service = await startService({}, installation, tiny)
    const [last] = await service.sql<{ changed: bigint }>(
      `SELECT max(changed) AS changed FROM ${schemaOf(Snippets)}.votes`
    )
    await vi.waitFor(
      async () =>
        assert.isAtLeast(
          await service.run(Effect.flatMap(Indexing, ({ position }) => position)),
          Number(last!.changed)
        ),
      { timeout: 60_000, interval: 20 }
    )
    assert.lengthOf(await found(), 10)
  })

  it("compares all input schemas with what a search describes, in pages by number and by bytes", async () => {
    const schemaOf = (n: number) => ({
      type: "object",
      required: ["quokkas"],
      properties: { quokkas: { type: n === 7 ? "string" : "array" } },
      description: "d".repeat(n < 4 ? 10 : 2_000)
    })
    for (let n = 0; n < 9; n++) {
      const block = {
        name: `quokkas${n}`,
        source: `q = ${n}`,
        entrypoint: "",
        language: "python",
        input_schema: schemaOf(n)
      }
      assert.strictEqual((await service.call("POST", "/api/store/code-block", block)).status, 200)
    }
    const input_schema = { properties: { quokkas: { type: "array" } } }
    const asked = { task: "quokkas", top_k: 50, min_verdict_score: 0, input_schema }
    const { json } = await service.call("POST", "/api/retrieve/search", asked)
    assert.strictEqual(json.total_found, 8)
    const homes = (
      await service.sql<{ home: string }>(`SELECT home FROM ${catalogue}.snippets WHERE name = 'quokkas0'`)
    )[0]!
    const page = (after: string, bytes: number) =>
      service.run(inputSchemas(["quokkas"], { homes: [homes.home], includePublic: false }, after, { rows: 3, bytes }))
    const pages: Array<number> = []
    for (let after = ""; ; ) {
      const some = await page(after, 1_500)
      if (some.length === 0) break
      pages.push(some.length)
      after = some.at(-1)!.id
    }
    assert.strictEqual(
      pages.reduce((sum, one) => sum + one, 0),
      9
    )
    // a large one is the last of its page
    assert.isAtLeast(pages.length, 5)
    assert.lengthOf(await page("", 1), 1)
  })

  it("erases a person with all they had", async () => {
    const { call } = await personal(service, email)
    for (let n = 20; n < 27; n++) await store(call, n)
    const user = await service.run(Effect.map(Installation, ({ secret }) => personId(secret, email)))
    const commandId = randomUUID()
    await service.run(
      dispatch(User, {
        tenant: user,
        stream: `user-${user}`,
        commandId,
        correlationId: commandId,
        command: UserCommand.EraseUser({ user }),
        actor: { key: null, user: null, organization: null }
      })
    )
    await caughtUp(service)
    assert.deepStrictEqual(await service.sql("SELECT subject FROM payloads WHERE tenant = $1", [user]), [])
  })

  it("erases old searches, however many there are", async () => {
    const { id } = await organization(service, "PRO")
    const days = Array.from({ length: 8 }, (_, n) => `2031-01-0${n + 1}`)
    for (const date of days) {
      await noteSearch(service, id, date)
    }
    const left = async () => {
      const rows = await service.sql<{ subject: string }>("SELECT subject FROM payloads WHERE tenant = $1", [id])
      return rows.filter(({ subject }) => subject.startsWith("retrieval-")).length
    }
    await vi.waitFor(async () => assert.strictEqual(await left(), 8), { timeout: 60_000, interval: 50 })
    await service.run(retain(Date.parse("2031-01-08") + 91 * day, 90))
    assert.strictEqual(await left(), 0)
  })
  it("erases all searches that found what is deleted, however many there are", async () => {
    const { call, id } = await organization(service, "PRO")
    await store(call, 40)
    const { json } = await call("POST", "/api/retrieve/search", { task: "tiny task 40" })
    const snippet: string = json.matches[0].code_block.id
    const left = () =>
      service.sql<{ position: string }>(
        `SELECT e.position FROM events e JOIN payloads p ON p.id = e.event_id
         WHERE e.tenant = $1 AND e.type = 'SearchAnswered'`,
        [id]
      )
    const actor = { key: null, user: null, organization: id }
    for (let n = 1; n <= 8; n++) {
      const stream = `retrieval-${id}-2031-06-0${n}`
      const event = RetrievalEvent.cases.SearchAnswered.make({
        home: id,
        snippets: [snippet],
        scores: [0.5],
        total: 1,
        cacheHit: false,
        subject: searchSubject(stream, [snippet]),
        text: { query: `asked on day ${n}` }
      })
      await service.run(Effect.flatMap(Notes, ({ add }) => add({ tenant: id, stream, actor, event })))
    }
    await vi.waitFor(async () => assert.lengthOf(await left(), 9), { timeout: 60_000, interval: 50 })
    await call("POST", "/api/snippets/delete", { snippet_id: snippet })
    await vi.waitFor(async () => assert.lengthOf(await left(), 0), { timeout: 60_000, interval: 50 })
  })
})
