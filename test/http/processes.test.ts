import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { calls, type MessagesApi, type MessagesRequest, says, startMessagesApi } from "#test/MessagesApi.ts"
import {
  newInstallation,
  removeInstallation,
  type Service,
  startService,
  type TestInstallation
} from "#test/service.ts"
import { chat, turnOf, write } from "./agent.ts"
import { fine, uploading, uploadOf } from "./routes.ts"

const promptOf = ({ body }: MessagesRequest): string => String(body.messages[0]!.content)
const isGrading = ({ body }: MessagesRequest): boolean => body.tools?.[0]?.name === "grade"
const patience = { timeout: 60_000 }

describe("several services on one log", () => {
  let installation: TestInstallation
  let api: MessagesApi
  let services: Array<Service>
  /** By prompt: what its first turn waits for. */
  const gates = new Map<string, Promise<void>>()
  const gate = (prompt: string) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    gates.set(prompt, promise)
    return resolve
  }
  const asked = (prompt: string) => api.requests.filter((request) => promptOf(request) === prompt)
  const beginning = (prompt: string, times = 1) => vi.waitFor(() => assert.lengthOf(asked(prompt), times), patience)
  const start = () => startService({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url }, installation)
  const eventsOf = (type: string) =>
    services[0]!.sql<{ data: string }>("SELECT data FROM events WHERE type = $1", [type])

  beforeAll(async () => {
    installation = await newInstallation()
    api = await startMessagesApi((request) => {
      const prompt = promptOf(request)
      if (isGrading(request)) return calls({ name: "grade", input: { verdict: "thumbs_up", reason: "It does." } })
      if (turnOf(request) > 1) return says("Done.")
      return { ...write(`${prompt}.txt`), after: gates.get(prompt) ?? Promise.resolve() }
    })
    services = [await start(), await start(), await start()]
  })
  afterAll(async () => {
    for (const { stop } of services) await stop()
    await api.close()
    removeInstallation(installation)
  })

  it("carry one chat that is sent to all of them once, and ask for each of its turns once", async () => {
    const open = gate("same")
    const again = { "idempotency-key": "the same chat" }
    const send = ({ call }: Service) =>
      call("POST", "/api/agent-chat", { user_query: "same", user_id: "ada", org_id: "acme" }, again)
    const first = send(services[0]!)
    await beginning("same")
    const others = services.slice(1).map(send)
    // what they do meanwhile is to wait: they would have asked by the time that another chat has ended there
    for (const [n, { call }] of services.entries()) fine(await chat(call, `meanwhile ${n}`, "eve"))
    open()
    const answers = (await Promise.all([first, ...others])).map(fine)
    assert.lengthOf(new Set(answers.map(({ commit }) => commit)) as never, 1)
    assert.lengthOf(asked("same"), 2)
    assert.lengthOf(await eventsOf("ChatResumed"), 0)
  })

  it("carry a workspace's chats one after another, in the order of the log, wherever they were asked for", async () => {
    const prompts = ["one", "two", "three", "four"]
    const open = gate("one")
    const answers = [chat(services[0]!.call, "one", "bea")]
    await beginning("one")
    for (const [n, prompt] of prompts.slice(1).entries()) {
      answers.push(chat(services[(n + 1) % 3]!.call, prompt, "bea"))
      await vi.waitFor(async () => assert.lengthOf(await eventsOf("ChatRequested"), 6 + n), patience)
    }
    open()
    const ended = (await Promise.all(answers)).map(fine)
    assert.deepStrictEqual(
      ended.map(({ workspace_files }) => workspace_files.length),
      [1, 2, 3, 4]
    )
    for (const prompt of prompts) assert.lengthOf(asked(prompt), 2)
  })

  it("stop a run of a workspace that is erased elsewhere, which asks for nothing more", async () => {
    const open = gate("doomed")
    // the first one follows the log for erasures: neither that one nor who erases has the run
    const doomed = chat(services[1]!.call, "doomed", "cleo")
    await beginning("doomed")
    const { json } = await services[1]!.call("GET", "/api/workspaces?limit=100")
    assert.strictEqual(
      json.workspaces.some((one: { user_id: string }) => one.user_id === "cleo"),
      false
    )
    const [requested] = await services[0]!.sql<{ workspace: string }>(
      "SELECT data::json->>'workspace' AS workspace FROM events WHERE type = 'ChatRequested' ORDER BY position DESC LIMIT 1"
    )
    fine(await services[2]!.call("DELETE", `/api/workspaces/${requested!.workspace}`))
    assert.strictEqual((await doomed).status, 409)
    open()
    assert.lengthOf(asked("doomed"), 1)
  })

  it("grade what was uploaded to any of them, asking for each verdict once", async () => {
    for (const [n, { call }] of services.entries()) {
      const { user_vote: _, ...upload } = uploadOf(`graded${n}`)
      fine(await call("POST", uploading, upload))
    }
    const verdicts = async () =>
      (await eventsOf("VoteCast")).filter(({ data }) => JSON.parse(data).request !== null).length
    await vi.waitFor(async () => assert.strictEqual(await verdicts(), 3), patience)
    assert.lengthOf(api.requests.filter(isGrading), 3)
  })

  it("hand a run over when one of them is stopped, which counts as no interruption", async () => {
    const open = gate("handed over")
    const before = (await eventsOf("ChatCompleted")).length
    const given = chat(services[2]!.call, "handed over", "dora").catch(() => undefined)
    await beginning("handed over")
    // most often it is the one that was asked
    const running = await Promise.all(
      services.map(async ({ call }) => fine(await call("GET", "/api/admin/status")).chats.running)
    )
    assert.deepStrictEqual(running.toSorted(), [0, 0, 1])
    const [carrier] = services.splice(running.indexOf(1), 1)
    const stopped = carrier!.stop()
    await beginning("handed over", 2)
    open()
    await stopped
    await given
    await vi.waitFor(async () => assert.lengthOf(await eventsOf("ChatCompleted"), before + 1), patience)
    assert.lengthOf(asked("handed over"), 3)
    assert.lengthOf(await eventsOf("ChatResumed"), 0)
    services.push(await start())
  })
})
