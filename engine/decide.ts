import { Data, type Deferred, Effect, Result } from "effect"
import type { DecidedCommand, NewEvent } from "#engine/ports/EventStore.ts"
import type { CommandEnvelope } from "./CommandEnvelope.ts"
import { Codec } from "./codec.ts"
import type { Decider } from "./Decider.ts"
import type { AnyEvent } from "./Event.ts"
import type { Position } from "./Position.ts"
import { inSteps } from "./pages.ts"

/** The log could not take the command in time; giving it again is safe. */
export class Busy extends Data.TaggedError("Busy") {}

/** An event that a command led to, as the caller of `dispatch` gets it. */
export interface Led<E> {
  readonly event: E
  readonly revision: number
  /** Position of the command's last event: a reader that has reached it has seen all of the command's events. */
  readonly position: Position
  /** Milliseconds since the epoch. */
  readonly recordedAt: number
}

export type Refused = { readonly _tag: string }
export type AnyDecider = Decider<unknown, AnyEvent, unknown, Refused>
export type Answer = Deferred.Deferred<ReadonlyArray<Led<AnyEvent>>, Refused | Busy>

/** A queued command, and the answer that its caller waits for. */
export interface QueuedCommand extends CommandEnvelope<unknown> {
  readonly answer: Answer
  readonly deadline: number
}

/** A command with the events that it leads to, which are still to be appended. */
export interface Decision {
  readonly queued: QueuedCommand
  readonly events: ReadonlyArray<AnyEvent>
}

/** A command that appends nothing: refused, already so, or a repetition of an earlier command in the queue. */
export type Idle = Data.TaggedEnum<{
  Refusal: { readonly queued: QueuedCommand; readonly refusal: Refused }
  Already: { readonly queued: QueuedCommand }
  Twin: { readonly queued: QueuedCommand; readonly of: Answer }
}>
export const Idle = Data.taggedEnum<Idle>()

/** Decides commands one after the other, each on the state that the earlier ones led to. */
export const decideAll = (decider: AnyDecider, before: unknown, waiting: ReadonlyArray<QueuedCommand>) => {
  const decisions: Array<Decision> = []
  const idle: Array<Idle> = []
  const first = new Map<string, Answer>()
  let state = before
  for (const queued of waiting) {
    const twin = first.get(queued.commandId)
    if (twin !== undefined) {
      idle.push(Idle.Twin({ queued, of: twin }))
      continue
    }
    const decided = decider.decide(queued.command, state)
    if (Result.isFailure(decided)) idle.push(Idle.Refusal({ queued, refusal: decided.failure }))
    else if (decided.success.length === 0) idle.push(Idle.Already({ queued }))
    else {
      first.set(queued.commandId, queued.answer)
      decisions.push({ queued, events: decided.success })
      state = decided.success.reduce(decider.evolve, state)
    }
  }
  return { decisions, idle, state }
}

/** A decision as the store takes it. Other work has its turn while a long text is encoded. */
const appending = Effect.fnUntraced(function* ({ queued, events }: Decision) {
  const codec = yield* Codec
  const encoded: Array<NewEvent> = []
  for (const event of events) encoded.push(yield* inSteps(codec.encoding(event)))
  const command: DecidedCommand = {
    commandId: queued.commandId,
    correlationId: queued.correlationId,
    causationId: queued.causationId ?? null,
    actor: queued.actor,
    events: encoded,
    request: queued.request ?? null
  }
  return command
})

/**
 * Decisions as the store takes them, up to and including the one that brings them to `most` bytes. `later` is the
 * command of the first decision that is left out.
 */
export const encodeAll = Effect.fnUntraced(function* (decisions: ReadonlyArray<Decision>, most: number) {
  const commands: Array<DecidedCommand> = []
  let bytes = 0
  for (const decision of decisions) {
    if (bytes >= most) return { commands, later: decision.queued }
    const command = yield* appending(decision)
    const size = command.events.reduce((sum, { data, payload }) => sum + data.length + (payload?.bytes.length ?? 0), 0)
    commands.push(command)
    bytes += size
  }
  return { commands, later: undefined }
})
