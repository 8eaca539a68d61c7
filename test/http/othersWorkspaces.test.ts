import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { Effect, Stream } from "effect"
import * as Tar from "effect/encoding/Tar"
import { assert, beforeAll, describe, it, vi } from "vitest"
import { noGit } from "#test/infra/git/git.ts"
import { says } from "#test/MessagesApi.ts"
import { memberKey, organization, personal } from "#test/service/tenants.ts"
import type { Service } from "#test/service.ts"
import { asked, chat, chatting, commitsOf, ended, scripts, service, startsAgent, write } from "./agent.ts"
import { git, good, makesClones, place, urlOf } from "./clone.ts"

startsAgent()
makesClones()

type Call = Service["call"]

let call: Call
let owner: string
/** Bob's: with one file, a second commit, and a run that is under way. */
let bobs: string
let adas: string
let first: string
let run: string
const held = Promise.withResolvers<void>()
/** Keys that may not write there, by what they are. */
const keys = new Map<string, string>()

const archive = async () => {
  const tar = Stream.make(Tar.file("in.txt", "x")).pipe(Stream.pipeThroughChannel(Tar.encode()), Stream.runCollect)
  return new Uint8Array(gzipSync(Buffer.concat([...(await Effect.runPromise(tar))])))
}

beforeAll(async () => {
  const made = await organization(service, "ENTERPRISE")
  call = made.call
  owner = made.key
  scripts.set("begin", (turn) => (turn === 1 ? write("a.txt", "one\n") : says("ok")))
  const begun = await ended(call, "begin", "bob@example.org")
  bobs = begun.workspace_id
  first = begun.commit
  adas = (await ended(call, "begin", "ada@example.org")).workspace_id
  assert.strictEqual((await call("PUT", `/api/workspaces/${bobs}/files/b.txt`, "two\n")).status, 200)
  scripts.set("held", () => ({ ...says("ok"), after: held.promise }))
  const body = { user_query: "held", user_id: "bob@example.org", org_id: "acme" }
  const started = await call("POST", chatting, body, { prefer: "respond-async" })
  assert.strictEqual(started.status, 202, started.text)
  run = started.json.run_id
  await vi.waitFor(() => assert.lengthOf(asked("held"), 1), 60_000)

  const key = async (name: string, ...more: [email: string, role?: "member" | "admin" | "reader", more?: object]) =>
    keys.set(name, (await memberKey(call, ...more)).key)
  await key("a member's, for herself", "ada@example.org")
  await key("an admin's, for herself", "ann@example.org", "admin", { acts_for: "own" })
  await key("a back end's, for some workspaces", "back@example.org", "member", { acts_for: "any", workspaces: [adas] })
  await key("an admin's, for some workspaces", "some@example.org", "admin", { acts_for: "any", workspaces: [adas] })
  await key("that only reads, for anybody", "looks@example.org", "admin", { acts_for: "any", read_only: true })
  await key("a reader's, for anybody", "reads@example.org", "reader", { acts_for: "any" })
  const soon = new Date(Date.now() + 500).toISOString()
  await key("whose time is over", "past@example.org", "admin", { acts_for: "any", expires_at: soon })
  keys.set("another organization's owner's", (await organization(service, "ENTERPRISE")).key)
  keys.set("a person's without an organization", (await personal(service, "bob@example.org")).key)
  await vi.waitFor(
    async () =>
      assert.strictEqual((await service.as(keys.get("whose time is over")!)("GET", "/api/usage")).status, 401),
    60_000
  )
})

/** What there is of Bob's workspace: its commits, files and run, and how many events were decided there. */
const known = async () => ({
  commits: (await commitsOf(bobs, call)).map(({ sha }) => sha),
  tree: (await call("GET", `/api/workspaces/${bobs}/tree`)).json,
  run: (await call("GET", `/api/runs/${run}`)).json.state,
  events: (
    await service.sql<{ count: number }>("SELECT count(*)::int AS count FROM events WHERE stream LIKE '%' || $1", [
      bobs
    ])
  )[0]!.count
})

