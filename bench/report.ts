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

/** What a benchmark may be told besides its scale and its sizes. */
export interface Asked {
  /** Prints a row at once, for those that take minutes. */
  readonly tell: (row: Measured) => Measured
  /** A folder that a benchmark fills when it is empty, and finds filled the next time. */
  readonly folder: string | undefined
  /** How many ask at once, where that can be told. */
  readonly clients: number | undefined
  /** Operations a second, of all of them together, where that can be told. */
  readonly rate: number | undefined
}
