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
 * Resolves when it is this caller's turn to do a stretch of work. Each round of the event loop begins the work of one
 * that waits, so a hundred at once hold up others for no longer than one does.
 */
export const turn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    if (running) return
    running = true
    setImmediate(step)
  })
