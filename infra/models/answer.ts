import type { Usage } from "#ports/LanguageModel.ts"
import { AnswerTooLarge } from "./bounded.ts"

/** Characters of one answer: a model's longest has some hundred thousand. */
const most = 2 * 1024 * 1024

/** Counts the characters of an answer as they come; throws `AnswerTooLarge` where they are more than a model says. */
export const counting = () => {
  let size = 0
  return (text: string): void => {
    size += text.length
    if (size > most) throw new AnswerTooLarge("the answer is too large")
  }
}

/** The stream ended, and the answer did not. */
export class Unfinished extends Error {
  override readonly name = "Unfinished"
}

/** What a server calls its model, if that is a name; else what it was asked for. */
export const nameOf = (said: unknown, asked: string): string =>
  typeof said === "string" && /^[\w.:/@-]{1,128}$/.test(said) ? said : asked

/** A server's count of tokens, if it is one; else none. */
export const tokens = (count: unknown): number => (Number.isSafeInteger(count) ? Math.max(0, count as number) : 0)

/** Of who was asked for nothing, or told no count. */
export const noTokens: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
