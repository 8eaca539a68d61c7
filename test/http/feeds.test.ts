import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { assert, beforeAll, describe, it, vi } from "vitest"
import { type EventType, eventSchemas } from "#domain/events.ts"
import { retainExecutions } from "#src/audit/retainExecutions.ts"
import { retainLogs } from "#src/audit/retainLogs.ts"
import { says } from "#test/MessagesApi.ts"
import { memberKey, organization, personal } from "#test/service/tenants.ts"
import { notShown } from "../../docs/events.ts"
import { ended, scripts, service, startsAgent, write } from "./agent.ts"
import { sendBundle } from "./bundle.ts"
import { recorded } from "./executed.ts"
import { listen } from "./sse.ts"
import { findByName, matches, remove, stored, vote } from "./store.ts"

interface Shown {
  readonly position: string
  readonly type: EventType
  readonly stream: string
  readonly data: { readonly [field: string]: unknown }
  readonly actor: { readonly key_id: string | null }
}
interface InLog {
  readonly position: string
  readonly tenant: string
  readonly stream: string
  readonly type: EventType
  readonly about: boolean
}

/** What happens to other organizations' things is theirs to see. */
const ofOthers = new Set<EventType>(["VoteCast", "CommentAdded", "ExecutionRecorded"])

/** Decided by what somebody's own things are in: the page of events names the stream of each type. */
const streamsOf = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const page = readFileSync(new URL("../../docs/events.md", import.meta.url), "utf8")
  const streams = new Map<string, Array<string>>()
  for (const [, type, stream] of page.matchAll(/^\| `(\w+)` \d+ \| (\w+) \|/gm))
    streams.set(type!, [...(streams.get(type!) ?? []), stream!])
  return streams
}

