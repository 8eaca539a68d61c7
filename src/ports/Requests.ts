import { Context, type Effect, Schema } from "effect"

/** The latest write with a digest: which command it is, and whether its answer reached the client. */
export interface KnownRequest {
  /** How many identical ones were delivered before it. */
  readonly n: number
  /** Digest of the body, if the caller chose the idempotency key; else `null`. */
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
 * What is known of writes that came in over HTTP. It follows from the log, whose events say which request led to them.
 * That an answer was delivered is not an event, and lies beside the log.
 */
export class Requests extends Context.Service<
  Requests,
  {
    /**
     * The latest write with this digest, however long ago; `undefined` if there was none. It knows every write in the
     * log; that another process delivered its answer, it knows a moment later.
     */
    readonly find: (digest: string) => Effect.Effect<KnownRequest | undefined, RequestsUnavailable>
    /** Notes that the answer has left: known here at once, stored soon after. */
    readonly delivered: (digest: string, n: number) => void
  }
>()("cairn/Requests") {}
