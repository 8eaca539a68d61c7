/** A bar on stderr, if that is a terminal; otherwise nothing. */
export interface ProgressBar {
  /** Shows `done` of `of` in any unit; `said` goes after the bar. */
  readonly at: (done: number, of: number, said: string) => void
  /** Takes the bar away, so that other lines can be written. */
  readonly clear: () => void
}

const width = 30
const betweenMs = 100

/** A bar that is drawn at most ten times a second; nothing unless `shown`. */
export const progress = (shown: boolean): ProgressBar => {
  if (!shown || !process.stderr.isTTY) return { at: () => {}, clear: () => {} }
  let last = 0
  return {
    at: (done, of, said) => {
      const now = Date.now()
      if (now - last < betweenMs) return
      last = now
      const part = of === 0 ? 1 : Math.min(1, done / of)
      const full = Math.round(part * width)
      const bar = `${"█".repeat(full)}${"░".repeat(width - full)}`
      process.stderr.write(`\r\x1b[2K${bar} ${String(Math.floor(part * 100)).padStart(3)} %  ${said}`)
    },
    clear: () => process.stderr.write("\r\x1b[2K")
  }
}
