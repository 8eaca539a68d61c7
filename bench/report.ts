/** One line of the table: what was measured, the bar of the design, and whether it was met (`null`: no bar). */
export interface Measured {
  readonly name: string
  readonly value: string
  readonly bar: string
  readonly met: boolean | null
}

export const thousands = (n: number): string => Math.round(n).toLocaleString("en")

export const milliseconds = (n: number): string => `${n < 10 ? n.toFixed(2) : n.toFixed(0)} ms`

/** The value below which the share `p` of the samples lies. */
export const percentile = (samples: ReadonlyArray<number>, p: number): number => {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN
}

/** The middle one; of an even number the higher of the two. */
export const median = (samples: ReadonlyArray<number>): number => percentile(samples, 0.5)

export const table = (rows: ReadonlyArray<Measured>): string => {
  const lines = rows.map(
    ({ name, value, bar, met }) => `| ${name} | ${value} | ${bar} | ${met === null ? "" : met ? "met" : "missed"} |`
  )
  return ["| what | measured | bar | |", "|---|---|---|---|", ...lines].join("\n")
}
