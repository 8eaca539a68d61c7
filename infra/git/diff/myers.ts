/** A run of lines that were replaced: `oldCount` lines from `oldStart` by `newCount` lines from `newStart` (from 0). */
export interface Edit {
  readonly oldStart: number
  readonly oldCount: number
  readonly newStart: number
  readonly newCount: number
}

/** A stretch of both texts: from and to in the old, from and to in the new. */
type Box = readonly [number, number, number, number]

/** Steps of a search after which two stretches count as all different: its cost grows with the square of its steps. */
const mostSteps = 1000
/** Diagonals that all searches together look at. What is left then counts as all different too. */
const mostLooks = 4_000_000

/** Lines as small integers, so that comparing two is cheap. */
const numbered = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): readonly [Int32Array, Int32Array] => {
  const numbers = new Map<string, number>()
  const number = (line: string): number => {
    const known = numbers.get(line)
    if (known !== undefined) return known
    numbers.set(line, numbers.size)
    return numbers.size - 1
  }
  return [Int32Array.from(a, number), Int32Array.from(b, number)]
}

/** The edits that turn one text's lines into another's, by Myers' algorithm: fewest, unless it gives up. */
export const lineEdits = (oldLines: ReadonlyArray<string>, newLines: ReadonlyArray<string>): ReadonlyArray<Edit> => {
  const [a, b] = numbered(oldLines, newLines)
  const deleted = new Uint8Array(a.length)
  const inserted = new Uint8Array(b.length)
  const size = 2 * Math.min(mostSteps, a.length + b.length) + 4
  const [forward, backward] = [new Int32Array(size), new Int32Array(size)]

  // a stack of boxes instead of recursion, which may go deep
  const looks = { left: mostLooks }
  const boxes: Array<Box> = [[0, a.length, 0, b.length]]
  while (boxes.length > 0) {
    let [aStart, aEnd, bStart, bEnd] = boxes.pop()!
    while (aStart < aEnd && bStart < bEnd && a[aStart] === b[bStart]) [aStart, bStart] = [aStart + 1, bStart + 1]
    while (aStart < aEnd && bStart < bEnd && a[aEnd - 1] === b[bEnd - 1]) [aEnd, bEnd] = [aEnd - 1, bEnd - 1]
    const point =
      aStart === aEnd || bStart === bEnd
        ? undefined
        : middle(a, b, [aStart, aEnd, bStart, bEnd], forward, backward, looks)
    if (point === undefined) {
      deleted.fill(1, aStart, aEnd)
      inserted.fill(1, bStart, bEnd)
    } else {
      boxes.push([aStart, point[0], bStart, point[1]], [point[0], aEnd, point[1], bEnd])
    }
  }
  return runs(deleted, inserted)
}

/** No way leads here. */
const none = -1

/** How far the best way of `steps` steps gets on diagonal `k` (x - y), before it follows equal lines. */
const reach = (frontier: Int32Array, zero: number, k: number, steps: number, n: number, m: number): number => {
  if (steps === 0) return 0
  const left = k === -steps ? none : frontier[zero + k - 1]!
  const above = k === steps ? none : frontier[zero + k + 1]!
  const right = left === none || left === n ? none : left + 1
  const down = above === none || above - k > m ? none : above
  return Math.max(right, down)
}

/** A point on a shortest way through a box, searched from both corners at once; `undefined`: the way is too long. */
const middle = (
  a: Int32Array,
  b: Int32Array,
  [aStart, aEnd, bStart, bEnd]: Box,
  forward: Int32Array,
  backward: Int32Array,
  looks: { left: number }
): readonly [number, number] | undefined => {
  const [n, m] = [aEnd - aStart, bEnd - bStart]
  const delta = n - m
  const odd = (delta & 1) !== 0
  const zero = forward.length >> 1
  const most = Math.min(Math.ceil((n + m) / 2), zero - 2)
  const meet = (frontier: Int32Array, other: number, steps: number, x: number): boolean =>
    Math.abs(other) <= steps && frontier[zero + other] !== none && x + frontier[zero + other]! >= n
  for (let steps = 0; steps <= most && looks.left > 0; steps++) {
    looks.left -= 2 * steps + 2
    for (let k = -steps; k <= steps; k += 2) {
      const start = reach(forward, zero, k, steps, n, m)
      let x = start
      if (x !== none) while (x < n && x - k < m && a[aStart + x] === b[bStart + x - k]) x++
      forward[zero + k] = x
      if (odd && x !== none && meet(backward, delta - k, steps - 1, x)) return [aStart + start, bStart + start - k]
    }
    for (let k = -steps; k <= steps; k += 2) {
      const start = reach(backward, zero, k, steps, n, m)
      let x = start
      if (x !== none) while (x < n && x - k < m && a[aEnd - x - 1] === b[bEnd - x + k - 1]) x++
      backward[zero + k] = x
      if (!odd && x !== none && meet(forward, delta - k, steps, x)) return [aEnd - start, bEnd - start + k]
    }
  }
  return undefined
}

const runs = (deleted: Uint8Array, inserted: Uint8Array): ReadonlyArray<Edit> => {
  const edits: Array<Edit> = []
  let [at, now] = [0, 0]
  while (at < deleted.length || now < inserted.length) {
    const [oldStart, newStart] = [at, now]
    while (deleted[at] === 1) at++
    while (inserted[now] === 1) now++
    if (at > oldStart || now > newStart) {
      edits.push({ oldStart, oldCount: at - oldStart, newStart, newCount: now - newStart })
    } else [at, now] = [at + 1, now + 1]
  }
  return edits
}
