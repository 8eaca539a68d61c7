import { assert, describe, it } from "@effect/vitest"
import { Chat, ChatEvent } from "#domain/Chat.ts"
import { unlimited } from "#domain/Key.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { OrganizationEvent } from "#domain/Organization/events.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { User, UserEvent } from "#domain/User.ts"
import type { Decider } from "#engine/Decider.ts"

const keys = { hash: "h", prefix: "p", ...unlimited, subject: "s", text: null } as const

/** How many elements of collections are copied, while `evolve` takes one event more in. */
const copied = <E, S>(decider: Decider<never, E, S, unknown>, history: ReadonlyArray<E>, next: E): number => {
  const state = history.reduce(decider.evolve, decider.initial)
  const natives = [Set.prototype, Map.prototype].map((prototype) => [prototype, prototype[Symbol.iterator]] as const)
  let count = 0
  try {
    for (const [prototype, native] of natives) {
      Object.defineProperty(prototype, Symbol.iterator, {
        configurable: true,
        writable: true,
        *value(this: unknown) {
          for (const one of { [Symbol.iterator]: () => (native as () => Iterator<unknown>).call(this) }) {
            count += 1
            yield one
          }
        }
      })
    }
    decider.evolve(state, next)
  } finally {
    for (const [prototype, native] of natives) {
      Object.defineProperty(prototype, Symbol.iterator, { configurable: true, writable: true, value: native })
    }
  }
  return count
}

const each = <E>(make: (n: number) => E) => Array.from({ length: 2_000 }, (_, n) => make(n))

describe("taking in an event costs the same, however much there was before", () => {
  const { KeyCreated, KeyLimited, KeyRevoked, MemberAdded, MemberErased, MemberRoleChanged } = OrganizationEvent.cases
  const created = (n: number) => KeyCreated.make({ key: `k${n}`, user: `u${n}`, role: "member", ...keys })

  it("of an organization", () => {
    const history: Array<OrganizationEvent> = [
      ...each((n) => MemberAdded.make({ user: `u${n}`, role: "member", subject: "s", text: null })),
      ...each((n) => MemberErased.make({ user: `gone${n}`, subject: "s" })),
      ...each(created)
    ]
    for (const next of [
      created(9_999),
      KeyRevoked.make({ key: "k1", user: "u1" }),
      MemberAdded.make({ user: "new", role: "member", subject: "s", text: null }),
      MemberErased.make({ user: "u1", subject: "s" }),
      MemberRoleChanged.make({ user: "u1", role: "reader" }),
      KeyLimited.make({ key: "k1", role: null, ...unlimited })
    ]) {
      assert.strictEqual(copied(Organization, history, next), 0, next._tag)
    }
  })

  it("of a person", () => {
    const history = each((n) => UserEvent.cases.KeyCreated.make({ key: `k${n}`, user: "u", role: "owner", ...keys }))
    for (const next of [
      UserEvent.cases.KeyCreated.make({ key: "new", user: "u", role: "owner", ...keys }),
      UserEvent.cases.KeyRevoked.make({ key: "k1", user: "u" })
    ]) {
      assert.strictEqual(copied(User, history, next), 0, next._tag)
    }
  })

  it("of a chat", () => {
    const turn = (n: number) =>
      ChatEvent.cases.ModelTurned.make({
        run: "r",
        turn: n,
        model: null,
        stopReason: "end",
        inputTokens: 0,
        outputTokens: 0,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        subject: "s",
        text: null
      })
    const round = (n: number) =>
      ChatEvent.cases.ToolsRan.make({ run: "r", turn: n, tree: "t", subject: "s", text: null })
    const history = [...each(turn), ...each(round)]
    for (const next of [turn(9_999), round(9_999)]) assert.strictEqual(copied(Chat, history, next), 0, next._tag)
  })

  it("of a snippet", () => {
    const asked = (n: number) => SnippetEvent.cases.VoteRequested.make({ snippet: "s", request: `q${n}`, count: 1 })
    const ended = SnippetEvent.cases.GradingCancelled.make({ snippet: "s", request: "q1", cause: "expired" })
    for (const next of [asked(9_999), ended]) assert.strictEqual(copied(Snippet, each(asked), next), 0, next._tag)
  })
})
