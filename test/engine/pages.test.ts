import { assert, it, vi } from "@effect/vitest"
import { Effect, Scheduler } from "effect"
import { inSteps } from "#engine/pages.ts"

/** After which of so many steps of a millisecond each others had a turn, by a scheduler that says when. */
const turns = async (count: number, shouldYield: (step: number) => boolean) => {
  let now = 0
  vi.spyOn(performance, "now").mockImplementation(() => now)
  const given: Array<number> = []
  const scheduler: Scheduler.Scheduler = {
    executionMode: "async",
    // the run of a fiber asks before each of its operations; here only steps are told to give way
    shouldYield: () => shouldYield(now),
    makeDispatcher: () => ({
      scheduleTask: (task) => {
        given.push(now)
        queueMicrotask(task)
      },
      flush: () => undefined
    })
  }
  const steps = (function* () {
    for (; now < count; now++) yield
    return "the last"
  })()
  const all = Effect.provideService(inSteps(steps), Scheduler.Scheduler, scheduler)
  assert.strictEqual(await Effect.runPromise(all, { scheduler }), "the last")
  return given
}

it("steps give way after five milliseconds where the scheduler never says so, and after five more", async () => {
  assert.deepStrictEqual(await turns(17, () => false), [5, 10, 15])
})

it("steps that are over sooner give way to nobody", async () => {
  assert.deepStrictEqual(await turns(5, () => false), [])
})
