import type { Result } from "effect"

/**
 * How one kind of stream judges commands. Both functions are pure: no clock, no randomness, no reading or writing. A
 * command carries whatever of these they need.
 */
export interface Decider<Command, Event, State, Refusal> {
  /** The state of a stream without events. */
  readonly initial: State
  /** The events that the command leads to, in order, or a refusal; no events if what it asks for is already so. */
  readonly decide: (command: Command, state: State) => Result.Result<ReadonlyArray<Event>, Refusal>
  /** The state after one more event. It can't refuse: the event has happened. */
  readonly evolve: (state: State, event: Event) => State
}
