import { Context, type Effect, Schema } from "effect"

/** The latest write that had a digest: which command it is, and whether its answer reached the client. */
export interface KnownRequest {
  /** How many identical ones were delivered before it. */
  readonly n: number
  /** Digest of the body, where the caller chose the idempotency key; else `null`. */
  readonly fingerprint: string | null
  /** Where the first of its commands went. */
  readonly stream: string
  readonly delivered: boolean
  /** Milliseconds since the epoch. */
  readonly recordedAt: number
}

/** What is known of requests can't be read at the moment: a write must wait, or it might be done twice. */
export class RequestsUnavailable extends Schema.TaggedError<RequestsUnavailable>()("RequestsUnavailable", {
  message: Schema.String
}) {}

/**
 * What is known of writes that came in over HTTP. It follows from the log, whose events say which request led to them;
 * that an answer was delivered is no event, and lies beside it.
 */
export class Requests extends Context.Service<
  Requests,
  {
    /**
     * The latest write with this digest, however long ago; `undefined`: there was none. Knows each write that is in
     * the log; that the answer of another process was delivered, a moment later.
     */
    readonly find: (digest: string) => Effect.Effect<KnownRequest | undefined, RequestsUnavailable>
    /** The answer has left: known here at once, stored soon after. */
    readonly delivered: (digest: string, n: number) => void
  }
>()("cairn/Requests") {}
