import { beginningOf } from "../text/beginningOf.ts"
import { firstTerms } from "./tokenize.ts"

/** The most distinct terms of a task that count; the rest of a long one says little more. */
const mostTerms = 128
/** Characters of a task that are looked at for them. */
const looked = 10_000

/** What a task is compared by: its distinct terms. */
export const taskTerms = (task: string): ReadonlyArray<string> => firstTerms(beginningOf(task, looked), mostTerms)

/** How alike two tasks are, 0…1: the share of their terms that they have in common (Dice); 1 for the same terms. */
export const similarity = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  if (a.length + b.length === 0) return 0
  const terms = new Set(b)
  return (2 * a.filter((term) => terms.has(term)).length) / (a.length + b.length)
}
