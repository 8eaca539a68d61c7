import { assert, describe, it } from "@effect/vitest"
import { Chat, ChatCommand, ChatEvent } from "#domain/Chat.ts"
import { given } from "#test/given.ts"
import { laws } from "#test/laws.ts"

const { RequestChat, StartChat, ResumeChat, CancelChat, RecordTurn, RecordTools, RecordCompaction, RecordMemory } =
  ChatCommand
const {
  ChatRequested,
  ChatStarted,
  ChatResumed,
  ChatCancelled,
  ModelTurned,
  ToolsRan,
  ChatCompacted,
  MemoryAsked,
  ChatRemembered
} = ChatEvent.cases

const run = "r1"
const subject = "workspace/w1.2"
const facts = {
  run,
  workspace: "w1",
  generation: 2,
  homes: ["acme"],
  includePublic: false,
  key: "k1",
  model: "sonnet",
  maxTurns: 5
}
const request = RequestChat({ ...facts, prompt: "do it", org: "acme", user: "eve", memory: false })
const requested = ChatRequested.make({ ...facts, subject, text: { prompt: "do it", org: "acme", user: "eve" } })
const base = { commit: "c1", tree: "t1" }
const started = ChatStarted.make({ run, base })
const resumed = (step: number, attempt: number) => ChatResumed.make({ run, step, attempt })

const content = [{ type: "text", text: "hello" }]
const usage = {
  model: "claude-sonnet-5-5",
  stopReason: "tool_use",
  inputTokens: 10,
  outputTokens: 20,
  cacheReadTokens: 6,
  cacheWriteTokens: 3
}
const turn = (turn: number) => RecordTurn({ turn, content, ...usage })
const turned = (turn: number) => ModelTurned.make({ run, turn, ...usage, subject, text: { content } })

const results = [{ toolUseId: "u1", content: "ok", isError: false }]
const tools = (turn: number) => RecordTools({ turn, results, tree: `t${turn}` })
const ran = (turn: number) => ToolsRan.make({ run, turn, tree: `t${turn}`, subject, text: { results } })

const { stopReason, ...counted } = usage
const shorter = { turn: 2, upTo: 1, ...counted }
const compact = RecordCompaction({ ...shorter, summary: "It was read." })
const compacted = ChatCompacted.make({ run, ...shorter, subject, text: { summary: "It was read." } })

const resume = ResumeChat()

describe("a run of the agent", () => {
  it("is requested, under its workspace's subject", () => given(Chat, []).when(request).then(requested))

  it("is requested once", () => given(Chat, [requested]).when(request).then())

  it("is nothing before it was requested", () => {
    for (const command of [StartChat({ base }), resume, turn(1), tools(1), compact]) {
      given(Chat, []).when(command).refuses("ChatNotRequested")
    }
  })

  it("starts on the head of that moment, or on nothing", () => {
    given(Chat, [requested]).when(StartChat({ base })).then(started)
    given(Chat, [requested])
      .when(StartChat({ base: null }))
      .then(ChatStarted.make({ run, base: null }))
  })

  it("starts once: the base stays, whoever asks again", () =>
    given(Chat, [requested, started])
      .when(StartChat({ base: null }))
      .then())

  it("goes on by turns of the model and rounds of tools, each recorded once", () => {
    given(Chat, [requested, started]).when(turn(1)).then(turned(1))
    given(Chat, [requested, started, turned(1)])
      .when(turn(1))
      .then()
    given(Chat, [requested, started, turned(1)])
      .when(tools(1))
      .then(ran(1))
    given(Chat, [requested, started, turned(1), ran(1)])
      .when(tools(1))
      .then()
    given(Chat, [requested, started, turned(1), ran(1)])
      .when(turn(2))
      .then(turned(2))
  })
})

