import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { type Block, calls, type MessagesRequest, says } from "#test/MessagesApi.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import { newInstallation, removeInstallation, startService } from "#test/service.ts"
import { api, asked, ended, environment, scripts, service, startsAgent, write } from "./agent.ts"
import { refused } from "./problem.ts"

startsAgent()

type Call = typeof service.call

const read = async (path: string, call: Call = service.call) => {
  const { status, json, text } = await call("GET", path)
  assert.strictEqual(status, 200, text)
  return json
}
const turnsOf = (run: string, call?: Call) => read(`/api/runs/${run}/turns`, call)
const turnOf = (run: string, turn: number, call?: Call) => read(`/api/runs/${run}/turns/${turn}`, call)

interface ToldExchange {
  readonly content: ReadonlyArray<Block>
  readonly results: ReadonlyArray<{ tool_call_id: string; content: string; is_error: boolean }> | null
}

/** Without the marks of where the cache goes to, which say nothing to the model. */
const unmarked = ({ cache_control: _, ...block }: Block): Block => block as Block

/** What a request to the Messages API told its model. */
const sent = ({ body }: MessagesRequest) => ({
  system: (body.system as ReadonlyArray<{ text: string }>).map(({ text }) => text).join(),
  tools: body.tools!.map(({ name, input_schema, ...rest }) => ({
    name,
    description: (rest as { description?: string }).description,
    input_schema
  })),
  messages: body.messages.map(({ role, content }) => ({
    role,
    content: typeof content === "string" ? content : content.map(unmarked)
  }))
})

/** The same as the API of the service tells it. */
const toldAs = ({ told }: Awaited<ReturnType<typeof turnOf>>) => ({
  system: told.system,
  tools: told.tools,
  messages: [
    { role: "user", content: told.prompt },
    ...(told.history as ReadonlyArray<ToldExchange>).flatMap(({ content, results }) => [
      { role: "assistant", content },
      ...(results === null
        ? []
        : [
            {
              role: "user",
              content: results.map((one) => ({
                type: "tool_result",
                tool_use_id: one.tool_call_id,
                content: one.content,
                ...(one.is_error ? { is_error: true } : {})
              }))
            }
          ])
    ])
  ]
})

const thought = { type: "thinking", thinking: "First a file.", signature: "c2lnbmVk" }

