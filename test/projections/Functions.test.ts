import { assert, describe, it } from "vitest"
import type { Observed } from "#domain/Snippet/commands.ts"
import type { Held } from "#projections/Functions/queries.ts"
import { reputationOf } from "#projections/Functions/reputation.ts"
import { noRuns, type RunsRow, withRun } from "#projections/Functions/runs.ts"

const found = ["load", "Table.save"].map((name) => ({ fingerprint: `fn_${name}`, name, signature: `def ${name}()` }))
const nothing: Observed = { telemetry: [], errors: [] }
const called = (name: string, calls: number, averageSize: number, emptyRate: number): Observed => ({
  telemetry: [{ name, calls, averageSize, emptyRate }],
  errors: []
})
const error = (message: string, ...functions: ReadonlyArray<string>) => ({ type: "KeyError", message, functions })
const failing = (...errors: Observed["errors"]): Observed => ({ telemetry: [], errors })
const days = (day: number) => `2026-01-${String(day).padStart(2, "0")}T00:00:00.000Z`

/** Runs one after the other, a day each. */
const ran = (...runs: ReadonlyArray<readonly [succeeded: boolean, Observed]>): RunsRow =>
  runs.reduce((row, [succeeded, observed], day) => withRun(row, days(day + 1), succeeded, observed), noRuns("s", found))
const load = (row: RunsRow) => row.functions["fn_load"]!
const save = (row: RunsRow) => row.functions["fn_Table.save"]!

describe("what runs tell", () => {
  it("adds up calls, and the runs that made them", () => {
    const row = ran(
      [true, called("load", 3, 10, 0)],
      [true, called("load", 1, 50, 1)],
      [true, called("save", 2, 5, 0.5)]
    )
    assert.deepInclude(load(row), { calls: 4, size: 80, empty: 1, callers: 2 })
    assert.deepInclude(save(row), { calls: 2, size: 10, empty: 1, callers: 1 })
    assert.deepInclude(row, { executions: 3, succeeded_at: days(3), failed_at: null })
  })

  it("blames the functions that a failed run's errors went through, and else none of them", () => {
    const row = ran([false, failing(error("a", "load", "elsewhere"))], [false, failing(error("b"))], [false, nothing])
    assert.deepInclude(load(row), { failed_at: days(1), errors: [{ type: "KeyError", message: "a", count: 1 }] })
    assert.deepInclude(save(row), { failed_at: null, errors: [] })
    assert.deepInclude(row, { failed_at: days(3), errors: [{ type: "KeyError", message: "b", count: 1 }] })
  })

  it("keeps an error on one line, and of many errors the frequent and the latest ones", () => {
    const messages = Array.from({ length: 30 }, (_, index) => error(`\u202e line ${index}\n\u2028next\u0000`, "load"))
    const row = ran([false, failing(messages[0]!, messages[0]!)], [false, failing(...messages.slice(1))])
    const kept = load(row).errors
    assert.lengthOf(kept, 20)
    assert.deepInclude(kept, { type: "KeyError", message: "line 0 next", count: 2 } as never)
    assert.strictEqual(kept.at(-1)!.message, "line 29 next")
    assert.lengthOf(row.recent[1]!.errors, 5)
  })

  it("keeps fewer errors of each function where they are very many", () => {
    const many = Array.from({ length: 400 }, (_, n) => ({
      fingerprint: `fn_${n}`,
      name: `C${n}.go`,
      signature: "go()"
    }))
    // any of them may be meant
    const errors = Array.from({ length: 30 }, (_, n) => error(`message ${n}`, "go"))
    const row = withRun(noRuns("s", many), days(1), false, failing(...errors))
    const kept = Object.values(row.functions).map((one) => one.errors.map(({ message }) => message))
    assert.deepStrictEqual([...new Set(kept.map(String))], ["message 28,message 29"])
  })

  it("stays a number whatever a log claims", () => {
    const most = Number.MAX_SAFE_INTEGER
    const absurd = called("load", most, Number.MAX_VALUE, 7)
    const negative = { telemetry: [{ name: "load", calls: -5, averageSize: -1, emptyRate: -1 }], errors: [] }
    const row = ran([true, absurd], [true, absurd], [true, negative])
    assert.deepInclude(load(row), { calls: most, size: most, empty: most, callers: 2 })
    assert.deepStrictEqual(JSON.parse(JSON.stringify(row)), row)
  })
})

const held = (row: RunsRow, more: Partial<Held> = {}): Held => ({
  tenant: "t",
  snippet: row.id,
  fingerprint: "fn_load",
  name: "load",
  signature: "def load()",
  line: 1,
  place: 0,
  position: 1,
  agent: "a",
  seen: true,
  own: true,
  counted: true,
  up: 0,
  down: 0,
  reviewed: false,
  executions: row.executions,
  succeeded_at: row.succeeded_at === null ? null : new Date(row.succeeded_at),
  record: load(row),
  failed_at: null,
  errors: null,
  derived_from: null,
  ...more
})

describe("a reputation", () => {
  it("adds up all snippets that hold the function", () => {
    const one = held(ran([true, called("load", 3, 10, 0)]), { up: 2, reviewed: true })
    const two = held(ran([false, failing(error("a", "load"))], [true, called("load", 1, 50, 1)]), {
      down: 1,
      agent: "b"
    })
    assert.deepStrictEqual(reputationOf([one, two]), {
      fingerprint: "fn_load",
      name: "load",
      signature: "def load()",
      executions: 3,
      up: 2,
      down: 1,
      succeededAt: new Date(days(2)),
      failedAt: new Date(days(1)),
      calls: 4,
      averageSize: 20,
      completeness: 0.75,
      errors: [{ type: "KeyError", text: "KeyError: a", count: 1 }],
      repeatRate: 0.5,
      agent: "a",
      reviewed: true,
      derivedFrom: null
    })
  })

  it("says 0 of what was never called", () => {
    const { calls, averageSize, completeness, repeatRate } = reputationOf([held(ran([true, nothing]))])
    assert.deepStrictEqual([calls, averageSize, completeness, repeatRate], [0, 0, 0, 0])
  })

  it("tells texts of logs only where the snippet is the caller's own", () => {
    const row = ran([false, failing(error("secret", "load"), error("more", "load"))])
    const texts = (more: Partial<Held>) => reputationOf([held(row, more)])
    assert.deepStrictEqual(texts({ own: false }).errors, [{ type: "KeyError", text: "KeyError", count: 2 }])
    assert.isNull(texts({ own: false }).agent)
    const unseen = texts({ own: false, seen: false })
    assert.deepStrictEqual([unseen.errors, unseen.agent, unseen.executions], [[], null, 1])
  })
})
