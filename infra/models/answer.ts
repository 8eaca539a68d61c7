import { parseJson } from "#engine/parseJson.ts"
import type { Usage } from "#ports/LanguageModel.ts"
import { AnswerTooLarge } from "./bounded.ts"

/** Characters of one answer: a model's longest has some hundred thousand. */
const most = 2 * 1024 * 1024

/** Gives a counter of an answer's characters, called as they come. It throws `AnswerTooLarge` past `most`. */
export const counting = () => {
  let size = 0
  return (text: string): void => {
    size += text.length
    if (size > most) throw new AnswerTooLarge("the answer is too large")
  }
}

/** The stream ended before the answer did. */
export class Unfinished extends Error {
  override readonly name = "Unfinished"
}

/** What a server calls its model, if that has the form of a name; otherwise the name that was asked for. */
export const nameOf = (said: unknown, asked: string): string =>
  typeof said === "string" && /^[\w.:/@-]{1,128}$/.test(said) ? said : asked

/** The input that a model wrote for a tool. What is no JSON stays text: the tool refuses it and says so. */
export const inputOf = (written: string): unknown => {
  if (written.trim() === "") return {}
  try {
    return parseJson(written)
  } catch {
    return written
  }
}

/** A server's count of tokens; 0 if it is no count. */
export const tokens = (count: unknown): number => (Number.isSafeInteger(count) ? Math.max(0, count as number) : 0)

/** The usage where no model was asked, or the server gave no count. */
export const noTokens: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
