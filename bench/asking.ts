/** Asks an engine for the ids of the ten best, best first. */
export type Ask = (task: string) => Promise<ReadonlyArray<string>>

export interface Asked {
  readonly perSecond: number
  /** Milliseconds of each. */
  readonly times: ReadonlyArray<number>
}

/** Asks one task after the other, so many at once, for a time in milliseconds. */
export const askFor = async (
  ask: Ask,
  tasks: ReadonlyArray<string>,
  clients: number,
  milliseconds: number
): Promise<Asked> => {
  const times: Array<number> = []
  const began = performance.now()
  let next = 0
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() - began < milliseconds) {
        const from = performance.now()
        await ask(tasks[next++ % tasks.length]!)
        times.push(performance.now() - from)
      }
    })
  )
  return { perSecond: times.length / ((performance.now() - began) / 1_000), times }
}