/** Every way to change something there. */
const ways: ReadonlyArray<readonly [string, (by: Call) => ReturnType<Call>]> = [
  ["PUT a file", (by) => by("PUT", `/api/workspaces/${bobs}/files/in.txt`, "x")],
  ["PUT over a file", (by) => by("PUT", `/api/workspaces/${bobs}/files/a.txt`, "x")],
  ["DELETE a file", (by) => by("DELETE", `/api/workspaces/${bobs}/files/a.txt`)],
  ["an archive", async (by) => by("POST", `/api/workspaces/${bobs}/archive`, await archive())],
  ["an archive instead", async (by) => by("POST", `/api/workspaces/${bobs}/archive?replace=true`, await archive())],
  ["restore", (by) => by("POST", `/api/workspaces/${bobs}/restore`, { commit: first })],
  ["erase", (by) => by("DELETE", `/api/workspaces/${bobs}`)],
  ["cancel", (by) => by("POST", `/api/runs/${run}/cancel`)],
  ["what a push asks first", (by) => by("GET", `/git/${bobs}.git/info/refs?service=git-receive-pack`)],
  ["a push without asking", (by) => by("POST", `/git/${bobs}.git/git-receive-pack`, new Uint8Array([48, 48, 48, 48]))]
]
/** Those that name whose it is, by `org_id` and `user_id`. */
const named: typeof ways = [
  ["open", (by) => by("POST", "/api/workspaces", { org_id: "acme", user_id: "bob@example.org" })],
  ["chat", (by) => chat(by, "put something", "bob@example.org")]
]
const reading: typeof ways = [
  ["read a run", (by) => by("GET", `/api/runs/${run}`)],
  ["listen to a run", (by) => by("GET", `/api/runs/${run}`, undefined, { accept: "text/event-stream" })],
  ["list runs", (by) => by("GET", `/api/workspaces/${bobs}/runs`)]
]

describe("another person's workspace", () => {
  it("is changed by no key that doesn't work there, in no way; nothing of it is in the log", async () => {
    const before = await known()
    assert.strictEqual(before.run, "running")
    for (const [name, key] of keys) {
      const by = service.as(key)
      const sees = /only reads|a reader's/.test(name)
      for (const [way, change] of ways) {
        const { status, json, text } = await change(by)
        const expected =
          name === "whose time is over"
            ? 401
            : sees || (way === "erase" && /member's|back end's/.test(name))
              ? 403
              : 404
        assert.strictEqual(status, expected, `${way}, with a key ${name}: ${text}`)
        if (expected === 404) assert.match(json.code, /^not_found\/(?:workspace|run)$/, `${way}, with a key ${name}`)
      }
      for (const [way, read] of reading) {
        // it would not end
        if (sees && way === "listen to a run") continue
        const { status, text } = await read(by)
        assert.strictEqual(status, name === "whose time is over" ? 401 : sees ? 200 : 404, `${way}, ${name}: ${text}`)
      }
    }
    assert.deepStrictEqual(await known(), before)
  })

  it("is another one for whoever names it the same elsewhere, and none of theirs within the organization", async () => {
    const before = await known()
    for (const [name, key] of keys) {
      for (const [way, change] of named) {
        const { status, json, text } = await change(service.as(key))
        const elsewhere = /another organization|without an organization/.test(name)
        if (elsewhere) {
          assert.strictEqual(status, 200, `${way}, ${name}: ${text}`)
          assert.notStrictEqual(json.workspace_id, bobs)
        } else assert.include([401, 403], status, `${way}, ${name}: ${text}`)
      }
    }
    assert.deepStrictEqual(await known(), before)
  })

  it.skipIf(noGit)("takes no push of git itself", async () => {
    const before = await known()
    const clone = place()
    await good("clone", "-q", urlOf(bobs, owner), clone)
    writeFileSync(join(clone, "in.txt"), "x")
    await good("-C", clone, "add", "-A")
    await good("-C", clone, "-c", "user.name=P", "-c", "user.email=p@example.org", "commit", "-q", "-m", "in")
    for (const [name, key] of keys) {
      const { code, err } = await git("-C", clone, "push", urlOf(bobs, key), "HEAD:main")
      assert.notStrictEqual(code, 0, name)
      assert.notInclude(err, key)
    }
    assert.deepStrictEqual(await known(), before)
    await good("-C", clone, "push", "-q", urlOf(bobs, owner), "HEAD:main")
  })

  it("goes on for those who work there", async () => {
    held.resolve()
    await vi.waitFor(async () => assert.strictEqual((await known()).run, "completed"), 60_000)
    const mine = await memberKey(call, "bob@example.org")
    assert.strictEqual((await service.as(mine.key)("PUT", `/api/workspaces/${bobs}/files/in.txt`, "x")).status, 200)
  })
})
