import { Effect, Stream } from "effect"
import { assert, describe, it, vi } from "vitest"
import type { ChatEvent } from "#domain/Chat.ts"
import { decodeAll } from "#engine/pages.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Closing } from "#src/closing.ts"
import { followRun } from "#src/workspaces/following.ts"
import { Spoken } from "#src/workspaces/spoken.ts"
import { blobOf } from "#test/blobOf.ts"
import { hurried } from "#test/hurried.ts"
import { calls, says } from "#test/MessagesApi.ts"
import { organization } from "#test/service/tenants.ts"
import { newInstallation, ownerKey, removeInstallation, type Service, startService } from "#test/service.ts"
import { asked, chatting, ended, environment, scripts, service, startsAgent, write } from "./agent.ts"
import { refused } from "./problem.ts"
import { listen, type Message } from "./sse.ts"

startsAgent()

const patient = { timeout: 60_000 }
const accept = "text/event-stream"

/** Asks for a chat as events. */
const chat = (prompt: string, user: string, headers: Record<string, string> = {}, at: Service = service) =>
  listen(at, chatting, ownerKey, { accept, ...headers }, { user_query: prompt, user_id: user, org_id: "acme" })

const watch = (run: string, last?: string, at: Service = service) =>
  listen(at, `/api/runs/${run}`, ownerKey, { accept, ...(last === undefined ? {} : { "last-event-id": last }) })

const isAnswer = ({ event }: Message) => event === "answer"
const kinds = (messages: ReadonlyArray<Message>) => messages.map(({ event }) => event)
/** Without what is said before a turn is whole, which comes in pieces as it likes. */
const steps = (messages: ReadonlyArray<Message>) => messages.filter(({ event }) => event !== "text")

