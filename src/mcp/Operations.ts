import type { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { ChatRequest, ChatResponse } from "#src/api/Chat.ts"
import type { Caller, CallerScope } from "#src/api/middleware.ts"
import type { TaskPattern, TaskPatternsRequest } from "#src/api/Patterns.ts"
import type { Problem } from "#src/api/Problem.ts"
import type { MendedWord, SearchMatch, SearchRequest } from "#src/api/Snippets/search.ts"
import type { UploadRequest, UploadResponse } from "#src/api/Snippets/upload.ts"
import type { VoteRequest } from "#src/api/Snippets.ts"
import type { Fallback } from "#src/snippets/embedding/ByModel.ts"
import type { Parts } from "./Parts.ts"
import type { Progress } from "./Progress.ts"

/** What a call brings with it. */
export type Call = Caller | CallerScope | HttpServerRequest.HttpServerRequest | Parts | Progress

type Operation<In, Out> = (given: In) => Effect.Effect<Out, Problem, Call>

/** What tools and resources do. The REST routes do the same, by the same functions. */
export interface Operations {
  /**
   * Gives matches portion by portion, each read when it is asked for. `answer` stands in a message for the route's
   * whole answer: see `Parts`.
   */
  readonly search: Operation<
    typeof SearchRequest.Type,
    {
      readonly matches: Stream.Stream<ReadonlyArray<SearchMatch>, Problem, Call>
      readonly total: number
      readonly mended: ReadonlyArray<MendedWord>
      readonly fallback: Fallback | undefined
      /** What was stored last may be missing. */
      readonly stale: boolean
      readonly answer: string
    }
  >
  readonly upload: Operation<UploadRequest, typeof UploadResponse.Type>
  readonly vote: Operation<typeof VoteRequest.Type, { readonly message: string }>
  readonly patterns: Operation<
    typeof TaskPatternsRequest.Type,
    { readonly patterns: ReadonlyArray<typeof TaskPattern.Type>; readonly next_cursor: string | null }
  >
  /** The answer's lists have only their first paths; `counts` says how many there are. */
  readonly chat: Operation<
    typeof ChatRequest.Type,
    { readonly answer: typeof ChatResponse.Type; readonly counts: { readonly files: number; readonly changed: number } }
  >
  /** The first of the caller's workspaces, the last changed first. */
  readonly workspaces: Operation<
    void,
    {
      readonly workspaces: ReadonlyArray<{
        readonly workspace_id: string
        readonly org_id: string
        readonly user_id: string
        readonly files: number
        readonly repository_bytes: number | null
        readonly updated_at: string
        readonly updated_by: { readonly email: string | null }
      }>
      readonly next_cursor: string | null
    }
  >
  /** The first files at the head of one of the caller's workspaces, and how many there are; sizes in bytes. */
  readonly files: Operation<
    { readonly id: string; readonly most: number },
    { readonly files: ReadonlyArray<{ readonly path: string; readonly size: number }>; readonly count: number }
  >
  /** A file at the head of one of the caller's workspaces; `undefined`: it has more than `most` bytes. */
  readonly file: Operation<
    { readonly id: string; readonly path: string; readonly most: number },
    Uint8Array | undefined
  >
  /** All of a snippet that the caller sees, as Markdown. */
  readonly snippet: Operation<{ readonly id: string }, string>
  /** A file of a repository that the caller sees. */
  readonly repositoryFile: Operation<{ readonly id: string; readonly path: string }, Uint8Array>
  /** How agents use the service, in Markdown. */
  readonly skill: string
}