describe("what the model was told at a turn of a run", () => {
  it("is what was sent: system prompt, tools, task, each turn before and the results of its tools", async () => {
    const prompt = "told word by word"
    scripts.set(prompt, (turn) => {
      if (turn === 1) return { content: [thought, { type: "text", text: "I write." }, ...write("one.txt").content] }
      if (turn === 2) return calls({ name: "Bash", input: { command: "false" } }, { name: "Nothing", input: {} })
      return turn === 3 ? { ...says("Wait."), stopReason: "pause_turn" } : says("Done.")
    })
    const { session_id: run, workspace_id } = await ended(service.call, prompt, "told")
    const requests = asked(prompt)
    assert.lengthOf(requests, 4)
    for (const [index, request] of requests.entries()) {
      const turn = await turnOf(run, index + 1)
      assert.deepStrictEqual(toldAs(turn), sent(request), `turn ${index + 1}`)
      assert.deepInclude(turn, { run_id: run, workspace_id, turn: index + 1 })
      assert.deepInclude(turn.told, { compacted_up_to: 0, memory: null })
    }
    const { history } = (await turnOf(run, 4)).told
    assert.deepStrictEqual(
      history.map(({ turn }: { turn: number }) => turn),
      [1, 2, 3]
    )
    assert.deepInclude(history[0].content[0], thought)
    assert.isTrue(history[1].results.every(({ is_error }: { is_error: boolean }) => is_error))
    assert.isNull(history[2].results)
  })

  it("has the summary in place of the turns that it stands for, from the turn on that was told so", async () => {
    const prompt = "told in short"
    const steps = (turn: number) =>
      turn < 3 ? write(`${turn}.txt`) : { ...says(""), stopReason: "model_context_window_exceeded" }
    const find = scripts.get.bind(scripts)
    scripts.get = ((given: string) => {
      if (given.startsWith("The task:\ntold in short"))
        return () => ({ ...says("Two files are there."), usage: { input_tokens: 7, output_tokens: 3 } })
      if (given === prompt) return steps
      if (given.startsWith(prompt)) return () => says("All of it.")
      return find(given)
    }) as typeof scripts.get
    const { session_id: run } = await ended(service.call, prompt, "short")
    const told = (turn: number) => turnOf(run, turn)
    const requests = api.requests.filter(({ body }) => String(body.messages[0]!.content).startsWith(prompt))
    assert.lengthOf(requests, 4)
    for (const [index, request] of requests.entries())
      assert.deepStrictEqual(toldAs(await told(index + 1)), sent(request), `turn ${index + 1}`)
    const [before, after] = [await told(3), await told(4)]
    assert.strictEqual(before.told.compacted_up_to, 0)
    assert.isAbove(after.told.compacted_up_to, 0)
    assert.include(after.told.prompt, "Two files are there.")
    const { turns } = await turnsOf(run)
    assert.deepStrictEqual(
      turns.map(({ ended, compacted }: { ended: string; compacted: { up_to: number } | null }) => [
        ended,
        compacted?.up_to ?? null
      ]),
      [
        ["calls", null],
        ["calls", null],
        ["full", null],
        ["done", after.told.compacted_up_to]
      ]
    )
    const usage = { input_tokens: 7, output_tokens: 3, cache_read_tokens: 0, cache_write_tokens: 0 }
    assert.deepInclude(turns[3].compacted, { usage, cost: null })
  })

  it("has the account of earlier chats that the run began on, also when it is another one by now", async () => {
    const tell = async (prompt: string) => (await ended(service.call, prompt, "recalls", { memory: true })).session_id
    const find = scripts.get.bind(scripts)
    scripts.get = ((given: string) => {
      if (given.includes("The task of the chat:")) return () => says(`Account of ${/`\n(.*)\n`/.exec(given)?.[1]}`)
      return find(given)
    }) as typeof scripts.get
    const [first, second, third] = [await tell("recall 1"), await tell("recall 2"), await tell("recall 3")]
    assert.deepInclude((await turnOf(first, 1)).told, { memory: "none", prompt: "recall 1" })
    for (const [run, prompt] of [
      [second, "recall 2"],
      [third, "recall 3"]
    ] as const) {
      const turn = await turnOf(run, 1)
      const [request] = api.requests.filter(({ body }) => String(body.messages[0]!.content).startsWith(prompt))
      assert.deepStrictEqual(toldAs(turn), sent(request!))
      assert.strictEqual(turn.told.memory, "told")
      assert.include(turn.told.prompt, "[What earlier chats")
    }
    const { remembered } = await turnsOf(first)
    assert.deepInclude(remembered, { how: "written", cost: null })
  })
})

