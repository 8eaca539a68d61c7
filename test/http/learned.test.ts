import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { replay } from "#src/audit/replay.ts"
import { retain } from "#src/audit/retention.ts"
import { projections } from "#src/readModels.ts"
import type { Call, Headers } from "#test/service/call.ts"
import { memberKey, organization, personal } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { matches, remove, stored, vote } from "./store.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const day = 86_400_000
const everyones = { "x-cairn-public-snips": "true" }
const task = "read the table that a spreadsheet program has exported"
const inOtherWords = "open what a spreadsheet program exported as a table"
const elsewhere = "send a letter by mail"

const files = {
  load_sheet: "def load_sheet(path):\n    return list(csv.reader(open(path)))\n",
  csv_rows: "def csv_rows(file):\n    return parse(file)\n",
  rows_of: "def rows_of(file):\n    return [line.split(';') for line in file]\n",
  post: "def post(box, letter):\n    box.push(letter)\n"
}

const names = async (by: Call, asked: string, headers: Headers = {}, more: object = {}) =>
  (await matches(by, asked, { top_k: 10, min_verdict_score: 0, ...more }, headers)).map(
    ({ code_block, score }) => [code_block.name, score] as const
  )
const first = async (...given: Parameters<typeof names>) => (await names(...given))[0]?.[0]

/** Stores the files, of no task that says anything of them; gives their ids. */
const store = async (by: Call, more: object = {}, headers: Headers = {}) => {
  for (const [name, content] of Object.entries(files)) {
    const file_written = { path: `${name}.py`, content }
    await stored(by, name, { task: "x", file_written, use_service_ai_voting: false, ...more }, headers)
  }
  const ids = await Promise.all(
    Object.keys(files).map(async (name) => {
      const found = await matches(by, name.replace("_", " "), { top_k: 100, min_verdict_score: 0 }, headers)
      return [name, found.find(({ code_block }) => code_block.name === name)!.code_block.id] as const
    })
  )
  return Object.fromEntries(ids) as Record<keyof typeof files, string>
}

/** The owner's and two members' ways to call, of a new organization that has the files. */
const company = async () => {
  const { id, call } = await organization(service, "ENTERPRISE")
  const [ada, bob] = await Promise.all(
    ["ada", "bob"].map(async (name) => service.as((await memberKey(call, `${name}@example.org`)).key))
  )
  return { id, call, ada: ada!, bob: bob!, ids: await store(call) }
}

const voted = async (...given: Parameters<typeof vote>) => assert.strictEqual((await vote(...given)).status, 200)

/** What is said of a snippet when it is asked why. */
const learnedOf = async (by: Call, asked: string, id: string, headers: Headers = {}) => {
  const found = await matches(by, asked, { explain: true, top_k: 100, min_verdict_score: 0 }, headers)
  const match = found.find(({ code_block }) => code_block.id === id) as unknown as
    | { explanation: Explained }
    | undefined
  return match?.explanation.learned
}
interface Explained {
  readonly learned: {
    readonly effect: number
    readonly tasks: ReadonlyArray<{ task: string | null; up: number; down: number; nearness: number }>
  }
}

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 50 })

