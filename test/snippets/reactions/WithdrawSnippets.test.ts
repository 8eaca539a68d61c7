import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { Snippet } from "#domain/Snippet/decider.ts"
import { dispatch } from "#engine/dispatch.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { react } from "#engine/react.ts"
import { TooMuchWaits } from "#ports/JobFaults.ts"
import { SecretScan } from "#ports/SecretScan.ts"
import { passesByItself } from "#src/reaction.ts"
import { withdrawSnippets } from "#src/snippets/reactions/WithdrawSnippets.ts"
import { given, uploadOf } from "#test/commands.ts"
import { findByName, stored } from "#test/http/store.ts"
import { drawing } from "#test/infra/secrets/draw.ts"
import { organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** Put together here, so that nobody who looks through this repository takes it for a real one. */
const key = `AIza${drawing("withdrawn").of("url", 35)}`

const everyones = { "x-cairn-public-snips": "true" }

/** Rules that see a secret wherever a text has a word of theirs, and count what they look through. */
const rulesFor = (word: string, looked: Array<string> = []) =>
  SecretScan.of({
    rules: `of ${word}`,
    scan: (_, text) => {
      looked.push(text)
      return Effect.succeed(text.includes(word) ? [{ line: 1, kind: `test: ${word}` }] : [])
    }
  })

const withdrawals = () =>
  service.sql<{ data: string }>(
    "SELECT data::text AS data FROM events WHERE type = 'SnippetWithdrawn' ORDER BY position"
  )

/** Runs a version of the rules until it has passed the log's head. */
const screenedBy = (rules: string, scan: SecretScan["Service"]) =>
  service.run(
    Effect.gen(function* () {
      const reaction = withdrawSnippets(rules)
      yield* react([reaction], passesByItself)
      const head = yield* Effect.promise(() => service.head())
      const models = yield* ReadModels
      yield* Effect.promise(() =>
        vi.waitFor(async () => assert.isAtLeast(await Effect.runPromise(models.reaction(reaction.name)), head), {
          timeout: 60_000,
          interval: 20
        })
      )
    }).pipe(Effect.provideService(SecretScan, scan), Effect.scoped)
  )

describe("what is public, when the rules change", () => {
  it("is looked through again, and taken back with a secret in it, once, and said to its owner only", async () => {
    const { call: owner } = await organization(service, "PRO")
    const { call: reader } = await organization(service, "FREE")
    for (const name of ["capybara", "wombat", "quokka"]) await stored(owner, name, { public: name !== "quokka" })
    const repo = {
      task: "numbat task",
      public: true,
      files: [
        { path: "readme.md", content: "# numbat\n" },
        { path: "a.py", content: "x = 1 # capybara\n" }
      ]
    }
    assert.strictEqual((await owner("POST", "/api/store/repo", repo)).status, 200)
    const id = (await findByName(reader, "capybara", everyones))!.code_block.id

    const looked: Array<string> = []
    await screenedBy("one", rulesFor("capybara", looked))
    // private ones are nobody's to look through
    assert.isFalse(looked.some((text) => text.includes("quokka")))
    const found = (await withdrawals()).map(({ data }) => JSON.parse(data))
    assert.deepStrictEqual(
      found.map(({ rules, found }) => [rules, found[0]]),
      [
        ["of capybara", { field: "source", line: 1, kind: "test: capybara" }],
        ["of capybara", { field: "files.0.content", line: 1, kind: "test: capybara" }]
      ]
    )
    const listed = (await reader("POST", "/api/snippets/public/list", {})).json
    assert.deepStrictEqual([listed.total, listed.snippets[0].name], [1, "wombat"])
    assert.isUndefined(await findByName(reader, "capybara", everyones))
    assert.strictEqual((await reader("GET", `/raw/${id}.md`, undefined, everyones)).status, 404)
    // its owner has it still, and is told
    assert.isDefined(await findByName(owner, "capybara"))
    const page = (await owner("GET", `/raw/${id}.md`)).text
    assert.include(page, "Taken back from the public")
    assert.include(page, "`test: capybara`")
    assert.isTrue(service.log.some((line) => line.includes("was taken back") && line.includes(id)))

    // the same version again, from the beginning, as after a crash before its place was kept; and another version
    await service.sql("DELETE FROM reactions WHERE name = 'withdraw_snippets_one'")
    await screenedBy("one", rulesFor("capybara"))
    await screenedBy("two", rulesFor("capybara"))
    assert.strictEqual((await withdrawals()).length, 2)
  })

  it("is public again when it is published again, and then no longer said to be taken back", async () => {
    const { call: owner } = await organization(service, "PRO")
    await stored(owner, "bilby", { public: true })
    await screenedBy("three", rulesFor("bilby"))
    const { id } = (await findByName(owner, "bilby"))!.code_block
    assert.include((await owner("GET", `/raw/${id}.md`)).text, "Taken back")
    await stored(owner, "bilby", { public: true })
    assert.isDefined(await findByName((await organization(service, "FREE")).call, "bilby", everyones))
    assert.notInclude((await owner("GET", `/raw/${id}.md`)).text, "Taken back")
  })

  it("waits for its turn where too much is looked through, and is not passed over meanwhile", async () => {
    const { call: owner } = await organization(service, "PRO")
    await stored(owner, "echidna", { public: true })
    const { id } = (await findByName(owner, "echidna"))!.code_block
    const [upload] = await service.sql<{ position: bigint }>(
      "SELECT position FROM events WHERE stream = $1 AND type = 'SnippetUploaded'",
      [`snippet-${id}`]
    )
    const place = () => service.run(Effect.flatMap(ReadModels, (models) => models.reaction("withdraw_snippets_four")))
    const before: Array<number> = []
    const rules = rulesFor("echidna")
    const scan: SecretScan["Service"]["scan"] = (path, text) =>
      Effect.gen(function* () {
        if (!text.includes("echidna")) return yield* rules.scan(path, text)
        before.push(yield* Effect.promise(place))
        return yield* before.length < 3 ? new TooMuchWaits({ job: "secrets" }) : rules.scan(path, text)
      })
    await screenedBy("four", SecretScan.of({ ...rules, scan }))
    assert.isAtLeast(before.length, 3)
    for (const position of before) assert.isBelow(position, Number(upload!.position))
    const found = (await withdrawals()).filter(({ data }) => JSON.parse(data).snippet === id)
    assert.lengthOf(found, 1)
    assert.isUndefined(await findByName((await organization(service, "FREE")).call, "echidna", everyones))
  })

  it("is looked through by the service's own rules when it starts, also what older rules let through", async () => {
    const id = randomUUID()
    const command = uploadOf(id)
    const published = { ...command, publish: true, text: { ...command.text, source: `key = "${key}"\n` } }
    // as rules that did not know these keys would have let it pass
    await service.run(dispatch(Snippet, given(`snippet-${id}`, published)))
    await vi.waitFor(
      async () => {
        const [found] = (await withdrawals())
          .map(({ data }) => JSON.parse(data))
          .filter(({ snippet }) => snippet === id)
        assert.deepStrictEqual(found?.found, [{ field: "source", line: 1, kind: "google: API key" }])
      },
      { timeout: 60_000, interval: 50 }
    )
    const kept = await service.sql<{ data: string }>("SELECT data::text AS data FROM events")
    for (const text of [...service.log, ...kept.map(({ data }) => data)]) assert.notInclude(text, key)
  })
})
