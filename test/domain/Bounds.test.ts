import { assert, describe, it } from "@effect/vitest"
import { Bounds, BoundsCommand, BoundsEvent, type BoundsOf, unbounded } from "#domain/Bounds.ts"
import { boundRefusal, storageRefusal, type Used } from "#domain/bounded.ts"
import { given } from "#test/given.ts"
import { laws } from "#test/laws.ts"

const { SetBounds } = BoundsCommand
const { BoundsSet } = BoundsEvent.cases
const ten: BoundsOf = { ...unbounded, chatsPerDay: 10 }
const set = (key: string | null, bounds = ten) => BoundsSet.make({ tenant: "t", key, ...bounds })
const command = (key: string | null, bounds = ten) => SetBounds({ tenant: "t", key, bounds })

describe("bounds", () => {
  it("are set of a tenant and of each key by itself", () => {
    given(Bounds, []).when(command(null)).then(set(null))
    given(Bounds, [set(null)])
      .when(command("k"))
      .then(set("k"))
  })

  it("that are so already are not set again, and nothing is taken for what was there before", () => {
    given(Bounds, [set(null)])
      .when(command(null))
      .then()
    given(Bounds, []).when(command("k", unbounded)).then()
    given(Bounds, [set("k")])
      .when(command("k", unbounded))
      .then(set("k", unbounded))
  })

  it("name each model once, in one order", () =>
    given(Bounds, [])
      .when(command(null, { ...unbounded, models: ["b", "a", "b"] }))
      .then(set(null, { ...unbounded, models: ["a", "b"] })))

  laws(Bounds, BoundsEvent, [command(null), command("k"), command("k", unbounded)])
})

describe("a chat", () => {
  const now = Date.UTC(2026, 10, 30, 23, 59)
  const none: Used = { chats: 0, tokens: 0, cost: 0 }
  const asking = { model: "sonnet", priced: true, turns: 8, now, asked: now }
  const refused = (bounds: object, used: object = {}, more: object = {}) =>
    boundRefusal("key", { ...unbounded, ...bounds }, { ...none, ...used }, { ...asking, ...more })

  it("is of the day on which it was asked for: that one's end is when its count begins anew", () => {
    const late = { now: Date.UTC(2026, 11, 1, 0, 1) }
    for (const more of [{}, late]) {
      const refusal = refused({ chatsPerDay: 1 }, { chats: 1 }, more)
      assert.deepInclude(refusal, { bound: "chats_per_day", resetsAt: Date.UTC(2026, 11, 1) })
    }
    assert.deepInclude(refused({ tokensPerMonth: 1 }, { tokens: 1 }, late), { resetsAt: Date.UTC(2027, 0, 1) })
  })

  it("may do what is not bounded, and all up to its bounds", () => {
    assert.isUndefined(refused({}, { chats: 1e9, tokens: 1e12, cost: 1e9 }, { priced: false }))
    const bounds = { chatsPerDay: 2, tokensPerMonth: 10, costPerMonth: 1, maxTurns: 8, models: ["sonnet"] }
    assert.isUndefined(refused(bounds, { chats: 1, tokens: 9, cost: 0.99 }))
  })

  it("is refused with the bound, what is used and when it resets", () => {
    const tomorrow = Date.UTC(2026, 11, 1)
    const { _tag, ...chats } = refused({ chatsPerDay: 2 }, { chats: 2 })! as never as Record<string, unknown>
    assert.strictEqual(_tag, "BoundReached")
    assert.deepInclude(chats, { bound: "chats_per_day", of: "key", limit: 2, used: 2, resetsAt: tomorrow })
    assert.deepInclude({ ...refused({ tokensPerMonth: 5 }, { tokens: 7 }) }, { bound: "tokens_per_month", used: 7 })
    assert.deepInclude({ ...refused({ costPerMonth: 0.5 }, { cost: 0.5 }) }, { bound: "cost_per_month", limit: 0.5 })
    const january = Date.UTC(2027, 0, 1)
    const inDecember = refused({ tokensPerMonth: 0 }, {}, { now: Date.UTC(2026, 11, 31, 12) })
    assert.deepInclude({ ...inDecember }, { resetsAt: january })
  })

  it("is refused more turns, other models, and a cost that nobody knows", () => {
    assert.deepInclude({ ...refused({ maxTurns: 7 }) }, { _tag: "TooManyTurns", limit: 7, asked: 8 })
    assert.deepInclude({ ...refused({ models: ["haiku"] }) }, { _tag: "ModelNotAllowed", allowed: ["haiku"] })
    assert.deepInclude({ ...refused({ costPerMonth: 9 }, {}, { priced: false }) }, { _tag: "CostUnknown" })
  })
})

describe("what is stored", () => {
  const refused = (bounds: object, stored: object, more: object) =>
    storageRefusal(
      "key",
      { ...unbounded, ...bounds },
      { snippets: 0, bytes: 0, ...stored },
      { snippets: 0, bytes: 0, ...more }
    )

  it("is refused what passes a bound, and never what takes no room", () => {
    assert.isUndefined(refused({}, { snippets: 1e9, bytes: 1e15 }, { snippets: 1, bytes: 1 }))
    assert.isUndefined(refused({ snippets: 3 }, { snippets: 2 }, { snippets: 1 }))
    assert.deepInclude(
      { ...refused({ snippets: 3 }, { snippets: 2 }, { snippets: 2 }) },
      { _tag: "StorageBoundReached", bound: "snippets", of: "key", limit: 3, used: 2, asked: 2 }
    )
    assert.isUndefined(refused({ snippets: 3 }, { snippets: 9 }, {}))
    assert.isUndefined(refused({ repositoryBytes: 10 }, { bytes: 4 }, { bytes: 6 }))
    assert.deepInclude(
      { ...refused({ repositoryBytes: 10 }, { bytes: 4 }, { bytes: 7 }) },
      { bound: "repository_bytes", limit: 10, used: 4, asked: 7 }
    )
    assert.isUndefined(refused({ repositoryBytes: 10 }, { bytes: 11 }, { bytes: 0 }))
  })

  it("is refused where some bytes come and there is no room for one", () => {
    assert.isUndefined(refused({ repositoryBytes: 10 }, { bytes: 9 }, { bytes: null }))
    assert.deepInclude({ ...refused({ repositoryBytes: 10 }, { bytes: 10 }, { bytes: null }) }, { asked: null })
  })
})
