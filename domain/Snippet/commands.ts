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
  /** The home of the request that votes, when it may be another than the snippet's. */
  readonly home?: string
}

/** What is known of a snippet's functions at an upload or a run of it. */
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
    /** What the run printed that it tells of, and when that is recorded, see `logsSubject`. */
    readonly logs?: { readonly text: string; readonly month: string } | null
    readonly vote: NewVote | null
    /** Votes that it had where it comes from: those of a new snippet, and of none that is here already. */
    readonly broughtVotes?: ReadonlyArray<NewVote>
    /** The id of the grading that is due, when no vote is given. */
    readonly grading: { readonly request: string; readonly count: number } | null
    /**
     * Which functions it has, when their reputation is to be kept, and what this run tells of them: once that is kept,
     * every run counts.
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
    /** When it is recorded, see `monthSubject`. */
    readonly month: string
    /** Its verdict counts as a vote when there is one. */
    readonly vote: NewVote | null
    /** What it tells of the snippet's functions, if their reputation is kept. */
    readonly observed: Observed
  }
  ReviewExecution: {
    readonly snippet: string
    readonly execution: string
    readonly review: Review
    /** When the execution was recorded; it is the snippet's own text where that has none of this month. */
    readonly month: string
    /** The review's verdict as a vote, when the run had none of its own. */
    readonly vote: NewVote | null
    readonly task: string | null
  }
  AddComment: {
    readonly snippet: string
    readonly comment: string
    readonly author: string | null
    /** Where its author is heard: `tenant`, or `tenant/workspace`. */
    readonly home: string
    /** The agent that says it for them. */
    readonly agent: string | null
    readonly words: string
  }
  DeleteComment: {
    readonly snippet: string
    readonly comment: string
    /** The user who asks. */
    readonly by: string
    /** Whether they own the snippet, so that they may delete anyone's. */
    readonly owns: boolean
  }
  /**
   * What voters of a tenant typed, which was erased and is another than the snippet's; without a tenant, of a snippet
   * that was deleted, a portion of what is left of all.
   */
  EraseVotes: { readonly snippet: string; readonly tenant?: string }
  /** What was published is found to hold secrets, by rules of a version. */
  WithdrawSnippet: { readonly snippet: string; readonly rules: string; readonly found: ReadonlyArray<WithdrawnFor> }
  DeleteSnippet: { readonly snippet: string }
}>
export const SnippetCommand = Data.taggedEnum<SnippetCommand>()
