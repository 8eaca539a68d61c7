/** Bytes that are read, written or kept without asking for room. */
export const slight = 256 * 1024
/** Bytes that are read or written at once. */
export const slice = 64 * 1024

/** Groups rows, in their order, into portions of at most `slice` bytes; a larger row is alone. */
export const portioned = <A extends { readonly bytes: number }>(
  rows: ReadonlyArray<A>
): ReadonlyArray<ReadonlyArray<A>> => {
  const portions: Array<Array<A>> = []
  let bytes = 0
  for (const row of rows) {
    if (portions.length === 0 || bytes + row.bytes > slice) {
      portions.push([])
      bytes = 0
    }
    portions.at(-1)!.push(row)
    bytes += row.bytes
  }
  return portions
}

/** How many bytes rows have together. */
export const bytesOf = (rows: ReadonlyArray<{ readonly bytes: number }>): number =>
  rows.reduce((sum, { bytes }) => sum + bytes, 0)
