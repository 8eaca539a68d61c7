import { vi } from "vitest"

/**
 * How often the event loop went round while something went on that always finds that it has had the process for long
 * enough: on a fast machine it would have ended before.
 */
export const roundsDuring = async (work: () => Promise<unknown>): Promise<number> => {
  let now = performance.now()
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1_000))
  let [rounds, going] = [0, true]
  const look = () => {
    rounds++
    if (going) setImmediate(look)
  }
  setImmediate(look)
  try {
    await work()
  } finally {
    going = false
    clock.mockRestore()
  }
  return rounds
}