describe("a chat as events", () => {
  it("tells steps, words, tool calls, changed files and usage as they come, and the plain answer at last", async () => {
    const prompt = "write and say"
    const held = Promise.withResolvers<void>()
    scripts.set(prompt, (turn) =>
      turn === 1
        ? { content: [{ type: "text", text: "I write." }, ...write("a/one.txt", "1\n").content] }
        : { ...says("All of it is done."), held: held.promise }
    )
    const stream = await chat(prompt, "told")
    assert.strictEqual(stream.headers.get("x-accel-buffering"), "no")
    assert.strictEqual(stream.headers.get("cache-control"), "no-store")
    assert.isNotNull(stream.headers.get("cairn-position"))
    const before = await stream.until(({ event, data }) => event === "text" && data.turn === 2)
    // the model has not said all of it yet
    assert.deepStrictEqual(kinds(steps(before)), ["requested", "started", "turn", "tools"])
    const [requested, started, turn, tools] = steps(before)
    const { run_id, workspace_id } = requested!.data
    assert.strictEqual(stream.headers.get("location"), `/api/runs/${run_id}`)
    assert.deepInclude(requested!.data, { model: "sonnet", max_turns: 8 })
    assert.deepStrictEqual(started!.data, { commit: null })
    const [call] = turn!.data.tool_calls
    assert.deepInclude(turn!.data, { turn: 1, text: "I write." })
    assert.deepInclude(call, { name: "Write", input: { file_path: "a/one.txt", content: "1\n" } })
    assert.isAbove(turn!.data.usage.input_tokens, 0)
    assert.deepInclude(tools!.data, {
      changed_files: [{ path: "a/one.txt", status: "created", sha: blobOf("1\n") }],
      changed: 1
    })
    assert.deepInclude(tools!.data.results[0], { tool_call_id: call.id, is_error: false })
    held.resolve()
    const all = [...before, ...(await stream.until(isAnswer))]
    assert.isUndefined(await stream.next())
    assert.deepStrictEqual(
      steps(all).map(({ event, id }) => [event, id]),
      [
        ...["requested", "started", "turn", "tools", "turn"].map((event, id) => [event, String(id)]),
        ["answer", undefined]
      ]
    )
    const words = all.filter(({ event, data }) => event === "text" && data.turn === 2).map(({ data }) => data)
    // the turn itself may be faster than its last words
    assert.isTrue("All of it is done.".startsWith(words.map(({ text }) => text).join("")))
    assert.include(words.map(({ text }) => text).join(""), "All of it is ")
    assert.strictEqual(words[0].offset, 0)
    const looked = await service.call("GET", `/api/runs/${run_id}`)
    assert.deepStrictEqual(all.at(-1)!.data, looked.json)
    assert.deepInclude(looked.json.answer, { success: true, output: "All of it is done.", workspace_id })
    // who asked before there were events is answered as before
    const again = await listen(service, `/api/runs/${run_id}`, ownerKey, {
      accept: "application/json, text/event-stream"
    })
    assert.include(again.headers.get("content-type"), "application/json")
    await again.close()
  })

  it("goes on behind the last event when the connection was lost, with what is being said from its beginning", async () => {
    const prompt = "lost twice"
    const held = Promise.withResolvers<void>()
    scripts.set(prompt, (turn) =>
      turn === 1 ? write("one.txt") : { ...says("Half of it is lost."), held: held.promise }
    )
    const key = { "idempotency-key": "lost twice" }
    const first = await chat(prompt, "lost", key)
    const heard = await first.until(({ event, data }) => event === "text" && data.turn === 2)
    const last = steps(heard).at(-1)!
    await first.close()
    // asked for again, and looked at
    for (const open of [
      () => chat(prompt, "lost", { ...key, "last-event-id": last.id! }),
      () => watch(heard[0]!.data.run_id, last.id)
    ]) {
      const second = await open()
      const [words] = await second.take(1)
      assert.deepInclude(words, { event: "text", id: undefined })
      assert.deepInclude(words!.data, { turn: 2, offset: 0 })
      await second.close()
    }
    const third = await watch(heard[0]!.data.run_id, last.id)
    await third.take(1)
    held.resolve()
    const rest = steps(await third.until(isAnswer))
    assert.deepStrictEqual(kinds(rest), ["turn", "answer"])
    assert.strictEqual(rest[0]!.id, String(Number(last.id) + 1))
    assert.strictEqual(rest[0]!.data.text, "Half of it is lost.")
    assert.strictEqual(asked(prompt).length, 2)
    // all of it again, when it is over
    const whole = await (await watch(heard[0]!.data.run_id)).until(isAnswer)
    assert.deepStrictEqual(kinds(whole), ["requested", "started", "turn", "tools", "turn", "answer"])
    assert.deepStrictEqual(whole.slice(0, 4), steps(heard).slice(0, 4))
  })

  it("goes on when nobody listens any more, and tells that it is cancelled", async () => {
    const prompt = "left alone"
    const held = Promise.withResolvers<void>()
    scripts.set(prompt, (turn) => ({ ...write(`${turn}.txt`), ...(turn === 2 ? { after: held.promise } : {}) }))
    const stream = await chat(prompt, "alone")
    const [requested] = await stream.take(1)
    await stream.close()
    const run = requested!.data.run_id
    await vi.waitFor(() => assert.strictEqual(asked(prompt).length, 2), patient)
    const watching = await watch(run)
    await watching.until(({ event }) => event === "tools")
    assert.strictEqual((await service.call("POST", `/api/runs/${run}/cancel`)).status, 200)
    const rest = await watching.until(isAnswer)
    held.resolve()
    assert.deepStrictEqual(kinds(rest), ["cancelling", "answer"])
    assert.deepInclude(rest[1]!.data, { state: "cancelled", failure: "cancelled" })
    assert.deepStrictEqual(rest[1]!.data.answer.changed_files, ["1.txt"])
  })

  it("is its organization's, and gone with its workspace; a bad Last-Event-ID is refused", async () => {
    const prompt = "erased in the midst"
    const held = Promise.withResolvers<void>()
    scripts.set(prompt, () => ({ ...calls({ name: "Bash", input: { command: "true" } }), after: held.promise }))
    const stream = await chat(prompt, "gone")
    const [requested] = await stream.take(1)
    const { run_id: run, workspace_id: workspace } = requested!.data
    const { call: other } = await organization(service, "ENTERPRISE")
    refused(await other("GET", `/api/runs/${run}`, undefined, { accept }), 404, "not_found/run")
    const bad = await service.call("GET", `/api/runs/${run}`, undefined, { accept, "last-event-id": "x" })
    refused(bad, 400, "validation/invalid_field")
    assert.strictEqual((await service.call("DELETE", `/api/workspaces/${workspace}`)).status, 200)
    held.resolve()
    const rest = await stream.until(({ event }) => event === "end")
    assert.deepInclude(rest.at(-1)!.data, { reason: "erased" })
    assert.isUndefined(await stream.next())
    refused(await service.call("GET", `/api/runs/${run}`, undefined, { accept }), 404, "not_found/run")
  })

  it("is told of at another process than the one that carries it; says when its own stops", async () => {
    const installation = await newInstallation()
    const one = await startService(environment(), installation)
    const two = await startService(environment(), installation)
    const held = Promise.withResolvers<void>()
    try {
      const prompt = "told at two"
      scripts.set(prompt, (turn) => (turn === 1 ? write("1.txt") : { ...says("Done."), after: held.promise }))
      const here = await chat(prompt, "two", {}, one)
      const [requested] = await here.take(1)
      const there = await watch(requested!.data.run_id, undefined, two)
      assert.deepStrictEqual(kinds(await there.take(4)), ["requested", "started", "turn", "tools"])
      await two.stop()
      const [parting] = await there.take(1)
      assert.deepInclude(parting!.data, { reason: "stopping" })
      held.resolve()
      assert.strictEqual((await here.until(isAnswer)).at(-1)!.data.state, "completed")
    } finally {
      held.resolve()
      await two.stop()
      await one.stop()
      removeInstallation(installation)
    }
  })
})

