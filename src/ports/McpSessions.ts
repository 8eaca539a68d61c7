import { Context, type Effect, Schema } from "effect"
import type { Holder } from "#domain/Scope.ts"

/** Sessions can't be looked up at the moment. */
export class SessionsUnavailable extends Schema.TaggedError<SessionsUnavailable>()("SessionsUnavailable", {
  message: Schema.String
}) {}

/**
 * Sessions of MCP that any process may be asked about. One ends when its key says so, after an hour without a request, and when its key
 * has begun 100 others since it was last used, or its tenant's keys 1,000. Its id is a capability of its key, and is kept as a digest.
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
    /** That message, if the key has this session; it is in use as of now. */
    readonly use: (key: string, id: string) => Effect.Effect<string | undefined, SessionsUnavailable>
    /** Whether there was one to end. */
    readonly end: (key: string, id: string) => Effect.Effect<boolean, SessionsUnavailable>
  }
>()("cairn/McpSessions") {}
