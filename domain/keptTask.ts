import { beginningOf } from "./text/beginningOf.ts"

/**
 * Characters of a task that are kept; of a longer one its beginning, and its end, where what is asked for often stands.
 */
const most = 10_000
const [first, last] = [7_400, 2_500]

/** A task as events keep it: callers may send one of any length, and what is left out of it is said in its midst. */
export const keptTask = (task: string): string => {
  if (task.length <= most) return task
  const end = task.slice(-last).replace(/^[\udc00-\udfff]/, "")
  return `${beginningOf(task, first)}\n[… of ${task.length} characters the first ${first} and the last ${last} are kept …]\n${end}`
}