describe("the time, tokens and cost of each turn", () => {
  it("are told by the prices that the operator gave, with the cache's; and not where there are none", async () => {
    const priced = await startService({
      ...environment(),
      CAIRN_MODELS: JSON.stringify({
        house: {
          provider: "anthropic",
          model: "claude-sonnet-5-5",
          prices: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 }
        }
      })
    })
    try {
      const prompt = "told its price"
      const usage = {
        input_tokens: 100,
        output_tokens: 40,
        cache_read_input_tokens: 1_000,
        cache_creation_input_tokens: 200
      }
      scripts.set(prompt, (turn) => ({ ...(turn === 1 ? write("a.txt") : says("Done.")), usage }))
      const { session_id: run } = await ended(priced.call, prompt, "priced", { model: "house" })
      const { turns, remembered } = await turnsOf(run, priced.call)
      assert.isNull(remembered)
      assert.lengthOf(turns, 2)
      const [first, last] = turns
      for (const turn of turns) {
        assert.deepStrictEqual(turn.usage, {
          input_tokens: 1_300,
          output_tokens: 40,
          cache_read_tokens: 1_000,
          cache_write_tokens: 200
        })
        // 100 · 3 + 40 · 15 + 1,000 · 0.3 + 200 · 3.75 in millionths
        assert.closeTo(turn.cost, 0.00195, 1e-12)
        const { told: _, run_id: __, workspace_id: ___, ...facts } = await turnOf(run, turn.turn, priced.call)
        assert.deepStrictEqual(facts, turn)
      }
      const { requested_at, ended_at } = await read(`/api/runs/${run}`, priced.call)
      const times = [
        requested_at,
        first.begun_at,
        first.answered_at,
        first.tools_ended_at,
        last.begun_at,
        last.answered_at,
        ended_at
      ]
      assert.deepStrictEqual([...times].sort(), times)
      assert.strictEqual(last.begun_at, first.tools_ended_at)
      assert.isNull(last.tools_ended_at)

      const other = await ended(priced.call, "told no price", "priced", { model: "sonnet" })
      assert.isNull((await turnsOf(other.session_id, priced.call)).turns[0].cost)
      const local = await ended(priced.call, "no model at all", "priced", { model: "local" })
      const [answered] = (await turnsOf(local.session_id, priced.call)).turns
      assert.deepInclude(answered, { cost: 0, model: "local" })
    } finally {
      await priced.close()
    }
  })
})

describe("the files after a turn", () => {
  const script = (turn: number) => {
    if (turn === 1) return write("one.txt", "first\n")
    if (turn === 2)
      return calls({ name: "Bash", input: { command: "mkdir -p d && mv one.txt d/uno.txt && echo 2 > two.txt" } })
    return turn === 3 ? write("two.txt", "second\n") : says("Done.")
  }

  it("are the run's own of that moment, all of them, with their content", async () => {
    await ended(service.call, "there before", "trees", { model: "local" })
    scripts.set("there before, written", (turn) => (turn === 1 ? write("kept.txt", "k\n") : says("Done.")))
    await ended(service.call, "there before, written", "trees")
    scripts.set("three trees", script)
    const { session_id: run, workspace_id: id } = await ended(service.call, "three trees", "trees")
    const place = (turn: number | string, more = "") => `?run=${run}&turn=${turn}${more}`
    const paths = async (turn: number) =>
      (await read(`/api/workspaces/${id}/tree${place(turn)}`)).files.map(({ path }: { path: string }) => path)
    const content = async (turn: number, path: string) =>
      (await service.call("GET", `/api/workspaces/${id}/files/${path}${place(turn)}`)).text
    assert.deepStrictEqual(await paths(1), ["kept.txt", "one.txt"])
    assert.deepStrictEqual(await paths(2), ["d/uno.txt", "kept.txt", "two.txt"])
    assert.deepStrictEqual(await paths(3), await paths(2))
    assert.deepStrictEqual(await paths(4), await paths(3))
    assert.deepStrictEqual(
      [await content(1, "one.txt"), await content(2, "d/uno.txt"), await content(2, "two.txt")],
      ["first\n", "first\n", "2\n"]
    )
    assert.strictEqual(await content(3, "two.txt"), "second\n")
    const get = (path: string) => service.call("GET", `/api/workspaces/${id}/${path}`)
    refused(await get(`files/one.txt${place(2)}`), 404, "not_found/file")
    for (const [given, status, code] of [
      [place(0), 400, "validation/invalid_field"],
      [place(-1), 400, "validation/invalid_field"],
      [place("x"), 400, "validation/invalid_field"],
      [place(5), 404, "not_found/turn"],
      [place(999), 404, "not_found/turn"],
      [place(1, `&at=${"0".repeat(40)}`), 400, "validation/invalid_field"],
      [`?run=${run}`, 400, "validation/invalid_field"],
      ["?turn=1", 400, "validation/invalid_field"],
      ["?run=none&turn=1", 404, "not_found/run"]
    ] as const) {
      refused(await get(`tree${given}`), status, code)
      refused(await get(`files/kept.txt${given}`), status, code)
    }
    // a run of another workspace
    const other = await ended(service.call, "elsewhere", "other trees")
    refused(await get(`tree?run=${other.session_id}&turn=1`), 404, "not_found/run")
    // with nothing before, and nothing written
    const empty = await read(`/api/workspaces/${other.workspace_id}/tree?run=${other.session_id}&turn=1`)
    assert.deepStrictEqual(empty.files, [])
    refused(
      await service.call("GET", `/api/workspaces/${other.workspace_id}/files/a?run=${other.session_id}&turn=1`),
      404,
      "not_found/file"
    )
  })

  it("of which no commit has some are said to be kept no more, once they are not; what a commit has is told", async () => {
    const installation = await newInstallation()
    const first = await startService(environment(), installation)
    scripts.set("trees that go", script)
    const { session_id: run, workspace_id: id } = await ended(first.call, "trees that go", "gone")
    await first.stop()
    const second = await startService(environment(), installation)
    try {
      const gitdir = join(second.dataDir, "workspaces", `${id}.git`)
      const git = (...words: ReadonlyArray<string>) =>
        execFileSync("git", ["--git-dir", gitdir, "-c", "safe.directory=*", ...words], { encoding: "utf8" })
      // what no ref reaches, as packing leaves it out a day after the run
      git("repack", "-adq")
      git("prune", "--expire=now")
      const get = (path: string) => second.call("GET", `/api/workspaces/${id}/${path}`)
      refused(await get(`tree?run=${run}&turn=1`), 404, "not_found/tree")
      refused(await get(`files/one.txt?run=${run}&turn=1`), 404, "not_found/tree")
      assert.strictEqual((await get(`tree?run=${run}&turn=4`)).status, 200)
      // what was said and taken is the log's, and stays
      assert.lengthOf((await turnOf(run, 4, second.call)).told.history, 3)
    } finally {
      await second.stop()
      removeInstallation(installation)
    }
  })
})

