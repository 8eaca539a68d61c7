import { Context, type Effect, type PubSub, Schema, type Scope } from "effect"
import type { Holder } from "#domain/Scope.ts"

/** Sessions can't be looked up at the moment. */
export class SessionsUnavailable extends Schema.TaggedError<SessionsUnavailable>()("SessionsUnavailable", {
  message: Schema.String
}) {}

/** What a client has told another process of a session. */
export interface SaidElsewhere {
  /** Whether this session is meant, by the id that its client knows. */
  readonly isOf: (id: string) => boolean
  /** A notification, as JSON. */
  readonly message: string
}

/**
 * MCP sessions that any process may be asked about. A session ends when its key ends it, after an hour without a
 * request, or once its key has begun 100 others since it was last used, or its tenant's keys 1,000. Its id is a
 * capability of its key, and is kept as a digest.
 */
export class McpSessions extends Context.Service<
  McpSessions,
  {
    /** Keeps what a key's client said when it began a session: the message `initialize`, as JSON. */
    readonly begin: (
      holder: Pick<Holder, "key" | "tenant">,
      id: string,
      initialize: string
    ) => Effect.Effect<void, SessionsUnavailable>
    /** That message, if the key has this session; the session counts as used now. */
    readonly use: (key: string, id: string) => Effect.Effect<string | undefined, SessionsUnavailable>
    /** Ends a session; answers whether there was one. */
    readonly end: (key: string, id: string) => Effect.Effect<boolean, SessionsUnavailable>
    /**
     * Tells all other processes, if there are any, what a client has said of a session: a notification, as JSON. One of
     * more than 6,900 bytes is not told, and any may be lost.
     */
    readonly tell: (id: string, message: string) => Effect.Effect<void>
    /** What other processes tell, from now on; the last 64 wait for a slow subscriber. */
    readonly told: Effect.Effect<PubSub.Subscription<SaidElsewhere>, never, Scope.Scope>
  }
>()("cairn/McpSessions") {}
