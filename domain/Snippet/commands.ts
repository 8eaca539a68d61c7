import { Data } from "effect"
import type { NewExecution, Review } from "../Execution.ts"
import type {
  FoundFunction,
  LoggedError,
  SnippetKind,
  Telemetry,
  UploadedText,
  VoteSource,
  WithdrawnFor
} from "./events.ts"

export interface NewVote {
  readonly value: 1 | -1
  readonly count: number
  readonly source: VoteSource
  readonly origin: string | null
  /** The home of the request that votes, if it may be another than the snippet's. */
  readonly home?: string
}

/** What an upload or a run tells of a snippet's functions. */
export interface Observed {
  readonly telemetry: ReadonlyArray<Telemetry>
  readonly errors: ReadonlyArray<LoggedError>
}

export type SnippetCommand = Data.TaggedEnum<{
  UploadSnippet: {
    readonly snippet: string
    readonly home: string
    readonly generation: number
    readonly sourceDigest: string
    readonly origin: "upload" | "import"
    readonly author: string | null
    readonly language: string
    readonly completeness: number
    readonly succeeded: boolean
    readonly publish: boolean
    readonly kind?: SnippetKind
    readonly text: UploadedText
    /** What the reported run printed, and the month in which that is recorded; see `logsSubject`. */
    readonly logs?: { readonly text: string; readonly month: string } | null
    readonly vote: NewVote | null
    /** Votes that the snippet had where it comes from. They count only if the snippet is new here. */
    readonly broughtVotes?: ReadonlyArray<NewVote>
    /** The grading that is due if no vote is given; `request` is its id. */
    readonly grading: { readonly request: string; readonly count: number } | null
    /**
     * `found`: the snippet's functions, if their reputation is to be kept. `observed`: what this run tells of them.
     * Once their reputation is kept, every run counts.
     */
    readonly functions?: { readonly found: ReadonlyArray<FoundFunction> | null; readonly observed: Observed } | null
  }
  CastVote: {
    readonly snippet: string
    readonly voter: string | null
    readonly task: string | null
    readonly vote: NewVote
  }
  /** The verdict of a grading that was requested. */
  Grade: {
    readonly snippet: string
    readonly request: string
    readonly value: 1 | -1
    readonly count: number
    readonly task: string | null
    readonly reason: string
  }
  FailGrading: { readonly snippet: string; readonly request: string; readonly error: string }
  CancelGrading: { readonly snippet: string; readonly request: string; readonly cause: "expired" }
  RecordExecution: {
    readonly snippet: string
    readonly execution: NewExecution
    /** The month in which it is recorded; see `monthSubject`. */
    readonly month: string
    /** The vote that the run's verdict counts as, if it has one. */
    readonly vote: NewVote | null
    /** What the run tells of the snippet's functions, if their reputation is kept. */
    readonly observed: Observed
  }
  ReviewExecution: {
    readonly snippet: string
    readonly execution: string
    readonly review: Review
    /** The month in which the execution was recorded; without a subject for it, the text is the snippet's own. */
    readonly month: string
    /** The review's verdict as a vote, if the run had none of its own. */
    readonly vote: NewVote | null
    readonly task: string | null
  }
  AddComment: {
    readonly snippet: string
    readonly comment: string
    readonly author: string | null
    /** The home where the author wrote the comment: `tenant`, or `tenant/workspace`. */
    readonly home: string
    /** The agent that comments on the author's behalf. */
    readonly agent: string | null
    readonly words: string
  }
  DeleteComment: {
    readonly snippet: string
    readonly comment: string
    /** The user who asks. */
    readonly by: string
    /** Whether this user owns the snippet, and so may delete anyone's comment. */
    readonly owns: boolean
  }
  /**
   * Erases what voters of an erased tenant typed, if that is not the snippet's tenant. Without a tenant, for a deleted
   * snippet: a portion of what is left of all other voters.
   */
  EraseVotes: { readonly snippet: string; readonly tenant?: string }
  /** Rules of this version have found secrets in what was published. */
  WithdrawSnippet: { readonly snippet: string; readonly rules: string; readonly found: ReadonlyArray<WithdrawnFor> }
  DeleteSnippet: { readonly snippet: string }
}>
export const SnippetCommand = Data.taggedEnum<SnippetCommand>()
