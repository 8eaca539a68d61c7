import { assert, describe, it } from "vitest"
import { type Kinds, kinds, more, steadily } from "#bench/soak/left.ts"

const nothing: Kinds = {
  descriptors: { socket: 40, pipe: 3 },
  threads: { deno: 2, "V8 DefaultWorke": 2 },
  children: { "launcher/guard.ts": 1 },
  fibers: { FiberImpl: 100 },
  signals: { AbortSignal: 30 },
  emitters: { Socket: 60 },
  listeners: { "Socket data": 60 },
  timers: { "() => tick": 30 }
}
const holding = (kind: keyof Kinds, name: string, count: number): Kinds => ({
  ...nothing,
  [kind]: { ...nothing[kind], [name]: (nothing[kind][name] ?? 0) + count }
})

describe("what a service holds more after a soak", () => {
  it("is a worker and a shell, one of which is too many", () => {
    assert.deepStrictEqual(more(nothing, holding("children", "workers/program.ts", 1)), [
      "1 children (workers/program.ts +1)"
    ])
    assert.deepStrictEqual(more(nothing, nothing), [])
  })

  it("is of what comes and goes at rest more than comes and goes, by name", () => {
    assert.deepStrictEqual(more(nothing, holding("descriptors", "socket", 8)), [])
    assert.deepStrictEqual(more(nothing, holding("descriptors", "/data/file", 9)), ["9 descriptors (/data/file +9)"])
    for (const kind of kinds) assert.lengthOf(more(nothing, holding(kind, "leaked", 1_000)), 1)
    assert.deepStrictEqual(more<Partial<Kinds>>({ fibers: {} }, { fibers: { FiberImpl: 17 } }), [
      "17 fibers (FiberImpl +17)"
    ])
  })

  it("is a worker's thread, and of the runtime's more than one", () => {
    assert.deepStrictEqual(more(nothing, holding("threads", "worker-", 1)), ["1 threads (worker- +1)"])
    assert.deepStrictEqual(more(nothing, holding("threads", "deno", 1)), [])
    assert.deepStrictEqual(more(nothing, holding("threads", "deno", 2)), ["2 threads (deno +2)"])
  })

  it("is a thread or a process also where as many of another name went", () => {
    assert.deepStrictEqual(more(nothing, { ...nothing, threads: { "a program's": 2, "V8 DefaultWorke": 2 } }), [
      "2 threads (a program's +2)"
    ])
    assert.deepStrictEqual(more(nothing, { ...nothing, children: { git: 1 } }), ["1 children (git +1)"])
    // files have names that take turns
    assert.deepStrictEqual(more(nothing, { ...nothing, descriptors: { "/data/other": 40, pipe: 3 } }), [])
  })

  it("is what grows from look to look by as much as the operations were, though it is few", () => {
    for (const kind of kinds)
      assert.deepStrictEqual(steadily([nothing, holding(kind, "leaked", 4), holding(kind, "leaked", 9)], 4), [
        `leaked, one of the ${kind}, +4, +5`
      ])
  })

  it("is none that grew once, or by less, or not each time", () => {
    const looks = (...counts: ReadonlyArray<number>) => counts.map((count) => holding("timers", "() => tick", count))
    for (const counts of [
      [0, 9, 9],
      [0, 9, 12],
      [0, 3, 9],
      [0, 9, 0],
      [9, 0, 9]
    ])
      assert.deepStrictEqual(steadily(looks(...counts), 4), [], counts.join())
    // as many fibers, of which more sleep
    const sleeps = (count: number) => holding("timers", "() => resume(continuation)", count)
    assert.deepStrictEqual(steadily([sleeps(9), sleeps(17), sleeps(22)], 4), [])
    assert.deepStrictEqual(steadily([nothing], 4), [])
    assert.deepStrictEqual(steadily([nothing, holding("timers", "leaked", 9)], 4), [])
  })
})
