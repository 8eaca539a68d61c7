import type { Run, RunUsage, TakenTurn, TurnList } from "../../../clients/typescript/src/index.ts"
import { dollars, number } from "../parts/figures.ts"
import { plain } from "../visible.ts"

/** A cost in US dollars; `null`: one of the models has no price. */
export const costIn = (cost: number | null): string => (cost === null ? "cost not known" : dollars(cost))

/** How long it was from one instant to another. */
export const lasted = (from: string, to: string): string => {
  const milliseconds = Math.max(0, Date.parse(to) - Date.parse(from))
  if (milliseconds < 1_000) return `${milliseconds} ms`
  if (milliseconds < 90_000) return `${(milliseconds / 1_000).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1_000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** Tokens, and how many of them came from the provider's cache or went into it. */
export const tokensIn = ({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: RunUsage): string => {
  const cached = [
    ...(cacheReadTokens > 0 ? [`${number(cacheReadTokens)} from the cache`] : []),
    ...(cacheWriteTokens > 0 ? [`${number(cacheWriteTokens)} put into it`] : [])
  ]
  return `${number(inputTokens)} tokens read${cached.length === 0 ? "" : ` (${cached.join(", ")})`}, ${number(outputTokens)} written`
}

type Spent = Pick<TakenTurn, "usage" | "cost">

/** What requests took together. The cost is known only if each request's cost is. */
export const sumOf = (spent: ReadonlyArray<Spent>): Spent => {
  const sum = (count: (usage: RunUsage) => number) => spent.reduce((total, { usage }) => total + count(usage), 0)
  return {
    usage: {
      inputTokens: sum((usage) => usage.inputTokens),
      outputTokens: sum((usage) => usage.outputTokens),
      cacheReadTokens: sum((usage) => usage.cacheReadTokens),
      cacheWriteTokens: sum((usage) => usage.cacheWriteTokens)
    },
    cost: spent.some(({ cost }) => cost === null) ? null : spent.reduce((total, { cost }) => total + (cost ?? 0), 0)
  }
}

/** What turns took, and the summaries that were written before them. */
export const sumOfTurns = (turns: TurnList["turns"]): Spent =>
  sumOf(turns.flatMap((turn) => (turn.compacted === null ? [turn] : [turn.compacted, turn])))

/** Which tools were called, how often, and how often they failed. */
export const toolsIn = (tools: Run["tools"]): string => {
  if (tools.length === 0) return "none called"
  return tools
    .map(
      ({ name, calls, failed }) =>
        `${plain(name)}\u00a0×\u00a0${number(calls)}${failed > 0 ? ` (${number(failed)} failed)` : ""}`
    )
    .join(", ")
}
