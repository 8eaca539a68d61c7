/** When something is due: at first, and then each so many milliseconds, until then. */
export interface Pace {
  readonly first: number
  readonly interval: number
  readonly until: number
}

export interface Clock {
  readonly now: () => number
  readonly sleep: (milliseconds: number) => Promise<unknown>
}

/** How it was held to. */
export interface Kept {
  readonly done: number
  /** Of these, what was due before the one before it had ended. */
  readonly late: number
  /** Milliseconds by which the one that was latest began behind its time. */
  readonly mostBehind: number
}

/**
 * Does `work` each time that it is due, one after another. What takes longer than the interval makes the next ones
 * late: they are done as soon as may be, and none is left out, so that a slow machine has as much done as a fast one.
 */
export const atPace = async (
  { first, interval, until }: Pace,
  work: () => Promise<unknown>,
  clock: Clock
): Promise<Kept> => {
  let [done, late, mostBehind] = [0, 0, 0]
  for (; first + done * interval < until; done += 1) {
    const due = first + done * interval
    const early = due - clock.now()
    if (early > 0) await clock.sleep(early)
    else if (done > 0) late += 1
    mostBehind = Math.max(mostBehind, clock.now() - due)
    await work()
  }
  return { done, late, mostBehind }
}

/** That of all who share in the work. */
export const keptByAll = (all: ReadonlyArray<Kept>): Kept => ({
  done: all.reduce((sum, one) => sum + one.done, 0),
  late: all.reduce((sum, one) => sum + one.late, 0),
  mostBehind: Math.max(0, ...all.map((one) => one.mostBehind))
})
