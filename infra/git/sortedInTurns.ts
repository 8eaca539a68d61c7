import { compareBytes, sortedByBytes } from "#domain/workspacePath.ts"
import type { Breath } from "./Breath.ts"

/** Items sorted without a break: some milliseconds. */
const atOnce = 4_096

const merged = async <A>(
  some: ReadonlyArray<A>,
  others: ReadonlyArray<A>,
  textOf: (item: A) => string,
  breath: Breath
): Promise<ReadonlyArray<A>> => {
  // already in order, as from a stored tree
  if (compareBytes(textOf(some.at(-1)!), textOf(others[0]!)) <= 0) return [...some, ...others]
  const both: Array<A> = []
  let [at, from] = [0, 0]
  while (at < some.length && from < others.length) {
    const isFirst = compareBytes(textOf(some[at]!), textOf(others[from]!)) <= 0
    both.push(isFirst ? some[at++]! : others[from++]!)
    if (both.length % atOnce === 0) await breath.take()
  }
  return [...both, ...some.slice(at), ...others.slice(from)]
}

/**
 * Items in byte order of their texts, as `sortedByBytes` gives them. Sorts runs and merges them, with breaths in
 * between, so that a long list holds up nobody.
 */
export const sortedInTurns = async <A>(
  items: ReadonlyArray<A>,
  textOf: (item: A) => string,
  breath: Breath
): Promise<ReadonlyArray<A>> => {
  let runs: ReadonlyArray<ReadonlyArray<A>> = []
  for (let at = 0; at < items.length; at += atOnce) {
    runs = [...runs, sortedByBytes(items.slice(at, at + atOnce), textOf)]
    await breath.take()
  }
  while (runs.length > 1) {
    const longer: Array<ReadonlyArray<A>> = []
    for (let index = 0; index < runs.length; index += 2) {
      const [some, others] = [runs[index]!, runs[index + 1]]
      longer.push(others === undefined ? some : await merged(some, others, textOf, breath))
    }
    runs = longer
  }
  return runs[0] ?? []
}
