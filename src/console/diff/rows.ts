import type { DiffLine } from "./parse.ts"

/** A line's two sides. If it was added or removed, one of them is missing. */
export interface Row {
  readonly left: DiffLine | undefined
  readonly right: DiffLine | undefined
}

/** Lines beside each other: removed ones stand beside the ones that replaced them. */
export const rowsOf = (lines: ReadonlyArray<DiffLine>): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  let removed: Array<DiffLine> = []
  let added: Array<DiffLine> = []
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      rows.push({ left: removed[at], right: added[at] })
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line.kind === "removed") removed.push(line)
    else if (line.kind === "added") added.push(line)
    else {
      flush()
      rows.push({ left: line, right: line })
    }
  }
  flush()
  return rows
}
