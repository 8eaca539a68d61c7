import { beginningOf } from "../../text/beginningOf.ts"
import { namesOf, type SearchedText } from "../IndexedText.ts"

/** Characters of one part of a snippet that a model is given: many models read only some 500 pieces of a text. */
export const contentCharacters = 2_000
/** Characters of its names, and of all its tasks together. */
const nameCharacters = 200
const taskCharacters = 1_000

/** The parts of a snippet that are embedded. */
export interface Content extends Pick<SearchedText, "name" | "path" | "entrypoint"> {
  readonly description: string
  readonly tasks: ReadonlyArray<string>
  readonly source: string
}

/**
 * What a model is given of a snippet: its names, its description, the latest tasks that it was used for, its source.
 * What says most comes first, because models drop the end of a text that is too long. The order of the tasks makes no
 * difference.
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
