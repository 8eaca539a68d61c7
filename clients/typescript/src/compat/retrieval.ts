import type { CodeBlock } from "../resources/codeBlocks.ts"
import type { ExecutionRecord } from "../resources/executions.ts"
import type { SearchMatch, SearchResponse } from "../resources/search.ts"

/** What `getCodeSnips`, `retrieve` and `retrieveBest` take. */
export interface RetrieveParams {
  /** What the code should do, in plain words. */
  readonly task: string
  /** Default: 10. */
  readonly topK?: number | undefined
  /** Default: 0. */
  readonly minVerdictScore?: number | undefined
}

/** A match of `getCodeSnips`. */
export interface CodeBlockMatch {
  /** The snippet itself. */
  readonly codeBlock: CodeBlock
  /** 0 to 1: how well it fits, votes counted. */
  readonly score: number
  /** 0 to 1: what its votes say; 0.5 without any. */
  readonly verdictScore: number
  /** Votes for it. */
  readonly thumbsUp: number
  /** Votes against it. */
  readonly thumbsDown: number
  /** Always empty, as in the client that this one stands in for: see `getExecutions`. */
  readonly recentExecutions: ReadonlyArray<ExecutionRecord>
}

/** What `getCodeSnips` gives. */
export interface RetrieveCodeBlockResponse {
  /** The best first. */
  readonly codeBlocks: ReadonlyArray<CodeBlockMatch>
  /** How many there are without `topK`. */
  readonly totalFound: number
}

/** The match of `retrieveBest`. */
export interface BestMatch {
  /** The snippet itself. */
  readonly codeBlock: CodeBlock
  /** 0 to 1: how well it fits, votes counted. */
  readonly score: number
  /** The same as `score`. */
  readonly combinedScore: number
  /** 0 to 1: how near its meaning is; 0 where the service has no vectors. */
  readonly vectorScore: number
  /** 0 to 1: what its votes say; 0.5 without any. */
  readonly verdictScore: number
  /** 0 to 1: the share of uploads and runs of this code that went well. */
  readonly errorResilience: number
  /** Votes for it. */
  readonly thumbsUp: number
  /** Votes against it. */
  readonly thumbsDown: number
}

/** One of the next best three. */
export interface AlternativeCandidate {
  /** The snippet's id. */
  readonly codeBlockId: string
  /** The snippet's name. */
  readonly name: string
  /** 0 to 1: how well it fits, votes counted. */
  readonly score: number
  /** The same as `score`. */
  readonly combinedScore: number
  /** Why, in a sentence. */
  readonly reason: string
}

/** What `retrieveBest` gives. */
export interface RetrieveBestResponse {
  /** `null` when nothing was found. */
  readonly bestMatch: BestMatch | null
  /** At most three, the best first. */
  readonly alternativeCandidates: ReadonlyArray<AlternativeCandidate>
  /** The best score with four decimals; `"0"` without a match. */
  readonly retrievalConfidence: string
}

export const codeSnipsOf = ({ matches, totalFound }: SearchResponse): RetrieveCodeBlockResponse => ({
  codeBlocks: matches.map(({ codeBlock, score, verdictScore, thumbsUp, thumbsDown }) => ({
    codeBlock,
    score,
    verdictScore,
    thumbsUp,
    thumbsDown,
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
