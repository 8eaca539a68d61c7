import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Consumption } from "#projections/Consumption/tables.ts"
import { replay } from "#src/audit/replay.ts"
import { type MessagesApi, says, startMessagesApi } from "#test/MessagesApi.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import {
  newInstallation,
  removeInstallation,
  type Service,
  startService,
  type TestInstallation
} from "#test/service.ts"
import { chat, promptOf, turnOf, write } from "./agent.ts"
import { sendBundle } from "./bundle.ts"
import { git, good, makesClones, place, urlOf } from "./clone.ts"
import { refused } from "./problem.ts"
import { upload } from "./store.ts"

makesClones()

/** Bytes of each file. */
const size = 700
/** Files that a chat writes, one a turn, if nothing stops it. */
const files = { work: 2, fill: 9 } as const

let installation: TestInstallation
let model: MessagesApi
/** Two processes behind one address, as far as callers know. */
let both: readonly [Service, Service]
beforeAll(async () => {
  installation = await newInstallation()
  model = await startMessagesApi((request) =>
    turnOf(request) <= files[promptOf(request) as keyof typeof files]
      ? write(`${turnOf(request)}.txt`, "x".repeat(size))
      : says("Done.")
  )
  const environment = { ANTHROPIC_API_KEY: model.key, ANTHROPIC_BASE_URL: model.url }
  both = [await startService(environment, installation), await startService(environment, installation)]
})
afterAll(async () => {
  for (const service of both) await service.stop()
  await model.close()
  removeInstallation(installation)
})

type Call = Service["call"]
const good200 = async (answer: ReturnType<Call>) => {
  const { status, text, json } = await answer
  assert.strictEqual(status, 200, text)
  return json
}
/** The answers that were refused at a bound, the others being good. */
const refusedOf = (answers: ReadonlyArray<Awaited<ReturnType<Call>>>) =>
  answers.filter((answer) => {
    if (answer.status === 200) return false
    refused(answer, 403, "bound/reached")
    return true
  })
const team = async () => {
  const { call, key } = await organization(both[0], "ENTERPRISE")
  return { call, key, calls: both.map((service) => service.as(key)) as [Call, Call] }
}
const storedNow = async (call: Call) => (await good200(call("GET", "/api/usage"))).stored

