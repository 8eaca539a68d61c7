import type { CodeBlock } from "../resources/codeBlocks.ts"
import type { ExecutionRecord } from "../resources/executions.ts"
import type { SearchMatch, SearchResponse } from "../resources/search.ts"

/** What `getCodeSnips`, `retrieve` and `retrieveBest` take. */
export interface RetrieveParams {
  readonly task: string
  /** Default: 10. */
  readonly topK?: number | undefined
  /** Default: 0. */
  readonly minVerdictScore?: number | undefined
}

/** A match of `getCodeSnips`. */
export interface CodeBlockMatch {
  readonly codeBlock: CodeBlock
  readonly score: number
  readonly verdictScore: number
  readonly thumbsUp: number
  readonly thumbsDown: number
  /** Always empty, as in the client that this one stands in for: see `getExecutions`. */
  readonly recentExecutions: ReadonlyArray<ExecutionRecord>
}

export interface RetrieveCodeBlockResponse {
  readonly codeBlocks: ReadonlyArray<CodeBlockMatch>
  readonly totalFound: number
}

/** The match of `retrieveBest`. */
export interface BestMatch {
  readonly codeBlock: CodeBlock
  readonly score: number
  readonly combinedScore: number
  readonly vectorScore: number
  readonly verdictScore: number
  readonly errorResilience: number
  readonly thumbsUp: number
  readonly thumbsDown: number
}

/** One of the next best three. */
export interface AlternativeCandidate {
  readonly codeBlockId: string
  readonly name: string
  readonly score: number
  readonly combinedScore: number
  readonly reason: string
}

export interface RetrieveBestResponse {
  readonly bestMatch: BestMatch | null
  readonly alternativeCandidates: ReadonlyArray<AlternativeCandidate>
  /** The best score with four decimals; `"0"` without a match. */
  readonly retrievalConfidence: string
}

export const codeSnipsOf = ({ matches, totalFound }: SearchResponse): RetrieveCodeBlockResponse => ({
  codeBlocks: matches.map(({ codeBlock, score, verdictScore, thumbsUp, thumbsDown }) => ({
    ...{ codeBlock, score, verdictScore, thumbsUp, thumbsDown },
    recentExecutions: []
  })),
  totalFound
})

const reasonOf = ({ thumbsUp, thumbsDown }: SearchMatch): string =>
  thumbsUp > 0 ? `${thumbsUp} thumbs up, ${thumbsDown} thumbs down` : "No execution history"

export const bestOf = ({ matches: [best, ...others] }: SearchResponse): RetrieveBestResponse => ({
  bestMatch: best
    ? {
        codeBlock: best.codeBlock,
        score: best.score,
        combinedScore: best.combinedScore,
        vectorScore: best.vectorScore,
        verdictScore: best.verdictScore,
        errorResilience: best.errorResilience,
        thumbsUp: best.thumbsUp,
        thumbsDown: best.thumbsDown
      }
    : null,
  alternativeCandidates: others.slice(0, 3).map((match) => ({
    codeBlockId: match.codeBlock.id,
    name: match.codeBlock.name,
    score: match.score,
    combinedScore: match.combinedScore,
    reason: reasonOf(match)
  })),
  retrievalConfidence: best ? best.score.toFixed(4) : "0"
})
