import { beginningOf } from "#domain/text/beginningOf.ts"
import type { Exchange, ModelTurn, Saying } from "#ports/LanguageModel.ts"

/** The steps of turns as lines, each cut to its share of `most` characters; the oldest are left out first. */
export const transcriptOf = (history: ReadonlyArray<Exchange>, first: number, upTo: number, most: number): string => {
  const steps = history.slice(first, upTo).flatMap(({ turn, results }, index) => {
    const at = `[turn ${first + index + 1}]`
    const answers = (results ?? []).map(
      ({ content, isError }) => `${at} ${isError ? "failed" : "answered"}: ${content}`
    )
    return [...turn.says.flatMap(wordsOf).map((words) => `${at} ${words}`), ...answers]
  })
  const share = Math.max(200, Math.floor(most / Math.max(1, steps.length)))
  const lines = steps.map((step) => (step.length > share ? `${beginningOf(step, share)}…` : step))
  let left = most
  const kept = lines.toReversed().filter((line) => (left -= line.length + 1) >= 0)
  const missing = lines.length - kept.length
  return [...(missing === 0 ? [] : [`[${missing} earlier steps are left out]`]), ...kept.toReversed()].join("\n")
}

const wordsOf = (saying: Saying): ReadonlyArray<string> => {
  if (saying._tag === "Text") return saying.text === "" ? [] : [`said: ${saying.text}`]
  return saying._tag === "ToolCall" ? [`called ${saying.name} ${JSON.stringify(saying.input)}`] : []
}

/** What a turn says to the caller: its text alone. */
export const textOf = ({ says }: ModelTurn) =>
  says.flatMap((one) => (one._tag === "Text" ? [one.text] : [])).join("\n\n")
