import type { APIPromise } from "../APIPromise.ts"
import type { AgentVerdict } from "../enumerations.ts"
import type { RequestOptions } from "../options.ts"
import type { Result } from "../Result.ts"
import { json, part } from "../request.ts"
import type { Transport } from "../transport.ts"

/** How far the grading of an upload has come. */
export interface GradingStatus extends Result {
  /** The last part of `statusUrl`. */
  readonly id: string
  /** `failed`: at least one file got no verdict. */
  readonly status: "pending" | "done" | "failed"
  /** Why it failed; else `null`. */
  readonly reason: string | null
  /** One a file. */
  readonly votes: ReadonlyArray<GradingVote>
}

/** What became of one file. */
export interface GradingVote {
  /** The snippet's id. */
  readonly snippetId: string
  /** A flat one, made of the path that was uploaded. */
  readonly filename: string
  /** `pending` until the model has said; `null` when it won't. */
  readonly verdict: AgentVerdict | null
  /** Why, in a sentence. */
  readonly reason: string | null
}

interface StatusWire {
  readonly id: string
  readonly status: "pending" | "done" | "failed"
  readonly reason: string | null
  readonly votes: ReadonlyArray<{
    readonly snippet_id: string
    readonly filename: string
    readonly verdict: AgentVerdict | null
    readonly reason: string | null
  }>
}

/** What became of uploads. */
export class Uploads {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * How far the grading of an upload has come.
   * @param upload The `statusUrl` that the upload answered with, or the last part of it.
   * @throws {@link NotFoundError}: `not_found/status`: no such grading, or its snippets were deleted.
   */
  status(upload: string, options?: RequestOptions): APIPromise<GradingStatus> {
    const id = upload.slice(upload.lastIndexOf("/") + 1)
    const answer = json(
      (wire: StatusWire): GradingStatus => ({
        id: wire.id,
        status: wire.status,
        reason: wire.reason,
        votes: wire.votes.map(({ snippet_id, ...vote }) => ({
          snippetId: snippet_id,
          filename: vote.filename,
          verdict: vote.verdict,
          reason: vote.reason
        }))
      })
    )
    return this.#transport.send(
      () => ({ method: "GET", path: `/api/store/status/${part("upload", id)}`, answer }),
      options
    )
  }
}
