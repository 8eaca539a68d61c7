import type { Result } from "effect"

/**
 * How one kind of stream judges commands. Both functions are pure: no clock, no randomness, nothing read or written.
 * What they need of these is in the command.
 */
export interface Decider<Command, Event, State, Refusal> {
  /** The state of a stream without events. */
  readonly initial: State
  /**
   * The events that the command leads to, in their order, or why it may not be done; no events when it is already so.
   */
  readonly decide: (command: Command, state: State) => Result.Result<ReadonlyArray<Event>, Refusal>
  /** The state after one more event. It can't refuse: the event has happened. */
  readonly evolve: (state: State, event: Event) => State
}