it("says from time to time that it is there, and that the store is away", async () => {
  const prompt = "silent for long"
  const held = Promise.withResolvers<void>()
  scripts.set(prompt, () => ({ ...says("Done."), after: held.promise }))
  const stream = await chat(prompt, "silent")
  const [requested] = await stream.take(2)
  // each look at the clock is 8 s later
  const told = await service.run(
    Effect.gen(function* () {
      const id = requested!.data.run_id
      const [first] = yield* decodeAll<ChatEvent>((yield* (yield* EventStore).readStream(`chat-${id}`, -1)).events)
      const { event, tenant } = first!
      if (event._tag !== "ChatRequested") return yield* Effect.die(event)
      const { run, workspace, generation, key } = event
      const user = "silent"
      // words of a turn that was told are none any more
      const spoken = yield* Spoken
      spoken.turn(run, 1)("late")
      const following = followRun({ run, workspace, generation, user, tenant, key, after: 1, turns: 1 })
      const silent = yield* hurried(Stream.runCollect(Stream.take(following, 2)), 8_000)
      const store = yield* EventStore
      const broken = EventStore.of({ ...store, readStream: () => Effect.fail({ _tag: "StoreUnavailable" } as never) })
      const away = yield* Stream.runCollect(following).pipe(Effect.provideService(EventStore, broken))
      return [...silent, ...away]
    }).pipe(Effect.provide(Closing.layer))
  )
  held.resolve()
  assert.deepStrictEqual(told, [{ _tag: "Silence" }, { _tag: "Silence" }, { _tag: "End", why: "unavailable" }])
  await stream.until(isAnswer)
})

it("names what each round of tools changed, also to who comes back in between", async () => {
  scripts.set("two rounds", (turn) => (turn < 3 ? write(`${turn}.txt`) : says("Done.")))
  const { session_id: run } = await ended(service.call, "two rounds", "rounds")
  const changed = (messages: ReadonlyArray<Message>) =>
    messages.filter(({ event }) => event === "tools").map(({ data }) => data.changed_files)
  const [one, two] = [1, 2].map((n) => [{ path: `${n}.txt`, status: "created", sha: blobOf("x\n") }])
  assert.deepStrictEqual(changed(await (await watch(run)).until(isAnswer)), [one, two])
  assert.deepStrictEqual(changed(await (await watch(run, "3")).until(isAnswer)), [two])
})

it("the plain answer is what it was", async () => {
  const answer = await ended(service.call, "plain", "plain")
  assert.deepStrictEqual(Object.keys(answer), [
    ...["success", "output", "error", "session_id", "duration_ms", "workspace_id", "commit"],
    ...["changed_files", "workspace_files", "org_workspace_files"]
  ])
})
