const waiting: Array<() => void> = []
let running = false

const step = () => {
  const next = waiting.shift()
  if (next === undefined) {
    running = false
    return
  }
  setImmediate(step)
  next()
}

/**
 * Resolves when it is this caller's turn to do a stretch of work: one of all those who wait begins in each round of the
 * event loop, so that a hundred at once hold up others for no longer than one does.
 */
export const turn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    if (running) return
    running = true
    setImmediate(step)
  })
