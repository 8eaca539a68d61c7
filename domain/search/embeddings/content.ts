import { beginningOf } from "../../text/beginningOf.ts"
import { namesOf, type SearchedText } from "../IndexedText.ts"

/** Characters of one part of a snippet that a model is given: many read some 500 pieces of a text, and no more. */
export const contentCharacters = 2_000
/** Of its names, and of all tasks together. */
const nameCharacters = 200
const taskCharacters = 1_000

/** What of a snippet is embedded. */
export interface Content extends Pick<SearchedText, "name" | "path" | "entrypoint"> {
  readonly description: string
  readonly tasks: ReadonlyArray<string>
  readonly source: string
}

/**
 * What a model is given of a snippet: its names, what is told of it, the latest tasks that it was used for, its source;
 * first what says most, as models leave out the end of what is too long for them. The same tasks in another order are
 * the same text.
 */
export const contentOf = ({ description, tasks, source, ...names }: Content): string => {
  const kept: Array<string> = []
  let left = taskCharacters
  for (const task of tasks.toReversed()) {
    if (left <= 0) break
    const some = beginningOf(task, left)
    kept.push(some)
    left -= some.length
  }
  return [
    beginningOf(namesOf(names), nameCharacters),
    beginningOf(description, contentCharacters),
    ...kept.sort(),
    beginningOf(source, contentCharacters)
  ]
    .filter((part) => part.trim() !== "")
    .join("\n")
}
