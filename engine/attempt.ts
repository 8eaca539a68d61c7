import type { DecidedCommand } from "#engine/ports/EventStore.ts"
import type { Actor } from "./Event.ts"

/** One try at a write: whoever tries, and the ids by which a repeated try is known. */
export interface Attempt {
  readonly commandId: string
  readonly correlationId: string
  readonly causationId?: string | null
  readonly actor: Actor
  readonly request?: DecidedCommand["request"]
}