describe("what an organization is shown of the log", () => {
  startsAgent()

  let tenant: Awaited<ReturnType<typeof organization>>
  const log = () =>
    service.sql<InLog>(
      `SELECT position::text, tenant, stream, type,
        (actor_organization = $1 OR data LIKE '%' || $1 || '%' OR stream LIKE '%' || $1 || '%') IS TRUE AS about
      FROM events ORDER BY events.position`,
      [tenant.id]
    )
  const page = async (path: string): Promise<ReadonlyArray<Shown>> => (await tenant.call("GET", path)).json.events
  const feed = async () => {
    const all: Array<Shown> = []
    for (let after = "0"; ; ) {
      const { events, next_after } = (await tenant.call("GET", `/api/events?limit=1000&after=${after}`)).json
      if (events.length === 0) return all
      all.push(...events)
      after = next_after
    }
  }

  beforeAll(async () => {
    tenant = await organization(service, "ENTERPRISE")
    const other = await organization(service, "ENTERPRISE")
    const { call } = tenant
    const member = await memberKey(call, "max@example.org")
    await call("POST", "/api/keys/org/limit", { key_id: member.id, read_only: true })
    await call("POST", "/api/bounds", { chats_per_day: 1_000 })
    await call("POST", "/api/bounds", { key_id: member.id, chats_per_day: 7 })
    const { json } = await call("GET", "/api/users")
    const { user_id } = json.users.find((user: { user_email: string }) => user.user_email === "max@example.org")
    await call("POST", `/api/users/${user_id}/role`, { role: "reader" })
    await call("POST", "/api/organization", { name: "Second & Co", slug: "second" })
    await call("POST", "/api/organization", { slug: "third" })
    await stored(call, "own", { user_vote: 1, public: true, execution_logs: "printed\n" })
    await stored(call, "gone")
    await remove(call, "gone")
    const own = (await findByName(call, "own"))!.code_block.id
    await recorded(call, own)
    await call("POST", "/api/store/comment", { code_block_id: own, text: "well" })
    await sendBundle(call, ["one", "two"])
    scripts.set("theirs", (turn) => (turn === 1 ? write("a.txt") : says("Done.")))
    const { workspace_id } = await ended(call, "theirs", "me")
    await call("PUT", `/api/workspaces/${workspace_id}/files/b.txt`, "b")
    await call("POST", "/api/keys/org/revoke", { key_id: member.id })
    await call("DELETE", `/api/users/${user_id}`)
    // and what it does to others
    await stored(other.call, "theirs", { public: true })
    const publicly = { "x-cairn-public-snips": "true" }
    const theirs = (await findByName(other.call, "theirs"))!.code_block.id
    await matches(call, "theirs task", {}, publicly)
    await vote(call, theirs, true, {}, publicly)
    const [now, years] = [Date.now(), 400 * 86_400_000]
    await service.run(Effect.all([retainExecutions(now + years, 1), retainLogs(now + years, 1)]))
    await vi.waitFor(
      async () => {
        const types = (await log()).filter(({ tenant: of }) => of === tenant.id).map(({ type }) => type)
        assert.includeMembers(types, ["SearchAnswered", "KeyUsed", "UploadStored"])
        assert.lengthOf(
          types.filter((type) => type === "OrganizationSlugChanged"),
          2
        )
      },
      { timeout: 60_000, interval: 50 }
    )
  })

  it("is every event of its own, the same in the list, among the newest, and as they come", async () => {
    const shown = await feed()
    const positions = shown.map(({ position }) => position)
    const last = Number(positions.at(-1))
    const own = (await log()).filter(({ tenant: of, position }) => of === tenant.id && Number(position) <= last)
    assert.deepStrictEqual(
      positions,
      own.map(({ position }) => position)
    )
    const newest = await page("/api/events/newest?limit=1000")
    assert.deepStrictEqual(newest.map(({ position }) => position).slice(0, positions.length), positions)
    const stream = await listen(service, "/api/events/stream", tenant.key)
    const told = await stream.take(positions.length)
    assert.deepStrictEqual(
      told.map(({ id }) => id),
      positions
    )
    await stream.close()
  })

  it("is whatever concerns it, but for what a list names", async () => {
    const elsewhere = (await log()).filter(({ about, tenant: of }) => about && of !== tenant.id)
    const types = new Set(elsewhere.map(({ type }) => type))
    for (const type of types) assert.isTrue(type in notShown || ofOthers.has(type), type)
    assert.includeMembers([...types], ["SlugTaken", "SlugFreed", "VoteCast"])
  })

  it("is every type of event, or one of a stream whose events are all its own, or in the list", async () => {
    const all = await log()
    const owners = new Map<string, Set<string>>()
    for (const { stream, tenant: of } of all) owners.set(stream, (owners.get(stream) ?? new Set()).add(of))
    for (const [stream, tenants] of owners) assert.strictEqual(tenants.size, 1, stream)
    const alone = await personal(service, "alone@example.org")
    const ofPerson: ReadonlyArray<Shown> = (await alone.call("GET", "/api/events")).json.events
    const types = new Set([...(await feed()), ...ofPerson].map(({ type }) => type))
    const streams = streamsOf()
    const seen = new Set([...types].flatMap((type) => (streams.get(type)?.length === 1 ? streams.get(type)! : [])))
    const unseen = (Object.keys(eventSchemas) as Array<EventType>).filter(
      (type) => !types.has(type) && !(type in notShown) && !streams.get(type)!.some((stream) => seen.has(stream))
    )
    assert.deepStrictEqual(unseen, [])
    for (const type of Object.keys(notShown) as Array<EventType>) assert.isFalse(types.has(type), type)
  })

  it("says which slug it has now, who chose it, and that it had others; their texts are gone", async () => {
    const changes = await page("/api/events?type=OrganizationSlugChanged")
    const { key_id } = (await page("/api/events?type=OrganizationRenamed"))[0]!.actor
    assert.deepStrictEqual(
      changes.map(({ data, actor }) => [data["text"], actor.key_id]),
      [
        [null, key_id],
        [{ slug: "third" }, key_id]
      ]
    )
    assert.lengthOf(await service.sql("SELECT FROM payloads WHERE convert_from(bytes, 'UTF8') LIKE '%\"second\"%'"), 0)
  })
})