describe("a vote that names a task", () => {
  it("has the snippet found first when the same is asked, also in other words; nobody else's ranks move", async () => {
    const [ours, theirs] = [await company(), await company()]
    const before = { task: await names(theirs.call, task), elsewhere: await names(ours.call, elsewhere) }
    assert.notStrictEqual(await first(ours.call, task), "rows_of")
    assert.notStrictEqual(await first(ours.call, inOtherWords), "rows_of")
    await voted(ours.ada, ours.ids.rows_of, true, { task })
    assert.strictEqual(await first(ours.call, task), "rows_of")
    assert.strictEqual(await first(ours.bob, inOtherWords), "rows_of")
    assert.deepStrictEqual(await names(theirs.call, task), before.task)
    // a vote counts for all tasks a little, as it did; the order is what it was
    const order = (some: typeof before.task) => some.map(([name]) => name)
    assert.deepStrictEqual(order(await names(ours.call, elsewhere)), order(before.elsewhere))
    assert.strictEqual((await learnedOf(ours.call, elsewhere, ours.ids.post))?.effect, 0)
    const said = await learnedOf(ours.bob, inOtherWords, ours.ids.rows_of)
    assert.isAbove(said!.effect, 0)
    const { nearness, ...rest } = said!.tasks[0]!
    assert.deepStrictEqual([said!.tasks.length, rest], [1, { task, up: 1, down: 0 }])
    assert.isTrue(nearness > 0 && nearness < 1)
  })

  it("finds what no word and no meaning of it says, and counts it", async () => {
    const { call, ada, ids } = await company()
    const odd = "greet the visitors at the door"
    const total = async () => {
      const { json } = await call("POST", "/api/retrieve/search", { task: odd, top_k: 1, min_verdict_score: 0 })
      return json.total_found as number
    }
    const before = await total()
    const isFound = (await names(call, odd)).some(([name]) => name === "csv_rows")
    assert.isFalse(isFound)
    await voted(ada, ids.csv_rows, true, { task: odd })
    assert.strictEqual(await first(call, odd), "csv_rows")
    assert.strictEqual(await total(), before + 1)
    // filters hold all the same
    assert.notStrictEqual(await first(call, odd, {}, { min_human_upvotes: 2 }), "csv_rows")
  })

  it("down lowers it for that task, and says so", async () => {
    const { call, ada, ids } = await company()
    const best = (await first(call, task)) as keyof typeof ids
    await voted(ada, ids[best], false, { task })
    assert.isBelow((await learnedOf(call, task, ids[best]))!.effect, -1)
    assert.deepStrictEqual((await learnedOf(call, elsewhere, ids[best]))?.tasks ?? [], [])
    assert.notStrictEqual(await first(call, task), best)
  })

  it("moves little for what the voter has stored, however often it comes", async () => {
    const { call, bob, ids } = await company()
    const before = await first(bob, task)
    for (let time = 0; time < 30; time++) await voted(call, ids.rows_of, true, { task })
    const own = (await learnedOf(bob, task, ids.rows_of))!
    assert.isTrue(own.effect > 0 && own.effect < 0.8)
    assert.deepStrictEqual([own.tasks.length, own.tasks[0]!.up], [1, 1])
    assert.strictEqual(before === "rows_of", false)
    await voted(bob, ids.rows_of, true, { task })
    assert.isAbove((await learnedOf(call, task, ids.rows_of))!.effect, 4)
  })

  it("in a workspace is that workspace's matter, and what its organization said counts there", async () => {
    const { call, ada, ids } = await company()
    const client = { "x-cairn-workspace-id": "client" }
    const before = await first(call, task)
    await voted(ada, ids.rows_of, true, { task }, client)
    assert.strictEqual(await first(call, task, client), "rows_of")
    assert.strictEqual(await first(call, task), before)
    await voted(ada, ids.post, true, { task: elsewhere })
    assert.isAbove((await learnedOf(call, elsewhere, ids.post, client))!.effect, 3)
  })

  it("of a stranger counts for those who ask for what is public, not for others, and its task is not told", async () => {
    const { call } = await organization(service, "PRO")
    const ids = await store(call, { public: true, tags: ["shared"] })
    const [eve, zoe] = [await personal(service, "eve@example.org"), await personal(service, "zoe@example.org")]
    const asked = "greet all the strangers of this planet"
    await voted(eve.call, ids.rows_of, true, { task: asked }, everyones)
    const said = (await learnedOf(zoe.call, asked, ids.rows_of, everyones))!
    assert.isAbove(said.effect, 3)
    assert.deepStrictEqual(
      said.tasks.map(({ task, up, down }) => ({ task, up, down })),
      [{ task: null, up: 1, down: 0 }]
    )
    assert.deepStrictEqual((await learnedOf(eve.call, asked, ids.rows_of, everyones))!.tasks[0]!.task, asked)
    // its owner does not ask for what is public
    assert.deepStrictEqual((await learnedOf(call, asked, ids.rows_of))?.tasks ?? [], [])
    assert.isAbove((await learnedOf(call, asked, ids.rows_of, everyones))!.effect, 3)
    // and what its owner's people ask moves no stranger's ranks
    const olga = service.as((await memberKey((await organization(service, "ENTERPRISE")).call, "kim@example.org")).key)
    await voted(call, ids.post, true, { task: "a matter of the owner" })
    assert.deepStrictEqual((await learnedOf(olga, "a matter of the owner", ids.post, everyones))?.tasks ?? [], [])
  })

  it("goes with the snippet, and with the voter", async () => {
    const { call, ada, bob, ids } = await company()
    await voted(ada, ids.rows_of, true, { task })
    await voted(bob, ids.csv_rows, true, { task })
    assert.isAbove((await learnedOf(call, task, ids.rows_of))!.effect, 3)
    const { keys } = (await call("POST", "/api/keys/org/list")).json
    const { user_id } = keys.find(({ user_email }: { user_email: string }) => user_email === "ada@example.org")
    assert.strictEqual((await call("DELETE", `/api/users/${user_id}`)).status, 200)
    await until(async () => assert.deepStrictEqual((await learnedOf(call, task, ids.rows_of))!.tasks, []))
    await remove(call, ids.csv_rows)
    assert.isFalse((await names(call, task)).some(([name]) => name === "csv_rows"))
  })
})

describe("a vote without a task", () => {
  it("takes that of the search which had shown the snippet to its voter, until that text's time is over", async () => {
    const { call, ada, bob, ids } = await company()
    const asked = "read a table of a spreadsheet, for the report on lemurs"
    const shown = (await names(ada, asked)).map(([name]) => name)
    assert.includeMembers(shown, ["csv_rows", "load_sheet"])
    // at once: its note is waited for
    await voted(ada, ids.csv_rows, true, { task: null })
    // somebody else, who was shown nothing
    await voted(bob, ids.load_sheet, true, { task: null })
    await until(async () => {
      const said = (await learnedOf(call, asked, ids.csv_rows))!
      assert.deepStrictEqual([said.tasks[0]?.task, said.tasks[0]?.up], [asked, 1])
      assert.isTrue(said.effect > 1 && said.effect < 4)
    })
    assert.deepStrictEqual((await learnedOf(call, asked, ids.load_sheet))!.tasks, [])
    await service.run(retain(Date.now() + 91 * day, 90))
    await until(async () => assert.deepStrictEqual((await learnedOf(call, asked, ids.csv_rows))!.tasks, []))
    // no read model that is made anew knows of it, or less than the live one
    for (const projection of projections) {
      const { differences } = await service.run(replay(projection, { promote: false, progress: () => undefined }))
      assert.deepStrictEqual(differences, [], projection.name)
    }
  })
})
