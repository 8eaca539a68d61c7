import type { Actor, RequestIdentity } from "./Event.ts"

/** Who gives a command, and why. */
export interface CommandMetadata {
  /** A UUID. The same one again changes nothing more, and is answered as the first time. */
  readonly commandId: string
  /** What all commands and events of one undertaking have in common. */
  readonly correlationId: string
  /** The event that the command follows from; of what a caller asks for there is none. */
  readonly causationId?: string | null
  readonly actor: Actor
  readonly request?: RequestIdentity | null
}

/** A command on its way to the one stream that decides on it. */
export interface CommandEnvelope<C> extends CommandMetadata {
  readonly tenant: string
  readonly stream: string
  readonly command: C
}