describe("a run whose talk is too long", () => {
  const before = [requested, started, turned(1), ran(1), turned(2)]
  it("is compacted, once after each turn", () => {
    given(Chat, before).when(compact).then(compacted)
    given(Chat, [...before, compacted])
      .when(RecordCompaction({ ...shorter, upTo: 2, summary: "Another account." }))
      .then()
    given(Chat, [...before, compacted, turned(3)])
      .when(RecordCompaction({ ...shorter, turn: 3, summary: "More." }))
      .then(ChatCompacted.make({ run, ...shorter, turn: 3, subject, text: { summary: "More." } }))
  })

  it("has got past its step with it", () =>
    given(Chat, [...before, resumed(3, 1), resumed(3, 2), resumed(3, 3), compacted])
      .when(resume)
      .then(resumed(4, 1)))
})

describe("a run with memory", () => {
  const asked = MemoryAsked.make({ run })
  const facts = { how: "written" as const, ...counted }
  const remember = RecordMemory({ ...facts, account: "It was read.", from: "d1" })
  const remembered = ChatRemembered.make({ run, ...facts, subject, text: { account: "It was read.", from: "d1" } })

  it("is requested with it, in one command", () =>
    given(Chat, [])
      .when({ ...request, memory: true })
      .then(requested, asked))

  it("is remembered once, whatever is said later", () => {
    given(Chat, [requested, asked, started, turned(1)])
      .when(remember)
      .then(remembered)
    given(Chat, [requested, asked, started, turned(1), remembered])
      .when(RecordMemory({ ...facts, account: "Another account.", from: null }))
      .then()
  })

  it("alone is remembered", () => {
    given(Chat, [requested, started, turned(1)])
      .when(remember)
      .then()
    given(Chat, []).when(remember).refuses("ChatNotRequested")
  })

  it("has got past its step with it", () =>
    given(Chat, [requested, asked, started, turned(1), resumed(1, 1), resumed(1, 2), resumed(1, 3), remembered])
      .when(resume)
      .then(resumed(2, 1)))
})

describe("taking a run up", () => {
  it("counts the steps that are recorded, and the attempts at this one", () => {
    given(Chat, [requested, started]).when(resume).then(resumed(0, 1))
    given(Chat, [requested, started, turned(1)])
      .when(resume)
      .then(resumed(1, 1))
    given(Chat, [requested, started, turned(1), ran(1), turned(2)])
      .when(resume)
      .then(resumed(3, 1))
    given(Chat, [requested, started, turned(1), resumed(1, 1)])
      .when(resume)
      .then(resumed(1, 2))
  })

  it("is given up after three attempts at one step", () => {
    const stuck = [requested, started, turned(1), resumed(1, 1), resumed(1, 2), resumed(1, 3)]
    given(Chat, stuck.slice(0, -1)).when(resume).then(resumed(1, 3))
    assert.strictEqual(given(Chat, stuck).when(resume).refuses("ChatStuck").attempts, 3)
  })

  it("begins to count anew with every step", () => {
    const attempts = [resumed(1, 1), resumed(1, 2), resumed(1, 3)]
    const history = [requested, started, turned(1), ...attempts]
    given(Chat, [...history, ran(1)])
      .when(resume)
      .then(resumed(2, 1))
    given(Chat, [...history, turned(2)])
      .when(resume)
      .then(resumed(2, 1))
  })
})

describe("cancelling a run", () => {
  const cancelled = ChatCancelled.make({ run })
  const cancel = (ended: boolean) => CancelChat({ ended })

  it("is recorded, also before it starts", () => {
    given(Chat, [requested]).when(cancel(false)).then(cancelled)
    given(Chat, [requested, started, turned(1)])
      .when(cancel(false))
      .then(cancelled)
  })

  it("is refused for one that is none, has ended, or was cancelled before", () => {
    given(Chat, []).when(cancel(false)).refuses("ChatNotRequested")
    assert.strictEqual(given(Chat, [requested, started]).when(cancel(true)).refuses("ChatOver").why, "ended")
    const twice = given(Chat, [requested, started, cancelled])
    assert.strictEqual(twice.when(cancel(false)).refuses("ChatOver").why, "cancelled")
  })
})

describe("Chat", () => {
  laws(Chat, ChatEvent, [
    request,
    StartChat({ base }),
    resume,
    CancelChat({ ended: false }),
    turn(1),
    tools(1),
    compact
  ])
})
