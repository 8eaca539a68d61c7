const longest = 15_000

/** Milliseconds before the source is tried again. They double each time, and differ from tab to tab. */
export const pauseBefore = (tries: number, random = Math.random()): number =>
  Math.min(longest, 500 * 2 ** Math.min(tries, 10)) * (0.75 + random / 2)

/** A pause before the next try. It ends early with `ended` or `end`, or when the browser has a connection again. */
export const pauseFor = (milliseconds: number, ended: AbortSignal) => {
  let end = (): void => {}
  const promise = new Promise<void>((resolve) => {
    end = resolve
  })
  const timer = setTimeout(end, milliseconds)
  window.addEventListener("online", end)
  ended.addEventListener("abort", end)
  if (ended.aborted) end()
  const over = promise.then(() => {
    clearTimeout(timer)
    window.removeEventListener("online", end)
    ended.removeEventListener("abort", end)
  })
  return { over, end }
}
