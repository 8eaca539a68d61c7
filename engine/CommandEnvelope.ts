import type { Actor, RequestIdentity } from "./Event.ts"

/** Who gives a command, and why. */
export interface CommandMetadata {
  /** A UUID. A command that was carried out and is given again changes nothing more and gets its first answer. */
  readonly commandId: string
  /** The same for all commands and events of one undertaking. */
  readonly correlationId: string
  /** The event that the command follows from; `null` or absent for what a caller asks for. */
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