describe("a bound, at two processes at once", () => {
  it("of bytes is passed by no file and no push, and by a chat by what it wrote in one turn", async () => {
    const { call, key, calls } = await team()
    const open = async (user: string): Promise<string> =>
      (await good200(call("POST", "/api/workspaces", { org_id: "acme", user_id: user }))).workspace_id
    const ids = await Promise.all(["one", "two", "three", "four"].map(open))
    const clones = await Promise.all(
      ids.slice(0, 2).map(async (id, n) => {
        const clone = place()
        await good("clone", "-q", urlOf(id, key, both[n]!), clone)
        writeFileSync(join(clone, "pushed.txt"), String(n).repeat(size))
        await good("-C", clone, "add", "-A")
        await good("-C", clone, "-c", "user.name=P", "-c", "user.email=p@example.org", "commit", "-q", "-m", "m")
        return clone
      })
    )
    await good200(call("POST", "/api/bounds", { repository_bytes: 3_000 }))
    const put = (id: string, n: number) =>
      calls[n % 2]!("PUT", `/api/workspaces/${id}/files/${n}.txt`, String(n).repeat(size))
    const [puts, pushes] = await Promise.all([
      Promise.all([2, 3, 4, 5, 6, 7].map((n) => put(ids[2 + (n % 2)]!, n))),
      Promise.all(clones.map((clone) => git("-C", clone, "push", "-q", "origin", "HEAD:main")))
    ])
    const taken = puts.length - refusedOf(puts).length + pushes.filter(({ code }) => code === 0).length
    const stored = await storedNow(call)
    assert.strictEqual(stored.repository_bytes, size * taken)
    assert.strictEqual(taken, 4)
    await good200(call("POST", "/api/bounds", { repository_bytes: 5_000 }))
    const room = 5_000 - size * taken
    const chats = await Promise.all(
      ["a", "b", "c", "d", "e", "f"].map((user, n) => chat(calls[n % 2]!, "fill", user, { max_turns: 10 }))
    )
    let written = 0
    for (const answer of chats) {
      if (answer.status !== 200) {
        refused(answer, 403, "bound/reached")
        continue
      }
      assert.isFalse(answer.json.success, answer.text)
      assert.include(answer.json.error, "repository_bytes")
      // what was free when nobody else had committed anything, and one turn
      const bytes = size * answer.json.changed_files.length
      assert.isAtMost(bytes, room + size)
      written += bytes
    }
    assert.isAbove(written, room)
    assert.strictEqual((await storedNow(call)).repository_bytes, size * taken + written)
    refused(await chat(call, "fill", "g"), 403, "bound/reached")
  })

  it("of snippets is passed by nothing that stores any; what is left out is told by its path", async () => {
    const { call, calls } = await team()
    await good200(call("POST", "/api/bounds", { snippets: 9 }))
    const names = (of: string) => Array.from({ length: 5 }, (_, n) => `${of}_${n}`)
    const [bundles, uploads] = await Promise.all([
      Promise.all(["x", "y", "z"].map((of, n) => sendBundle(calls[n % 2]!, names(of)))),
      Promise.all(names("u").map((name, n) => upload(calls[n % 2]!, name)))
    ])
    refusedOf([...bundles, ...uploads])
    for (const { status, json } of bundles) {
      if (status !== 200) continue
      const left = 5 - json.code_blocks_stored
      assert.strictEqual(json.success, left === 0)
      assert.lengthOf(json.message.match(/"\/srv\/app\/\w+\.py"/g) ?? [], left, json.message)
    }
    assert.strictEqual((await storedNow(call)).snippets, 9)
  })

  it("of chats is that of the key and of all, and nobody asks the model beyond it", async () => {
    const { call } = await team()
    const member = await memberKey(call, "m@example.org", "member", { acts_for: "any" })
    await good200(call("POST", "/api/bounds", { chats_per_day: 4 }))
    await good200(call("POST", "/api/bounds", { key_id: member.id, chats_per_day: 2 }))
    const theirs = both.map((service) => service.as(member.key))
    // uploads of others ask for judgements meanwhile
    const turns = () => model.requests.filter((request) => promptOf(request) === "work").length
    const before = turns()
    const answers = await Promise.all(
      ["a", "b", "c", "d", "e", "f"].map((user, n) => chat(theirs[n % 2]!, "work", user))
    )
    const ended = answers.filter(({ status, json }) => status === 200 && json.success)
    assert.lengthOf(ended, 2)
    assert.strictEqual(turns() - before, 2 * (files.work + 1))
    for (const { status, json } of answers)
      if (status === 200 && !json.success) assert.include(json.error, "chats_per_day")
  })

  it("that was set lower than what is there takes nothing away, and lets nothing in", async () => {
    const { call } = await team()
    for (const name of ["low_one", "low_two"]) await good200(upload(call, name))
    await good200(call("POST", "/api/bounds", { snippets: 0, repository_bytes: 0, chats_per_day: 0 }))
    const stored = await storedNow(call)
    assert.deepInclude(stored, { snippets: 2, repository_bytes: 0 })
    refused(await upload(call, "low_three"), 403, "bound/reached")
    refused(await chat(call, "work", "low"), 403, "bound/reached")
    await good200(call("POST", "/api/snippets/delete", { snippet_id: "low_one" }))
    refused(await upload(call, "low_three"), 403, "bound/reached")
    await good200(upload(call, "low_two"))
  })

  it("is a number that can be one: others are refused by their field, and change nothing", async () => {
    const { call } = await team()
    await good200(call("POST", "/api/bounds", { snippets: 7, cost_per_month: 0.5 }))
    const wrong: ReadonlyArray<readonly [string, string]> = [
      ...["chats_per_day", "tokens_per_month", "snippets", "repository_bytes", "max_turns"].flatMap((field) =>
        ["-1", "0.5", "1e300", '"5"', "true", "[]", "9007199254740993"].map((value) => [field, value] as const)
      ),
      ...["-0.01", "1e10", '"NaN"', "1e999"].map((value) => ["cost_per_month", value] as const),
      ...["[]", '[""]', '"sonnet"', "{}"].map((value) => ["models", value] as const),
      ["max_turns", "0"]
    ]
    for (const [field, value] of wrong) {
      const answer = await call("POST", "/api/bounds", `{"${field}": ${value}}`, { "content-type": "application/json" })
      assert.strictEqual(answer.status, 400, `${field} ${value}: ${answer.text}`)
    }
    const { bounds } = await good200(call("GET", "/api/bounds"))
    assert.deepInclude(bounds[0], { snippets: 7, cost_per_month: 0.5, max_turns: null })
  })
})

it("what is used is after all of it what the log says", async () => {
  const { events, differences } = await both[0].run(replay(Consumption, { promote: false, progress: () => undefined }))
  assert.isAbove(events, 50)
  assert.deepStrictEqual(differences, [])
})