describe("turns of a run", () => {
  it("are its workspace's readers', and gone with it", async () => {
    const { call: owner } = await organization(service, "ENTERPRISE")
    const { session_id: run, workspace_id: id } = await ended(owner, "whose turns", "r@example.org")
    const paths = [`/api/runs/${run}/turns`, `/api/runs/${run}/turns/1`]
    const tree = `/api/workspaces/${id}/tree?run=${run}&turn=1`
    const reader = service.as((await memberKey(owner, "r@example.org", "reader")).key)
    const stranger = service.as((await memberKey(owner, "s@example.org", "member")).key)
    const { call: foreigner } = await organization(service, "ENTERPRISE")
    for (const path of [...paths, tree]) assert.strictEqual((await reader("GET", path)).status, 200, path)
    for (const call of [stranger, foreigner]) {
      for (const path of paths) refused(await call("GET", path), 404, "not_found/run")
      refused(await call("GET", tree), 404, "not_found/workspace")
    }
    // their own workspace, and somebody else's run
    const own = await ended(stranger, "my own", "s@example.org")
    refused(await stranger("GET", `/api/workspaces/${own.workspace_id}/tree?run=${run}&turn=1`), 404, "not_found/run")
    for (const given of ["0", "2", "999", "-1", "x", "1.0", "01", "%20"])
      refused(await owner("GET", `/api/runs/${run}/turns/${given}`), 404, "not_found/turn")
    for (const given of ["none", "00000000-0000-4000-8000-000000000000"])
      for (const path of [`/api/runs/${given}/turns`, `/api/runs/${given}/turns/1`])
        refused(await owner("GET", path), 404, "not_found/run")
    assert.strictEqual((await owner("DELETE", `/api/workspaces/${id}`)).status, 200)
    for (const path of paths) {
      const answer = await owner("GET", path)
      refused(answer, 404, "not_found/run")
      assert.include(answer.json.message, "erased")
    }
    refused(await owner("GET", tree), 404, "not_found/workspace")
  })
})
