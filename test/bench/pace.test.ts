import { assert, describe, it } from "@effect/vitest"
import { atPace, keptByAll } from "#bench/soak/pace.ts"

/** A clock of its own: what is waited for has passed. */
const fromZero = () => {
  let time = 0
  const sleep = async (milliseconds: number) => {
    time += milliseconds
  }
  return { now: () => time, sleep }
}

/** When each began, of work that takes so long, one after another. */
const begun = async (...lengths: ReadonlyArray<number>) => {
  const clock = fromZero()
  const times: Array<number> = []
  const work = async () => {
    times.push(clock.now())
    await clock.sleep(lengths[times.length - 1] ?? 0)
  }
  const kept = await atPace({ first: 50, interval: 100, until: 450 }, work, clock)
  return { times, kept }
}

describe("atPace", () => {
  it("begins each at its time, however long the one before took of it", async () => {
    const { times, kept } = await begun(10, 90, 0, 99)
    assert.deepStrictEqual(times, [50, 150, 250, 350])
    assert.deepStrictEqual(kept, { done: 4, late: 0, mostBehind: 0 })
  })

  it("does what comes late as soon as may be, counts it, and goes back to the times that were told", async () => {
    const { times, kept } = await begun(230, 10)
    assert.deepStrictEqual(times, [50, 280, 290, 350])
    assert.deepStrictEqual(kept, { done: 4, late: 2, mostBehind: 130 })
  })

  it("leaves none out at the end, when all are late", async () => {
    const { times, kept } = await begun(1_000)
    assert.deepStrictEqual(times, [50, 1_050, 1_050, 1_050])
    assert.deepStrictEqual(kept, { done: 4, late: 3, mostBehind: 900 })
  })
})

it("what several did is summed, and the latest of all is told", () => {
  const kept = keptByAll([
    { done: 4, late: 2, mostBehind: 130 },
    { done: 3, late: 0, mostBehind: 7 }
  ])
  assert.deepStrictEqual(kept, { done: 7, late: 2, mostBehind: 130 })
})
