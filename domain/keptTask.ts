import { beginningOf } from "./text/beginningOf.ts"

/**
 * The most characters of a task that are kept: of a longer one its beginning, and its end, where the question often is.
 */
const most = 10_000
const [first, last] = [7_400, 2_500]

/** A task as events keep it. Callers may send one of any length; a note in the middle says what was left out. */
export const keptTask = (task: string): string => {
  if (task.length <= most) return task
  const end = task.slice(-last).replace(/^[\udc00-\udfff]/, "")
  return `${beginningOf(task, first)}\n[… of ${task.length} characters the first ${first} and the last ${last} are kept …]\n${end}`
}
