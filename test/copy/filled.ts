import { assert, vi } from "vitest"
import { commitsOf, ended, write } from "#test/http/agent.ts"
import { statusOf } from "#test/http/bundle.ts"
import { matches, remove, source, stored, vote } from "#test/http/store.ts"
import { calls, type MessagesRequest, type Reply, says } from "#test/MessagesApi.ts"
import type { Call } from "#test/service/call.ts"
import { memberKey } from "#test/service/tenants.ts"
import type { Service } from "#test/service.ts"

const promptOf = ({ body }: MessagesRequest): string => String(body.messages[0]!.content)

/** A model that gives each file thumbs up, and in a chat writes a file that is called as the prompt. */
export const model = (request: MessagesRequest): Reply => {
  const prompt = promptOf(request)
  if (prompt.includes("def ")) return calls({ name: "grade", input: { verdict: "thumbs_up", reason: "It works." } })
  return request.body.messages.length === 1 ? write(`${prompt}.txt`, `${prompt}\n`) : says("Done.")
}

/** Of what nobody would be told the same twice. */
const drifting = new Set(["search_id", "took_ms", "query_id", "last_used_at"])
const steady = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, part) => (drifting.has(key) ? undefined : part)))

/** What its callers see of a store: searches, workspaces and their commits and files, keys, patterns. */
export const seen = async (call: Call) => {
  const { json: listed } = await call("GET", "/api/workspaces")
  const workspaces: ReadonlyArray<{ readonly workspace_id: string }> = listed.workspaces
  const trees = await Promise.all(
    workspaces.map(async ({ workspace_id }) => [
      await commitsOf(workspace_id, call),
      (await call("GET", `/api/workspaces/${workspace_id}/tree`)).json
    ])
  )
  return steady({
    found: await matches(call, "alpha task", { top_k: 20, min_verdict_score: 0 }),
    others: await matches(call, "what beta does", { top_k: 20, min_verdict_score: 0 }),
    patterns: (await call("POST", "/api/retrieve/task-patterns", { task: "alpha task" })).json,
    keys: (await call("POST", "/api/keys/org/list")).json,
    listed,
    trees
  })
}

/** Waits until a store's callers see the same: what was learned from votes is read on behind all else at a start. */
export const sees = (call: Call, before: unknown) =>
  vi.waitFor(async () => assert.deepStrictEqual(await seen(call), before), { timeout: 120_000, interval: 250 })

/**
 * Fills a service on the stand-in model with all that there is: snippets, votes, searches, gradings, chats, and what
 * was erased.
 */
export const fill = async (service: Service) => {
  const { call } = service
  for (const name of ["alpha", "beta", "gamma", "delta"]) await stored(call, name, { user_vote: 1 })
  // longer than one message to the database; of one line, as each line more is looked at by itself
  await stored(call, "long", {
    user_vote: 1,
    file_written: { path: "long.py", content: `${source("long")}# ${"ä".repeat(450_000)}\n` }
  })
  const [alpha] = await matches(call, "alpha task")
  await vote(call, alpha!.code_block.id, true, { task: "alpha task" })
  await vote(call, alpha!.code_block.id, false, { task: "another task" })
  assert.strictEqual((await remove(call, "delta")).status, 200)
  await memberKey(call, "mia@example.org")
  const member = await memberKey(call, "max@example.org")
  const { keys } = (await call("POST", "/api/keys/org/list")).json
  const { user_id } = keys.find(({ id }: { id: string }) => id === member.id)
  assert.strictEqual((await call("DELETE", `/api/users/${user_id}`)).status, 200)
  const { status_url } = await stored(call, "graded")
  await vi.waitFor(async () => assert.strictEqual((await statusOf(call, status_url)).status, "done"), {
    timeout: 60_000,
    interval: 20
  })
  for (const prompt of ["one", "two"]) await ended(call, prompt, "ada")
  await ended(call, "gone", "eve")
  const { json } = await call("GET", "/api/workspaces")
  const eves = json.workspaces.find((workspace: { user_id: string }) => workspace.user_id === "eve")
  assert.strictEqual((await call("DELETE", `/api/workspaces/${eves.workspace_id}`)).status, 200)
}
