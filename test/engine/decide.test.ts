import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Result } from "effect"
import type { DomainEvent } from "#domain/events.ts"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { UsageEvent } from "#domain/Usage.ts"
import { type AnyDecider, type Decision, decideAll, encodeAll, Idle, type QueuedCommand } from "#engine/decide.ts"
import * as Codec from "#src/codec.ts"

const decision = (events: ReadonlyArray<DomainEvent>, more: Partial<QueuedCommand> = {}): Decision => ({
  queued: {
    tenant: "tenant",
    stream: "stream",
    command: null,
    commandId: "command",
    correlationId: "correlation",
    actor: { key: null, user: null, organization: null },
    answer: Deferred.makeUnsafe(),
    deadline: 0,
    ...more
  } as QueuedCommand,
  events
})

const used = UsageEvent.cases.KeyUsed.make({ key: "key" })
const size = JSON.stringify({ key: "key" }).length
const { VoteCast, SnippetDeleted } = SnippetEvent.cases
const vote = (task: string) =>
  VoteCast.make({
    snippet: "s",
    value: 1,
    count: 1,
    source: "human",
    voter: null,
    request: null,
    subject: "s",
    text: { task, reason: null, origin: null }
  })

const encoded = (...of: Parameters<typeof encodeAll>) => Effect.provide(encodeAll(...of), Codec.layer)

describe("what goes to the log", () => {
  it.effect("says who gave a command, why, for which request, and what it erases", () =>
    Effect.gen(function* () {
      const request = { digest: "digest", n: 2, fingerprint: null }
      const deleted = SnippetDeleted.make({
        snippet: "s",
        subject: "snippet/s",
        comments: [],
        executions: [],
        logs: []
      })
      const { commands } = yield* encoded(
        [decision([used, deleted], { causationId: "cause", request }), decision([used])],
        1_000_000
      )
      const [first, second] = commands
      assert.deepStrictEqual(
        [first!.causationId, first!.request, first!.events.map(({ type, erases }) => [type, erases])],
        [
          "cause",
          request,
          [
            ["KeyUsed", []],
            ["SnippetDeleted", ["snippet/s"]]
          ]
        ]
      )
      assert.deepStrictEqual([second!.causationId, second!.request], [null, null])
    })
  )

  it.effect("ends with the command that brings it to the bound, and names the first that is left", () =>
    Effect.gen(function* () {
      const decisions = Array.from({ length: 4 }, () => decision([used]))
      for (const [most, taken] of [
        [1, 1],
        [size, 1],
        [size + 1, 2],
        [2 * size, 2],
        [2 * size + 1, 3],
        [3 * size + 1, 4],
        [4 * size, 4]
      ] as const) {
        const { commands, later } = yield* encoded(decisions, most)
        assert.strictEqual(commands.length, taken, `${most} bytes`)
        assert.strictEqual(later, decisions[taken]?.queued)
      }
      assert.deepStrictEqual(yield* encoded([], 1), { commands: [], later: undefined })
    })
  )

  it.effect("counts every event of a command, and its text as well as its data", () =>
    Effect.gen(function* () {
      const long = decision([vote("x".repeat(1_000)), used])
      const { commands } = yield* encoded([long], 1)
      const [voted, other] = commands[0]!.events
      const all = voted!.data.length + voted!.payload!.bytes.length + other!.data.length
      assert.isAbove(all, 1_000)
      assert.lengthOf((yield* encoded([long, long], all)).commands, 1)
      assert.lengthOf((yield* encoded([long, long], all + 1)).commands, 2)
    })
  )
})

/** Counts up to three; what is there already changes nothing. */
const counting: AnyDecider = {
  initial: 0,
  decide: (command, state) => {
    if (typeof command !== "number" || typeof state !== "number" || command > 3) return Result.fail({ _tag: "TooMany" })
    return Result.succeed(Array.from({ length: Math.max(0, command - state) }, () => used))
  },
  evolve: (state) => (typeof state === "number" ? state + 1 : 0)
}

describe("commands that wait together", () => {
  const queued = (command: number, n: number) => decision([], { command, commandId: `${n}` }).queued
  const [one, same, many, three, two, more] = [
    queued(1, 0),
    queued(1, 1),
    queued(4, 2),
    queued(3, 3),
    queued(2, 4),
    queued(9, 5)
  ] as const
  const twin = (of: QueuedCommand): QueuedCommand =>
    decision([], { commandId: of.commandId, command: of.command }).queued

  it("are decided each on what those before it led to; what appends nothing stands in the order in which it came", () => {
    const again = twin(three)
    const { decisions, idle, state } = decideAll(counting, 0, [one, same, many, three, two, more, again])
    assert.deepStrictEqual(
      decisions.map(({ queued, events }) => [queued, events.length]),
      [
        [one, 1],
        [three, 2]
      ]
    )
    assert.deepStrictEqual(idle, [
      Idle.Already({ queued: same }),
      Idle.Refusal({ queued: many, refusal: { _tag: "TooMany" } }),
      Idle.Already({ queued: two }),
      Idle.Refusal({ queued: more, refusal: { _tag: "TooMany" } }),
      Idle.Twin({ queued: again, of: three.answer })
    ])
    assert.strictEqual(state, 3)
  })

  it("are twins only of one that appends: what was refused or already so is decided by itself", () => {
    const [first, second] = [twin(many), twin(same)]
    const { decisions, idle } = decideAll(counting, 1, [many, first, same, second])
    assert.deepStrictEqual(decisions, [])
    assert.deepStrictEqual(
      idle.map(({ _tag }) => _tag),
      ["Refusal", "Refusal", "Already", "Already"]
    )
    const both = decideAll(counting, 0, [three, twin(three), twin(three)])
    assert.lengthOf(both.decisions, 1)
    assert.deepStrictEqual(
      both.idle.map(({ _tag }) => _tag),
      ["Twin", "Twin"]
    )
  })
})
