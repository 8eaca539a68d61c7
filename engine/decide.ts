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

/** An event that a command led to, as its giver is told of it. */
export interface Led<E> {
  readonly event: E
  readonly revision: number
  /** Whoever has come so far has all that the command led to: that of its last event. */
  readonly position: Position
  /** Milliseconds since the epoch. */
  readonly recordedAt: number
}

export type Refused = { readonly _tag: string }
export type AnyDecider = Decider<unknown, AnyEvent, unknown, Refused>
export type Answer = Deferred.Deferred<ReadonlyArray<Led<AnyEvent>>, Refused | Busy>

/** A command that waits, and whoever waits for what it leads to. */
export interface Job extends CommandEnvelope<unknown> {
  readonly answer: Answer
  readonly deadline: number
}

/** What a command leads to, and has to be appended. */
export interface Decision {
  readonly job: Job
  readonly events: ReadonlyArray<AnyEvent>
}

/** A command that appends nothing: refused, already so, or the same as one before it in the queue. */
export type Idle = Data.TaggedEnum<{
  Refusal: { readonly job: Job; readonly refusal: Refused }
  Already: { readonly job: Job }
  Twin: { readonly job: Job; readonly of: Answer }
}>
export const Idle = Data.taggedEnum<Idle>()

/** Decides commands one after the other, each on what those before it led to. */
export const decideAll = (decider: AnyDecider, before: unknown, jobs: ReadonlyArray<Job>) => {
  const decisions: Array<Decision> = []
  const idle: Array<Idle> = []
  const first = new Map<string, Answer>()
  let state = before
  for (const job of jobs) {
    const twin = first.get(job.commandId)
    if (twin !== undefined) {
      idle.push(Idle.Twin({ job, of: twin }))
      continue
    }
    const decided = decider.decide(job.command, state)
    if (Result.isFailure(decided)) idle.push(Idle.Refusal({ job, refusal: decided.failure }))
    else if (decided.success.length === 0) idle.push(Idle.Already({ job }))
    else {
      first.set(job.commandId, job.answer)
      decisions.push({ job, events: decided.success })
      state = decided.success.reduce(decider.evolve, state)
    }
  }
  return { decisions, idle, state }
}

/** A decision as the store takes it. Others have their turn while a long text is written down. */
const appending = Effect.fnUntraced(function* ({ job, events }: Decision) {
  const codec = yield* Codec
  const encoded: Array<NewEvent> = []
  for (const event of events) encoded.push(yield* inSteps(codec.encoding(event)))
  const command: DecidedCommand = {
    commandId: job.commandId,
    correlationId: job.correlationId,
    causationId: job.causationId ?? null,
    actor: job.actor,
    events: encoded,
    request: job.request ?? null
  }
  return command
})

/**
 * Decisions as the store takes them, up to and with the one that brings them to so many bytes; `later` is the job of the
 * first one that is left.
 */
export const encodeAll = Effect.fnUntraced(function* (decisions: ReadonlyArray<Decision>, most: number) {
  const commands: Array<DecidedCommand> = []
  let bytes = 0
  for (const decision of decisions) {
    if (bytes >= most) return { commands, later: decision.job }
    const command = yield* appending(decision)
    const size = command.events.reduce((sum, { data, payload }) => sum + data.length + (payload?.bytes.length ?? 0), 0)
    commands.push(command)
    bytes += size
  }
  return { commands, later: undefined }
})
